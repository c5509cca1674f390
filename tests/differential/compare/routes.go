package main

import (
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strings"

	"github.com/gorilla/mux"
	"github.com/gorilla/schema"
)

// Podman's router: gorilla/mux on the encoded path, every path with a version and without one
// (pkg/api/server: newServer, VersionedPath).
type routes struct {
	routers []*mux.Router // one for each row
	rows    []*row
}

const versionPattern = "/v{version:[0-9][0-9A-Za-z.-]*}"

func routesOf(tables *tables) *routes {
	result := &routes{rows: tables.rows}
	nothing := func(http.ResponseWriter, *http.Request) {}
	for _, row := range tables.rows {
		router := mux.NewRouter().UseEncodedPath()
		router.HandleFunc(versionPattern+row.path, nothing).Methods(row.method)
		router.HandleFunc(row.path, nothing).Methods(row.method)
		result.routers = append(result.routers, router)
	}
	return result
}

// As utils.GetName reads it.
func nameOf(vars map[string]string) string {
	for name, value := range vars {
		if name == "version" {
			continue
		}
		if unescaped, err := url.PathUnescape(value); err == nil {
			return unescaped
		}
		return value
	}
	return ""
}

// The judged row. Of Podman's routes the first that was registered counts, in an order that differs between versions:
// so no two may match, unless the same handler would get the same name.
func (r *routes) compare(d *differences, m *message, request *http.Request) *row {
	var judged *row
	for i, router := range r.routers {
		row := r.rows[i]
		var match mux.RouteMatch
		if !router.Match(request, &match) || match.MatchErr != nil {
			continue
		}
		if row.path != m.row {
			d.check(row.isBelow(m.row), "the path is also one of %s, judged %s", row.path, m.row)
			continue
		}
		judged = row
		name := nameOf(match.Vars)
		d.check(name == m.name, "%s with the name %q, judged %q", row.path, name, m.name)
		version := match.Vars["version"]
		d.check("v"+version == m.version || (version == "" && m.version == ""), "version %q, judged %q", version, m.version)
	}
	encoded := request.URL.EscapedPath()
	d.check(path.Clean(encoded) == encoded, "the path %q is redirected to its clean form", encoded)
	d.check(judged != nil, "the path %q is none of %s", request.URL.EscapedPath(), m.row)
	return judged
}

// The query as gorilla/schema puts it into a handler's struct: names without regard to case.
func (d *differences) parameters(parameters []parameter, m *message, request *http.Request) {
	if len(parameters) == 0 {
		d.check(len(m.query) == 0, "query parameters where none is known")
		return
	}
	decoder := schema.NewDecoder()
	decoder.IgnoreUnknownKeys(true)
	into := reflect.New(structOfParameters(parameters))
	// Words that Podman's own converter takes for booleans beside these (server/handler_api) are never sent.
	if err := decoder.Decode(into.Interface(), request.URL.Query()); err != nil {
		d.check(false, "gorilla/schema: %v", err)
		return
	}
	judged := valuesOf(m.query)
	known := map[string]bool{}
	for i, each := range parameters {
		known[each.name] = true
		got, want := formOf(into.Elem().Field(i)), each.form(judged[each.name])
		d.check(got == want, "parameter %s is %q, judged %q", each.name, got, want)
	}
	for name := range judged {
		d.check(known[name], "the parameter %q is sent and in no table", name)
	}
}

// Is this a template that Podman registers behind the other one in every version, so that it is never asked?
func (r *row) isBelow(other string) bool {
	return strings.Contains(r.path, "{") && !strings.Contains(other, "{")
}
