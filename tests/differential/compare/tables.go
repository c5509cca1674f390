package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// podfence's tables, which the structs are made from that Go decodes into.
type tables struct {
	rows       []*row
	fields     map[string]*field      // of each body, the whole of it
	parameters map[string][]parameter // of each query
	types      map[string]reflect.Type
}

type row struct{ method, path, body, query string }

// What a table says of a place in a content.
type field struct {
	shape   string            // "" where only what is below has rows
	members map[string]*field // by name; "[]" and "{}" are items and entries
	order   []string
}

type parameter struct{ name, shape string }

func newTables() *tables {
	return &tables{fields: map[string]*field{}, parameters: map[string][]parameter{}, types: map[string]reflect.Type{}}
}

func (t *tables) add(line columns) {
	switch line[0] {
	case "row":
		t.rows = append(t.rows, &row{line[1], line[2], line[3], line[4]})
	case "parameter":
		t.parameters[line[1]] = append(t.parameters[line[1]], parameter{line[2], line[3]})
	case "field":
		whole := t.fields[line[1]]
		if whole == nil {
			whole = &field{members: map[string]*field{}}
			t.fields[line[1]] = whole
		}
		whole.at(line[2]).shape = line[3]
	}
}

// The place of a path like "Networks{}.aliases[]"; what is missing on the way is made.
func (f *field) at(path string) *field {
	for path != "" {
		var step string
		path = strings.TrimPrefix(path, ".")
		if strings.HasPrefix(path, "[]") || strings.HasPrefix(path, "{}") {
			step, path = path[:2], path[2:]
		} else {
			end := strings.IndexAny(path, ".[{")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], path[end:]
		}
		next := f.members[step]
		if next == nil {
			next = &field{members: map[string]*field{}}
			f.members[step] = next
			f.order = append(f.order, step)
		}
		f = next
	}
	return f
}

func (t *tables) typeOf(body string) reflect.Type {
	known, found := t.types[body]
	if !found {
		if whole := t.fields[body]; whole != nil {
			known = whole.goType()
		}
		t.types[body] = known
	}
	return known
}

// Docker's strslice.StrSlice: a text stands for a list of it.
type textOrList []string

func (f *field) goType() reflect.Type {
	if f.shape == "text-or-list" {
		return reflect.TypeOf(textOrList{})
	}
	if items := f.members["[]"]; items != nil {
		return reflect.SliceOf(items.goType())
	}
	if entries := f.members["{}"]; entries != nil && len(f.members) == 1 {
		return reflect.MapOf(reflect.TypeOf(""), entries.goType())
	}
	switch {
	case len(f.members) > 0:
		return f.structType()
	case f.shape == "text":
		return reflect.TypeOf("")
	case f.shape == "boolean":
		return reflect.TypeOf(false)
	case f.shape == "integer":
		return reflect.TypeOf(int64(0))
	case f.shape == "unsigned":
		return reflect.TypeOf(uint64(0))
	}
	return reflect.TypeOf((*any)(nil)).Elem()
}

func (f *field) structType() reflect.Type {
	var fields []reflect.StructField
	for i, name := range f.order {
		if name == "{}" {
			continue // all others, and they are never sent
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: f.members[name].goType(),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q", name))})
	}
	return reflect.StructOf(fields)
}

func structOfParameters(parameters []parameter) reflect.Type {
	types := map[string]reflect.Type{"text": reflect.TypeOf(""), "boolean": reflect.TypeOf(false), "texts": reflect.TypeOf([]string{}),
		"integer": reflect.TypeOf(int64(0)), "unsigned": reflect.TypeOf(uint64(0))}
	var fields []reflect.StructField
	for i, each := range parameters {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: types[each.shape],
			Tag: reflect.StructTag(fmt.Sprintf("schema:%q", each.name))})
	}
	return reflect.StructOf(fields)
}

// What a struct's field holds, as text.
func formOf(value reflect.Value) string {
	if value.Kind() == reflect.Slice {
		return fmt.Sprintf("%q", value.Interface())
	}
	return fmt.Sprintf("%v", value.Interface())
}

// The same of the values that were judged.
func (p parameter) form(values []string) string {
	if p.shape == "texts" {
		return fmt.Sprintf("%q", values)
	}
	if len(values) == 0 {
		return formOf(reflect.Zero(structOfParameters([]parameter{p}).Field(0).Type))
	}
	last := values[len(values)-1]
	switch p.shape {
	case "integer":
		if number, err := strconv.ParseInt(last, 10, 64); err == nil {
			return strconv.FormatInt(number, 10)
		}
	case "unsigned":
		if number, err := strconv.ParseUint(last, 10, 64); err == nil {
			return strconv.FormatUint(number, 10)
		}
	}
	return last
}
