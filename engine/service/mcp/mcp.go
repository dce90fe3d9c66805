// Package mcp serves the Model Context Protocol over any campaign service: tools with which an assistant finds, reads,
// checks, previews and edits drafts, and sends tests to the people that its user allows. No tool publishes or deletes,
// changes anything but drafts, or touches users and keys.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Options describe what is served.
type Options struct {
	Service    engine.Service
	Dismissals engine.DismissalStore // of the campaigns of the service; may be nil
	Version    string                // of the program
	// Author returns the email address that changes are signed with.
	Author func(context.Context) (string, error)
	// AllowTestTo lists the addresses and other identifiers that tests may be sent to.
	AllowTestTo []string
	// AllowHelp is a sentence on how to allow more of them, for errors.
	AllowHelp string
	Logger    *slog.Logger
	Now       func() time.Time // time.Now where nil
}

// Server serves one assistant.
type Server struct {
	Options
	sdk *sdk.Server
	// writing has a place for one tool that changes or sends something at a time.
	writing chan struct{}
}

// maxMessage is how many bytes of one message are read. A campaign has up to a megabyte, which can take several times that
// inside a message.
const maxMessage = 8 << 20

const instructions = "Work on the drafts of push and email campaigns of one workspace. Find campaigns with search_campaigns, read one with " +
	"get_campaign, and ask describe_field for the type, the allowed values and the rules of a field before you set it. Change one field at a time with " +
	"patch_campaign or replace_text, with the revision that you read; then check with validate_campaign and preview_message. Only drafts can be " +
	"changed, and nothing can be published or deleted: a person does that."

// New returns a server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{Options: o, writing: make(chan struct{}, 1)}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "bugle", Title: "bugle", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(warnings{o.Logger.Handler()}),
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	for _, t := range tools() {
		s.sdk.AddTool(t.declared(), func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return s.call(ctx, t, r.Params.Arguments), nil
		})
	}
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: campaignURI + "{id}", Name: "campaign", Title: "Campaign", MIMEType: mimeJSON,
		Description: "The record of a campaign, as get_campaign returns it.",
	}, s.readResource)
	return s
}

// Serve answers messages, one a line, until in ends, and then returns nil; or until ctx ends. It closes in.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(call context.Context, method string, r sdk.Request) (sdk.Result, error) {
			call, end := context.WithCancel(call)
			defer end()
			defer context.AfterFunc(ctx, end)() // which the session does not do
			return next(call, method, r)
		}
	})
	to := &output{to: out}
	session, err := s.sdk.Connect(ctx, &transport{sdk.IOTransport{Reader: newMessages(ctx, in, to), Writer: to, MaxLineLength: -1}}, nil)
	if err != nil {
		return fmt.Errorf("cannot start the MCP session: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	err = session.Wait()
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("cannot read the messages of the MCP client: %w", err)
	}
	return nil
}

// warnings is a handler of log lines that are at least warnings.
type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (h warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

// call runs a tool. What goes wrong is an error of the tool, which the assistant can read.
func (s *Server) call(ctx context.Context, t *tool, arguments []byte) (out *sdk.CallToolResult) {
	start := s.Now()
	code := engine.Code("OK")
	defer func() {
		if p := recover(); p != nil {
			s.Logger.ErrorContext(ctx, "panic", "tool", t.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			code, out = engine.Internal, failure(engine.Internal, "something went wrong inside bugle; its log has the details")
		}
		s.Logger.InfoContext(ctx, "tool call", "tool", t.name, "code", string(code), "took", s.Now().Sub(start).Round(time.Millisecond).String())
	}()
	res, err := s.run(ctx, t, arguments)
	if err != nil {
		var text string
		code, text = errorText(err)
		return failure(code, text)
	}
	return &sdk.CallToolResult{
		Content:           []sdk.Content{&sdk.TextContent{Text: res.text}},
		StructuredContent: json.RawMessage(res.data.Encode()),
	}
}

func (s *Server) run(ctx context.Context, t *tool, arguments []byte) (result, error) {
	args, err := t.read(arguments)
	if err != nil {
		return result{}, err
	}
	if !t.readOnly {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return result{}, ctx.Err()
		}
	}
	return t.run(ctx, s, args)
}

// errorText returns the code of an error, and its words.
func errorText(err error) (engine.Code, string) {
	e := engine.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return engine.Internal, "the call was canceled"
	case e == nil:
		return engine.Internal, err.Error()
	}
	text := e.Message
	for _, d := range e.Details {
		switch {
		case d.Message == e.Message:
		case d.Target == "":
			text += "\n  " + d.Message
		default:
			text += "\n  " + d.Target + ": " + d.Message
		}
	}
	return e.Code, text
}

func failure(code engine.Code, text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(code) + ": " + text}}}
}

const (
	campaignURI = "campaign://"
	mimeJSON    = "application/json"
)

// readResource returns the record of a campaign.
func (s *Server) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id := strings.TrimPrefix(r.Params.URI, campaignURI)
	if !schema.ObjectID.Matches(id) { // it may be part of a path
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	c, err := s.Service.Get(ctx, id)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: mimeJSON, Text: string(c.Record().Encode())}}}, nil
}

// workspace returns the settings of the workspace; empty where the service does not describe it.
func (s *Server) workspace(ctx context.Context) (engine.Workspace, error) {
	if k, ok := s.Service.(engine.WorkspaceStore); ok {
		return k.Workspace(ctx)
	}
	return engine.Workspace{}, nil
}

// normalized returns a value with all its strings spelled as we do. How a message spells them depends on the encoder of the
// client, which may escape < or é.
func normalized(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.String:
		return doc.NewString(v.Text())
	case doc.Array:
		var vs []doc.Value
		for _, e := range v.Elems() {
			vs = append(vs, normalized(e))
		}
		return doc.NewArray(vs...)
	case doc.Object:
		var ms []doc.Member
		for name, m := range v.Members() {
			ms = append(ms, doc.M(name, normalized(m)))
		}
		return doc.NewObject(ms...)
	}
	return v
}
