package remote

import (
	"net/http"
	"regexp"
	"sync"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The fields of a dialect file.
const (
	dHeaders      = "headers"
	dMembers      = "members"
	dValues       = "values"
	dUnwrap       = "unwrap"
	dStatusMethod = "status_method"
)

// DialectTable returns the table of a dialect file.
var DialectTable = sync.OnceValue(func() *schema.Schema {
	word := schema.Length{Min: 1, Max: 200}
	return schema.MustCompile(schema.Field{
		ID: "dialect", Title: "Dialect", Kind: schema.Object, Ref: "CONTRACT.md, Dialects",
		Help: "The names that a remote service uses instead of those of the specification.",
		Fields: []schema.Field{
			{
				Name: dHeaders, Kind: schema.Map, Help: "Names of headers, and the names that the service uses. A * at the end of both matches any ending.",
				Elem: &schema.Field{
					Title: "Header", Kind: schema.String, Help: "The name that the service uses.", Example: "X-ACME-*",
					Rules: []schema.Rule{word, schema.Pattern{Re: regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]*$"), Text: "the name of a header"}},
				},
			},
			{
				Name: dMembers, Title: "Fields", Kind: schema.Map, Help: "Names of fields, and the names that the service uses. A * at the end of both matches any ending.",
				Elem: &schema.Field{Title: "Field", Kind: schema.String, Help: "The name that the service uses.", Example: "acme_*", Rules: []schema.Rule{word}},
			},
			{
				Name: dValues, Kind: schema.Map,
				Help: "Values, and the values that the service uses in every field with these options; or the path of a field, and an object with the values of that field. In a path, * matches one name and ** any number of names.",
				Elem: &schema.Field{Title: "Value", Kind: schema.Any, Help: "The value that the service uses, or an object with the values of the fields at a path.", Example: "ACME", Rules: []schema.Rule{wordOrWords}},
			},
			{
				Name: dUnwrap, Title: "Plain strings", Kind: schema.Map,
				Help: "Paths of objects for which the service uses a plain string, and the field of the object that has the string.",
				Elem: &schema.Field{Title: "Field", Kind: schema.String, Help: "The field that has the string.", Example: "name", Rules: []schema.Rule{word}},
			},
			{
				Name: dStatusMethod, Kind: schema.String, Default: `"POST"`, Help: "The HTTP method that changes the status of a campaign.",
				Options: []schema.Option{{Value: http.MethodPost}, {Value: http.MethodPatch}},
			},
		},
	})
})

// wordOrWords accepts a word or a table of words.
var wordOrWords = schema.Named{
	ID: "word_or_words", Text: "a string, or an object of strings",
	Schema: doc.NewObject(
		doc.M("type", doc.NewStrings("string", "object")),
		doc.M("additionalProperties", doc.NewObject(doc.M("type", doc.NewString("string")))),
	),
	Check: func(p schema.Place) []schema.Finding {
		switch p.Value.Kind() {
		case doc.String:
			return nil
		case doc.Object:
			var out []schema.Finding
			for name, m := range p.Value.Members() {
				if m.Kind() != doc.String {
					out = append(out, schema.Finding{Path: doc.P(name), Message: "must be a string"})
				}
			}
			return out
		}
		return []schema.Finding{{Message: "must be a string, or an object of strings"}}
	},
}
