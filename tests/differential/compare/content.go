package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	jsoniter "github.com/json-iterator/go"
)

// Of podfence's reading of a content, in the order of the text.
type token struct {
	kind byte // { } [ ] k(ey) s(tring) n(umber) t f z
	text string
}

func tokensOf(text string) []token {
	if text == "" {
		return nil
	}
	var tokens []token
	for _, each := range strings.Split(text, ",") {
		rest := each[1:]
		if each[0] == 'k' || each[0] == 's' {
			rest = decoded(rest)
		}
		tokens = append(tokens, token{each[0], rest})
	}
	return tokens
}

// A judged value.
type node struct {
	kind    byte
	text    string
	names   []string
	members map[string]*node
	items   []*node
}

func nodeOf(tokens []token) (*node, []token) {
	first, tokens := tokens[0], tokens[1:]
	result := &node{kind: first.kind, text: first.text}
	switch first.kind {
	case '{':
		result.members = map[string]*node{}
		for tokens[0].kind != '}' {
			name := tokens[0].text
			result.names = append(result.names, name)
			result.members[name], tokens = nodeOf(tokens[1:])
		}
		return result, tokens[1:]
	case '[':
		for tokens[0].kind != ']' {
			var item *node
			item, tokens = nodeOf(tokens)
			result.items = append(result.items, item)
		}
		return result, tokens[1:]
	}
	return result, tokens
}

// encoding/json's own tokens, written as podfence writes its.
func goTokens(content []byte) ([]token, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var tokens []token
	var inside []bool // is it an object, and is a name next?
	isName := false
	for {
		each, err := decoder.Token()
		if err == io.EOF {
			return tokens, nil
		}
		if err != nil {
			return nil, err
		}
		switch value := each.(type) {
		case json.Delim:
			tokens = append(tokens, token{byte(value), ""})
			if value == '{' || value == '[' {
				inside = append(inside, value == '{')
			} else {
				inside = inside[:len(inside)-1]
			}
			isName = len(inside) > 0 && inside[len(inside)-1]
			continue
		case string:
			if isName {
				tokens = append(tokens, token{'k', value})
				isName = false
				continue
			}
			tokens = append(tokens, token{'s', value})
		case json.Number:
			tokens = append(tokens, token{'n', string(value)})
		case bool:
			tokens = append(tokens, token{map[bool]byte{true: 't', false: 'f'}[value], ""})
		case nil:
			tokens = append(tokens, token{'z', ""})
		}
		isName = len(inside) > 0 && inside[len(inside)-1]
	}
}

// The same names and values in the same order, and nothing behind them.
func (d *differences) json(m *message, content []byte) {
	tokens, err := goTokens(content)
	d.check(err == nil, "encoding/json: %v", err)
	d.check(reflect.DeepEqual(tokens, m.tokens), "encoding/json reads %v, judged %v", tokens, m.tokens)
}

// Into the structs that a handler has: names without regard to case, the last one wins, unknown ones ignored.
func (d *differences) structs(structure reflect.Type, m *message, content []byte) {
	if structure == nil || len(m.tokens) == 0 {
		return
	}
	judged, _ := nodeOf(m.tokens)
	decoders := []struct {
		name   string
		decode func([]byte, any) error
	}{
		{"encoding/json", json.Unmarshal},
		{"json-iterator", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal},
	}
	for _, each := range decoders {
		into := reflect.New(structure)
		if err := each.decode(content, into.Interface()); err != nil {
			d.check(false, "%s: %v", each.name, err)
			continue
		}
		d.same(each.name, into.Elem(), judged, "")
	}
}

// UnmarshalJSON is Docker's.
func (t *textOrList) UnmarshalJSON(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	list := []string{}
	if json.Unmarshal(text, &list) != nil {
		var one string
		if err := json.Unmarshal(text, &one); err != nil {
			return err
		}
		list = append(list, one)
	}
	*t = list
	return nil
}

// Does the decoded value hold what was judged, and nothing else?
func (d *differences) same(who string, got reflect.Value, judged *node, where string) {
	if judged.kind == 'z' {
		d.check(got.IsZero(), "%s: %s is %v, judged null", who, where, got)
		return
	}
	if list, is := got.Interface().(textOrList); is && judged.kind == 's' {
		d.check(len(list) == 1 && list[0] == judged.text, "%s: %s is %q, judged %q", who, where, list, judged.text)
		return
	}
	switch got.Kind() {
	case reflect.Struct:
		d.sameStruct(who, got, judged, where)
	case reflect.Map:
		d.check(got.Len() == len(judged.members), "%s: %s has %d entries, judged %d", who, where, got.Len(), len(judged.members))
		for name, member := range judged.members {
			entry := got.MapIndex(reflect.ValueOf(name))
			if d.check(entry.IsValid(), "%s: %s has no %q", who, where, name); entry.IsValid() {
				d.same(who, entry, member, where+"/"+name)
			}
		}
	case reflect.Slice:
		d.check(got.Len() == len(judged.items) && judged.kind == '[', "%s: %s has %d items, judged %d", who, where, got.Len(), len(judged.items))
		for i := 0; i < got.Len() && i < len(judged.items); i++ {
			d.same(who, got.Index(i), judged.items[i], fmt.Sprintf("%s/%d", where, i))
		}
	case reflect.Interface:
		d.sameAny(who, got.Interface(), judged, where)
	default:
		d.sameLeaf(who, got, judged, where)
	}
}

func (d *differences) sameStruct(who string, got reflect.Value, judged *node, where string) {
	known := map[string]bool{}
	for i := 0; i < got.NumField(); i++ {
		name := got.Type().Field(i).Tag.Get("json")
		known[name] = true
		if member := judged.members[name]; member != nil {
			d.same(who, got.Field(i), member, where+"/"+name)
		} else {
			d.check(got.Field(i).IsZero(), "%s: %s/%s is %v, and was not judged", who, where, name, got.Field(i))
		}
	}
	for _, name := range judged.names {
		d.check(known[name], "%s/%s is sent and in no table", where, name)
	}
}

func (d *differences) sameLeaf(who string, got reflect.Value, judged *node, where string) {
	text := fmt.Sprintf("%v", got.Interface())
	want := judged.text
	switch judged.kind {
	case 't':
		want = "true"
	case 'f':
		want = "false"
	case 'n':
		if want == "-0" {
			want = "0"
		}
	}
	kinds := map[reflect.Kind]string{reflect.String: "s", reflect.Bool: "tf", reflect.Int64: "n", reflect.Uint64: "n"}
	fits := strings.ContainsRune(kinds[got.Kind()], rune(judged.kind))
	d.check(fits && text == want, "%s: %s is %q, judged %q", who, where, text, want)
}

func (d *differences) sameAny(who string, got any, judged *node, where string) {
	switch value := got.(type) {
	case map[string]any:
		d.same(who, reflect.ValueOf(value), judged, where)
	case []any:
		d.same(who, reflect.ValueOf(value), judged, where)
	case float64:
		number, err := strconv.ParseFloat(judged.text, 64)
		d.check(judged.kind == 'n' && err == nil && number == value, "%s: %s is %v, judged %q", who, where, value, judged.text)
	default:
		d.sameLeaf(who, reflect.ValueOf(got), judged, where)
	}
}
