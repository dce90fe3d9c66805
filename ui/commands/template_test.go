package commands

import (
	"strings"
	"testing"
	"text/template"
)

// A template has the text that Go's own package makes of it.
func TestTemplatesAreGoTemplates(t *testing.T) {
	d := Data{ID: "a1", Name: "Sale & more", Channel: "EMAIL", IDs: []string{"x", "y z"}, Prompt: map[string]string{"label": "new", "to": ""}}
	for _, text := range []string{
		"", "no value", "{{.Name}}", "{{ .Name -}} \n x", "{{/* said */}}a", `{{"text"}} {{7}} {{true}}`, "{{$.Name}}",
		"{{if .Name}}a{{end}}", "{{if .Field}}a{{else}}b{{end}}", "{{if .Field}}a{{else if .ID}}b{{else}}c{{end}}", "{{if not .Field}}a{{end}}",
		"{{range .IDs}}[{{.}} {{$.ID}}]{{end}}", "{{range $i, $id := .IDs}}{{$i}}={{$id}},{{end}}", "{{range $id := .IDs}}{{$id}}{{end}}",
		"{{range $name, $text := .Prompt}}{{$name}}={{$text}};{{end}}", "{{range .Prompt}}{{.}}{{else}}none{{end}}",
		"{{with .Name}}{{.}}{{else}}none{{end}}", "{{with .Field}}{{.}}{{else}}{{.ID}}{{end}}", "{{with $x := .Name}}{{$x}}{{end}}", "{{with .Prompt}}{{.label}}{{end}}",
		"{{$x := .Name}}{{$x}}{{$x = .ID}}{{$x}}", "{{$x := 1}}{{if .ID}}{{$x = 2}}{{$x}}{{end}}{{$x}}", "{{$x := 1}}{{if .ID}}{{$x := 2}}{{$x}}{{end}}{{$x}}",
		"{{range .IDs}}{{$x := .}}{{$x}}{{end}}", "{{(index .IDs 1)}}", `{{index .Prompt "label"}}{{.Prompt.label}}{{$.Prompt.label}}{{(.Prompt).label}}`,
		"{{len .IDs}}{{len .Name}}{{len .Prompt}}", `{{printf "%s-%05d" .ID 7}}`, `{{.Name | printf "%q"}}`, "{{print .ID 1 2 .Name}}", "{{.Name | urlquery}}",
		`{{if eq .Channel "EMAIL"}}a{{end}}{{if eq .Channel "PUSH" "EMAIL"}}b{{end}}{{if ne .Channel "EMAIL"}}c{{end}}{{if eq (len .IDs) 2}}d{{end}}`,
		`{{and .Name .ID}}{{and .Field .ID}}{{or .Field .ID}}{{or .Field .Value}}{{or .Field 0 "x"}}`, `{{if and .Name (not .Field)}}a{{end}}`,
	} {
		var want strings.Builder
		if err := template.Must(template.New("").Parse(text)).Execute(&want, d); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		s, err := parseTemplate(text, []Prompt{{Name: "label"}, {Name: "to"}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := s.plain(d); err != nil || got != want.String() {
			t.Errorf("%s has the text %q (%v), want %q", text, got, err, want.String())
		}
	}
}

// What a template cannot do is said when the file is read, or else when the command is used.
func TestTemplatesThatCannotBeFilled(t *testing.T) {
	for text, want := range map[string]string{
		"{{.}}":                                "only in range and with",
		"{{html .Name}}":                       `function "html" not defined`,
		`{{define "x"}}a{{end}}`:               "cannot be defined here",
		`{{template "x"}}`:                     "cannot be used here",
		"{{range .IDs}}{{break}}{{end}}":       "cannot be used here",
		"{{range .IDs}}{{.Name}}{{end}}":       "write $.Name",
		"{{range .Name}}{{end}}":               "needs a list",
		"{{.Name.Length}}":                     "there is no .Length",
		"{{index .IDs 5}}":                     "there is no element 5 of 2",
		"{{index .IDs `a`}}":                   "index takes a list",
		`{{index .Prompt "x"}}`:                "there is no x",
		"{{len 5}}":                            "len takes",
		"{{printf 5}}":                         "printf takes",
		"{{eq .IDs .IDs}}":                     "can be compared",
		"{{eq .ID}}":                           "two values",
		"{{not}}":                              "one value",
		"{{and}}":                              "missing",
		"{{.ID .Name}}":                        "is not a function",
		"{{1.5}}":                              "cannot be used here",
		"{{.ID | .Name}}":                      "is not a function",
		"{{with .ID}}{{.x}}{{end}}":            "there is no .x",
		"{{range $i, $x := .Prompt.a}}{{end}}": "no prompt of that name",
	} {
		s, err := parseTemplate(text, nil)
		if err == nil {
			_, err = s.plain(Data{ID: "a", Name: "b", IDs: []string{"x", "y"}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
