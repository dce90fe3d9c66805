package remote

import (
	"net/http"
	"regexp"
	"sync"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The members of a dialect's file.
const (
	dHeaders      = "headers"
	dMembers      = "members"
	dValues       = "values"
	dUnwrap       = "unwrap"
	dStatusMethod = "status_method"
)

// DialectTable returns the table of a dialect's file.
var DialectTable = sync.OnceValue(func() *schema.Schema {
	word := schema.Length{Min: 1, Max: 200}
	return schema.MustCompile(schema.Field{
		ID: "dialect", Title: "Dialect", Kind: schema.Object, Ref: "gaps.md, Vendor words on the wire",
		Help: "What a remote service calls otherwise than the specification.",
		Fields: []schema.Field{
			{
				Name: dHeaders, Kind: schema.Map, Help: "Names of headers, and what the service calls them. A * at the end of both stands for any rest.",
				Elem: &schema.Field{
					Title: "Header", Kind: schema.String, Help: "What the service calls the header.", Example: "X-ACME-*",
					Rules: []schema.Rule{word, schema.Pattern{Re: regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]*$"), Says: "a name of a header"}},
				},
			},
			{
				Name: dMembers, Title: "Fields", Kind: schema.Map, Help: "Names of fields, and what the service calls them. A * at the end of both stands for any rest.",
				Elem: &schema.Field{Title: "Field", Kind: schema.String, Help: "What the service calls the field.", Example: "acme_*", Rules: []schema.Rule{word}},
			},
			{
				Name: dValues, Kind: schema.Map,
				Help: "Values, and what the service calls them in every field that lists them; or the path of a field, and its values in the same way. In a path, * stands for any one name and ** for any number of them.",
				Elem: &schema.Field{Title: "Value", Kind: schema.Any, Help: "What the service calls the value, or the values of the fields at a path.", Example: "ACME", Rules: []schema.Rule{wordOrWords}},
			},
			{
				Name: dUnwrap, Title: "Plain strings", Kind: schema.Map,
				Help: "Paths of objects that the service spells as a plain string, and the field of the object that holds the string.",
				Elem: &schema.Field{Title: "Field", Kind: schema.String, Help: "The field that holds the string.", Example: "name", Rules: []schema.Rule{word}},
			},
			{
				Name: dStatusMethod, Kind: schema.String, Default: `"POST"`, Help: "The method of status changes.",
				Options: []schema.Option{{Value: http.MethodPost}, {Value: http.MethodPatch}},
			},
		},
	})
})

// wordOrWords takes a word, or a table of words.
var wordOrWords = schema.Named{
	ID: "word_or_words", Says: "a string, or an object of strings",
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
