package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

// A message to Podman: podfence's reading, and the bytes.
type message struct {
	origin  string // the client's request
	method  string
	row     string // path of the endpoint's row
	name    string // its parameter
	version string // "v1.41", "" for none
	query   []pair
	length  int64    // -1: in chunks
	fields  []string // "Host: d"
	tokens  []token
	bytes   string
}

type pair struct{ name, value string }

// Content that nobody reads: archives of podfence's own, and values of secrets.
var opaque = map[string]bool{"application/x-tar": true, "application/octet-stream": true}

func pairsOf(text string) []pair {
	var pairs []pair
	if text == "" {
		return nil
	}
	for _, each := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(each, ":")
		pairs = append(pairs, pair{decoded(name), decoded(value)})
	}
	return pairs
}

func messageOf(line columns) *message {
	m := &message{origin: decoded(line[0]), method: line[1], row: line[2], name: decoded(line[3]), version: line[4],
		query: pairsOf(line[5]), length: -1, tokens: tokensOf(line[8]), bytes: decoded(line[9])}
	if line[6] != "chunked" {
		length, err := strconv.ParseInt(line[6], 10, 64)
		if err != nil {
			panic(err)
		}
		m.length = length
	}
	for _, field := range strings.Split(line[7], ",") {
		m.fields = append(m.fields, decoded(field))
	}
	return m
}

type differences []string

func (d *differences) check(holds bool, what string, details ...any) {
	if !holds {
		*d = append(*d, fmt.Sprintf(what, details...))
	}
}

// What net/http keeps to itself when it reads a request.
var ownFields = map[string]bool{"Host": true, "Transfer-Encoding": true}

func (m *message) header() http.Header {
	header := http.Header{}
	for _, field := range m.fields {
		name, value, _ := strings.Cut(field, ": ")
		if !ownFields[name] {
			header.Add(name, value)
		}
	}
	return header
}

func (d *differences) head(m *message, request *http.Request) {
	d.check(request.Method == m.method, "method %q, judged %q", request.Method, m.method)
	d.check(request.ProtoMajor == 1 && request.ProtoMinor == 1, "version %q", request.Proto)
	d.check(request.Host == "d", "host %q", request.Host)
	d.check(reflect.DeepEqual(request.Header, m.header()), "fields %v, judged %v", request.Header, m.header())
	d.check(request.ContentLength == m.length, "content of %d bytes, judged %d", request.ContentLength, m.length)
	d.check((len(request.TransferEncoding) == 1) == (m.length < 0), "transfer encoding %v", request.TransferEncoding)
	d.check(!request.Close, "the connection ends behind it")
	d.check(request.URL.Scheme == "" && request.URL.Host == "" && request.URL.Opaque == "" && request.URL.User == nil &&
		request.URL.Fragment == "", "target %q is not in origin form", request.RequestURI)
}

func valuesOf(pairs []pair) url.Values {
	values := url.Values{}
	for _, each := range pairs {
		values.Add(each.name, each.value)
	}
	return values
}

func textOf(values url.Values) string {
	var lines []string
	for name, each := range values {
		lines = append(lines, fmt.Sprintf("%q=%q", name, each))
	}
	sort.Strings(lines)
	return strings.Join(lines, " ")
}

// The query as net/url and http.Request.ParseForm read it.
func (d *differences) query(m *message, request *http.Request) {
	judged := valuesOf(m.query)
	values, err := url.ParseQuery(request.URL.RawQuery)
	d.check(err == nil, "query: %v", err)
	d.check(reflect.DeepEqual(values, judged), "query %s, judged %s", textOf(values), textOf(judged))
	folded := map[string]string{}
	for name := range values {
		other, twice := folded[strings.ToLower(name)]
		d.check(!twice, "the query parameters %q and %q are one for a decoder that folds case", name, other)
		folded[strings.ToLower(name)] = name
	}
	if m.length <= 0 {
		err = request.ParseForm()
		d.check(err == nil && reflect.DeepEqual(request.Form, judged), "form %s, judged %s", textOf(request.Form), textOf(judged))
	}
}

func (c *comparison) compare(m *message) []string {
	var d differences
	// A second message behind it: what is one byte too long or too short is seen there.
	const behind = "GET /behind HTTP/1.1\r\nHost: d\r\n\r\n"
	bytes := m.bytes
	if m.length < 0 {
		bytes += "3\r\nabc\r\n0\r\n\r\n" // the content is streamed, in chunks of podfence's own
	}
	reader := bufio.NewReader(strings.NewReader(bytes + behind))
	request, err := http.ReadRequest(reader)
	if err != nil {
		return []string{fmt.Sprintf("net/http does not read it: %v", err)}
	}
	d.head(m, request)
	content, err := io.ReadAll(request.Body)
	d.check(err == nil, "content: %v", err)
	next, err := http.ReadRequest(reader)
	d.check(err == nil && next.URL.Path == "/behind", "what follows is read otherwise: %v", err)
	request.Body = http.NoBody
	d.query(m, request)
	row := c.routes.compare(&d, m, request)
	if m.length < 0 {
		d.check(string(content) == "abc", "content %q", content)
	} else if int64(len(content)) != m.length {
		d.check(false, "content of %d bytes, judged %d", len(content), m.length)
	} else if len(content) > 0 && !opaque[request.Header.Get("Content-Type")] {
		d.json(m, content)
		if row != nil {
			d.structs(c.tables.typeOf(row.body), m, content)
		}
	}
	if row != nil {
		d.parameters(c.tables.parameters[row.query], m, request)
	}
	return d
}
