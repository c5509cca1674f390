// Reads what podfence judged and would send (../judged.cpp) and decodes the same bytes as Podman does: net/http,
// net/url, gorilla/mux, gorilla/schema, encoding/json, and json-iterator as Podman 6 has it. Prints every difference,
// and at last the line "N passed, N failed": messages.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

// How many differences are printed.
const mostTold = 40

// The columns of a line, in order.
type columns []string

func decoded(text string) string {
	bytes, err := base64.URLEncoding.DecodeString(text)
	if err != nil {
		panic(fmt.Sprintf("not base64: %q", text))
	}
	return string(bytes)
}

type comparison struct {
	tables   *tables
	routes   *routes
	passed   int
	failed   int
	finished bool
}

func (c *comparison) fault(origin, what string) {
	c.failed++
	if c.failed <= mostTold {
		fmt.Printf("DIFFERENT: %s\n  of the request %q\n", what, origin)
	}
}

func (c *comparison) message(line columns) {
	message := messageOf(line)
	if c.routes == nil {
		c.routes = routesOf(c.tables)
	}
	differences := c.compare(message)
	if len(differences) == 0 {
		c.passed++
		return
	}
	c.fault(message.origin, strings.Join(differences, "; ")+fmt.Sprintf("\n  sent as %q", message.bytes))
}

func (c *comparison) take(line columns) {
	switch line[0] {
	case "message":
		c.message(line[1:])
	case "row", "field", "parameter":
		c.tables.add(line)
	case "fault":
		c.fault(decoded(line[1]), line[2])
	case "end":
		c.finished = true
		fmt.Printf("corpus: %s requests, %s served with %s messages; made up: %s requests, %s served with %s messages\n",
			line[1], line[2], line[3], line[4], line[5], line[6])
	default:
		panic("unknown line: " + line[0])
	}
}

func main() {
	comparison := comparison{tables: newTables()}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			break
		}
		comparison.take(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	if !comparison.finished {
		comparison.fault("", "podfence's reading ends in the middle")
	}
	fmt.Printf("%d passed, %d failed\n", comparison.passed, comparison.failed)
	if comparison.failed > 0 || comparison.passed == 0 {
		os.Exit(1)
	}
}
