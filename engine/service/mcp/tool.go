package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// tool is what an assistant can call. Its arguments and results are tables, as everything else is: they are what the
// client is told, and what arguments are checked against.
type tool struct {
	name, title, help string

	readOnly    bool // it changes nothing
	destructive bool // it can replace or remove what is there
	idempotent  bool // a repeat with the same arguments changes nothing more
	open        bool // it can reach other services

	arguments, results []schema.Field
	run                func(context.Context, *Server, doc.Value) (result, error)

	in, out *schema.Schema
}

// result is what a tool returns: the data of its table, and the same in short for people and models.
type result struct {
	data doc.Value
	text string
}

// tools returns all tools, in the order in which they are listed. Their tables are compiled by the first call: no other
// command needs them.
var tools = sync.OnceValue(func() []*tool {
	all := []*tool{
		searchCampaigns(), getCampaign(), describeField(), validateCampaign(), previewMessage(),
		createDraft(), patchCampaign(), replaceText(), sendTest(),
	}
	for _, t := range all {
		t.in, t.out = t.table("arguments", t.arguments), t.table("results", t.results)
	}
	return all
})

func (t *tool) table(of string, fields []schema.Field) *schema.Schema {
	return schema.MustCompile(schema.Field{
		ID: "mcp." + t.name + "." + of, Kind: schema.Object, Ref: "cmd/bugle/help/api.md, Assistants", Help: t.help, Fields: fields,
	})
}

// declared returns the tool as clients are told of it.
func (t *tool) declared() *sdk.Tool {
	destructive, open := t.destructive, t.open
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.help,
		InputSchema: jsonSchema(t.in), OutputSchema: jsonSchema(t.out),
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent || t.readOnly, DestructiveHint: &destructive, OpenWorldHint: &open,
		},
	}
}

// jsonSchema returns a table as JSON Schema. The description is that of the tool, which stands beside it.
func jsonSchema(s *schema.Schema) json.RawMessage {
	return s.JSONSchema(schema.ExportOptions{}).Delete(doc.P("description")).Delete(doc.P("x-source")).Encode()
}

// read returns the arguments of a call, checked. A null stands for an argument that is not there, unless the tool takes any
// value for it.
func (t *tool) read(arguments []byte) (doc.Value, error) {
	args := doc.NewObject()
	if len(arguments) > 0 && string(arguments) != "null" {
		var err error
		if args, err = doc.Parse(arguments); err != nil {
			return args, engine.Errorf(engine.BadRequest, http.StatusBadRequest, "cannot read the arguments: %w", err)
		}
	}
	if args.Kind() != doc.Object {
		return args, engine.Errorf(engine.BadRequest, http.StatusBadRequest, "the arguments must be an object, not %s", args.Kind())
	}
	for name, v := range args.Members() {
		if n := t.in.Root().Child(name); v.Kind() == doc.Null && n != nil && n.Kind != schema.Any {
			args = args.Delete(doc.P(name))
		}
	}
	bad := schema.Errors(t.in.Validate(args, schema.Env{}))
	if len(bad) == 0 {
		return normalized(args), nil
	}
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the arguments of %s have %s", t.name, phrase.Count(len(bad), "problem"))
	e.Problems = bad
	for _, p := range bad {
		e.Details = append(e.Details, engine.Detail{Target: p.Path.String(), Message: p.Message})
	}
	return args, e
}

// The arguments that several tools have, and fields of results.
const (
	aID        = "id"
	aRevision  = "revision"
	aPath      = "path"
	aKey       = "idempotency_key"
	rProblems  = "problems"
	rWarnings  = "warnings"
	rStatus    = "status"
	rChannel   = "channel"
	rType      = "campaign_delivery_type"
	rName      = "name"
	rText      = "text"
	rCampaign  = "campaign"
	rCampaigns = "campaigns"
)

func required(f schema.Field) schema.Field {
	f.Required = append(f.Required, schema.Required{})
	return f
}

func text(name, help string, more ...schema.Rule) schema.Field {
	return schema.Field{Name: name, Kind: schema.String, Help: help, Rules: more}
}

func flag(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.Bool, Help: help}
}

func number(name, help string, lo, hi float64) schema.Field {
	return schema.Field{Name: name, Kind: schema.Integer, Help: help, Rules: []schema.Rule{schema.Range{Min: lo, Max: hi}}}
}

func texts(name, help string, more ...schema.Rule) schema.Field {
	return schema.Field{Name: name, Kind: schema.List, Help: help, Elem: &schema.Field{Kind: schema.String, Help: help}, Rules: more}
}

func objects(name, help string, fields ...schema.Field) schema.Field {
	return schema.Field{Name: name, Kind: schema.List, Help: help, Elem: &schema.Field{Kind: schema.Object, Help: help, Fields: fields}}
}

func choice[T ~string](name, help string, values ...T) schema.Field {
	f := schema.Field{Name: name, Kind: schema.String, Help: help}
	for _, v := range values {
		f.Options = append(f.Options, schema.Option{Value: string(v)})
	}
	return f
}

// maxPath is how long a path may be, in characters.
const maxPath = 1000

func idArgument() schema.Field {
	return required(text(aID, "The id of the campaign: 24 hexadecimal characters, from search_campaigns.", schema.Format{As: schema.ObjectID, Plain: true}))
}

func pathArgument(help string) schema.Field {
	f := text(aPath, help, schema.Length{Max: maxPath})
	f.Example = "campaign_content.content.push.android.basic_details.title"
	return f
}

func keyArgument() schema.Field {
	f := text(aKey, "A UUID v4 of your own. A repeat with the same key and the same arguments returns the first result and does nothing more.",
		schema.Format{As: schema.UUID, Plain: true})
	f.Example = "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"
	return f
}

func problemsField(help string) schema.Field {
	return objects(rProblems, help, required(text(aPath, "The path of the field in the campaign, with dots.")), required(text("message", "What is wrong, and what to do.")))
}

// problemsOf returns the member that lists problems.
func problemsOf(problems []schema.Problem) doc.Member {
	var vs []doc.Value
	for _, p := range problems {
		vs = append(vs, doc.NewObject(doc.M(aPath, doc.NewString(p.Path.String())), doc.M("message", doc.NewString(p.Message))))
	}
	return arrayMember(rProblems, vs)
}

// lines returns problems as lines of text.
func lines(problems []schema.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "\n  %s: %s", p.Path, p.Message)
	}
	return b.String()
}

// textMember returns a member with a text, or none where it is empty.
func textMember(name, s string) doc.Member {
	if s == "" {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(s))
}

// arrayMember returns a member with a list, or none where it is empty.
func arrayMember(name string, vs []doc.Value) doc.Member {
	if len(vs) == 0 {
		return doc.Member{}
	}
	return doc.M(name, doc.NewArray(vs...))
}

// members returns the members of an object.
func members(v doc.Value) (ms []doc.Member) {
	for name, m := range v.Members() {
		ms = append(ms, doc.M(name, m))
	}
	return ms
}

// pathOf reads a path among the arguments.
func pathOf(args doc.Value) (doc.Path, error) {
	p, err := doc.ParsePath(args.Get(aPath).Text())
	if err == nil && len(p) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, refuse(aPath, "cannot read the path: %w; write it with dots and indexes, such as basic_details.tags[0]", err)
	}
	return p, nil
}

// refuse returns the error of an argument that cannot be used.
func refuse(argument, format string, args ...any) error {
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, format, args...)
	e.Target = argument
	return e
}

// conflict returns the error of a change that the state of the campaign does not allow.
func conflict(format string, args ...any) error {
	return engine.Errorf(engine.BadRequest, http.StatusConflict, format, args...)
}
