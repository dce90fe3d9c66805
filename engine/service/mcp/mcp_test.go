package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/engine/service/mcp"
	"bugle/engine/service/remote"
	"bugle/store/mem"
)

const author = "robin@example.com"

// bench is an assistant that works on the sample.
type bench struct {
	*testing.T
	svc     *local.Service // of the workspace
	session *sdk.ClientSession
	remote  bool

	mu sync.Mutex
	// meddle, if set, is called once, after the next campaign was read.
	meddle func()
}

// lossy is a mail server that does not confirm messages.
type lossy struct{}

func (lossy) Deliver(context.Context, delivery.Message) (delivery.Receipt, error) {
	return delivery.Receipt{}, delivery.Unconfirmed("mx.example.com", io.EOF)
}

// read runs meddle, if a campaign has been read.
func (b *bench) read() {
	b.mu.Lock()
	f := b.meddle
	b.meddle = nil
	b.mu.Unlock()
	if f != nil {
		f()
	}
}

// meddling is the service of the bench.
type meddling struct {
	*local.Service
	b *bench
}

func (m meddling) Get(ctx context.Context, id string) (engine.Campaign, error) {
	c, err := m.Service.Get(ctx, id)
	m.b.read()
	return c, err
}

// benches runs a test on the service itself, and on one that is served over HTTP.
func benches(t *testing.T, test func(*bench), allowed ...string) {
	for _, over := range []string{"local", "remote"} {
		t.Run(over, func(t *testing.T) { test(newBench(t, over == "remote", allowed...)) })
	}
}

func newBench(t *testing.T, over bool, allowed ...string) *bench {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	if _, err := sample.Install(t.Context(), db, sample.Options{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Providers: func(engine.Connector) (delivery.Sender, error) { return lossy{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close() })
	b := &bench{T: t, svc: svc, remote: over}
	var service engine.Service = meddling{svc, b}
	if over {
		service = b.served()
	}
	server := mcp.New(mcp.Options{
		Service: service, Version: "1", Logger: slog.New(slog.DiscardHandler), AllowTestTo: allowed, AllowHelp: "ask the user",
		Author: func(context.Context) (string, error) { return author, nil },
	})
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := server.Serve(t.Context(), toServer, fromServer)
		fromServer.Close()
		ended <- err
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	if b.session, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.session.Close()
		if err := <-ended; err != nil {
			t.Errorf("Serve ended with %v", err)
		}
	})
	return b
}

// served returns the remote service over HTTP.
func (b *bench) served() engine.Service {
	handler := api.New(api.Keys(func(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
		w, err := b.svc.Workspace(ctx)
		return w, b.svc, err
	}), api.Options{Unlimited: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if r.Method == http.MethodGet {
			b.read()
		}
	}))
	b.Cleanup(server.Close)
	key, record := engine.NewAPIKey(time.Now(), engine.KnownScopes())
	err := b.svc.UpdateWorkspace(b.Context(), func(w *engine.Workspace) error {
		w.Keys = append(w.Keys, record)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	svc, err := remote.New(remote.Config{BaseURL: server.URL, Workspace: sample.ID, Key: func(context.Context) (string, error) { return key, nil }})
	if err != nil {
		b.Fatal(err)
	}
	return svc
}

type args = map[string]any

// call calls a tool, and returns its data and its text. The data must be as the tool's table says.
func (b *bench) call(tool string, a args) (doc.Value, string) {
	b.Helper()
	data, text, failed := b.try(tool, a)
	if failed {
		b.Fatalf("%s %v failed: %s", tool, a, text)
	}
	return data, text
}

func (b *bench) try(tool string, a args) (data doc.Value, text string, failed bool) {
	b.Helper()
	res, err := b.session.CallTool(b.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		b.Fatalf("%s %v: %v", tool, a, err)
	}
	for _, c := range res.Content {
		text += c.(*sdk.TextContent).Text
	}
	if res.IsError {
		return doc.Value{}, text, true
	}
	encoded, err := json.Marshal(res.StructuredContent)
	if err == nil {
		data, err = doc.Parse(encoded)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range mcp.CheckResult(tool, data) {
		b.Errorf("%s %v returned what its table does not have: %s %s", tool, a, p.Path, p.Message)
	}
	return data, text, false
}

// refused calls a tool, which must fail with a code and words.
func (b *bench) refused(tool string, a args, words ...string) {
	b.Helper()
	_, text, failed := b.try(tool, a)
	if !failed {
		b.Errorf("%s %v did not fail: %s", tool, a, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			b.Errorf("%s %v failed with %q, want %q", tool, a, text, w)
		}
	}
}

func (b *bench) campaign(id string) engine.Campaign {
	b.Helper()
	c, err := b.svc.Get(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// draft returns a draft of the sample, by a part of its name.
func (b *bench) draft(name string) engine.Campaign {
	b.Helper()
	rows, err := b.svc.List(b.Context(), engine.ListQuery{})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range rows {
		if r.Status == catalog.Draft && strings.Contains(r.Name, name) {
			return b.campaign(r.ID)
		}
	}
	b.Fatalf("there is no draft %q", name)
	return engine.Campaign{}
}

// byHand changes a draft as a person does.
func (b *bench) byHand(id, path, text string) {
	b.Helper()
	c := b.campaign(id)
	at, err := doc.ParsePath(path)
	if err != nil {
		b.Fatal(err)
	}
	body, err := c.Body.Set(at, doc.NewString(text))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.svc.Save(b.Context(), engine.SaveRequest{ID: id, Revision: c.Revision, Body: body, By: "ann@example.com"}); err != nil {
		b.Fatal(err)
	}
}

// The tools say what they are for, what they take and return, and what they may change; none publishes or deletes.
func TestToolsDescribeThemselves(t *testing.T) {
	b := newBench(t, false)
	res, err := b.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hints := map[string]string{}
	for _, tool := range res.Tools {
		a := tool.Annotations
		hints[tool.Name] = fmt.Sprintf("read-only %t destructive %t idempotent %t", a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint)
		if tool.Title == "" || !strings.HasSuffix(tool.Description, ".") {
			t.Errorf("%s is described as %q: %q", tool.Name, tool.Title, tool.Description)
		}
		for _, s := range []any{tool.InputSchema, tool.OutputSchema} {
			root := s.(map[string]any)
			if root["type"] != "object" {
				t.Errorf("%s has a schema of the type %v", tool.Name, root["type"])
			}
			for name, p := range root["properties"].(map[string]any) {
				if p.(map[string]any)["description"] == nil {
					t.Errorf("%s does not describe %s", tool.Name, name)
				}
			}
		}
	}
	read, write := "read-only true destructive false idempotent true", "read-only false destructive %t idempotent %t"
	for name, want := range map[string]string{
		"search_campaigns": read, "get_campaign": read, "describe_field": read, "validate_campaign": read, "preview_message": read,
		"create_draft": fmt.Sprintf(write, false, false), "patch_campaign": fmt.Sprintf(write, true, true),
		"replace_text": fmt.Sprintf(write, true, false), "send_test": fmt.Sprintf(write, true, false),
	} {
		if hints[name] != want {
			t.Errorf("%s is %q, want %q", name, hints[name], want)
		}
		delete(hints, name)
	}
	if len(hints) > 0 {
		t.Errorf("there are other tools: %v", hints)
	}
}

// Every campaign is returned as it is stored, byte for byte, and a text that is changed and changed back leaves it so.
func TestEverySampleCampaignComesBackTheSame(t *testing.T) {
	benches(t, func(b *bench) {
		rows, err := b.svc.List(b.Context(), engine.ListQuery{Archived: true})
		if err != nil {
			b.Fatal(err)
		}
		changed := 0
		for _, r := range rows {
			id := r.ID
			if r.Status != catalog.Draft && r.Channel.Writable() {
				clone, err := b.svc.Clone(b.Context(), id, "ann@example.com")
				if err != nil {
					b.Fatal(err)
				}
				id = clone.ID
			}
			before := b.campaign(id)
			data, text := b.call("get_campaign", args{"id": id})
			_, record, _ := strings.Cut(text, "\n")
			if want := string(before.Record().Encode()); record != want {
				b.Errorf("get_campaign returned\n%s\nwant\n%s", record, want)
			}
			revision := data.Get("revision").Text()
			if !r.Channel.Writable() {
				b.refused("patch_campaign", args{"id": id, "path": "basic_details.name", "value": "x", "revision": revision}, "BAD_REQUEST: ")
				continue
			}
			for at, old := range stringsOf(before.Body, nil) {
				a := args{"id": id, "path": at, "value": old + " <é>", "revision": revision}
				res, _, failed := b.try("patch_campaign", a)
				if failed {
					continue // an option, or a component that is not valid yet and the API takes whole
				}
				changed++
				b.call("patch_campaign", args{"id": id, "path": at, "value": old, "revision": res.Get("revision").Text()})
				break
			}
			if got, want := string(b.campaign(id).Body.Encode()), string(before.Body.Encode()); got != want {
				b.Errorf("%s is now\n%s\nand was\n%s", id, got, want)
			}
		}
		if changed < len(rows)/2 {
			b.Errorf("only %d of %d campaigns were changed", changed, len(rows))
		}
	})
}

// stringsOf returns the texts of a document by their paths.
func stringsOf(v doc.Value, at doc.Path) map[string]string {
	out := map[string]string{}
	add := func(below map[string]string) {
		for p, s := range below {
			out[p] = s
		}
	}
	switch v.Kind() {
	case doc.String:
		out[at.String()] = v.Text()
	case doc.Object:
		for name, m := range v.Members() {
			add(stringsOf(m, at.Child(name)))
		}
	case doc.Array:
		for i, e := range v.Elems() {
			add(stringsOf(e, at.Elem(i)))
		}
	}
	return out
}

// A change is a version in the history, signed by the author; numbers keep their spelling, and everything else stays.
func TestPatch(t *testing.T) {
	benches(t, func(b *bench) {
		c := b.draft("Black Friday countdown")
		set := func(path string, value any, revision string) (doc.Value, string) {
			return b.call("patch_campaign", args{"id": c.ID, "path": path, "value": value, "revision": revision})
		}
		data, _ := b.call("get_campaign", args{"id": c.ID, "component": "delivery_controls"})
		if got := data.Get("campaign"); got.Get("basic_details").Exists() || !got.Get("delivery_controls").Exists() {
			b.Errorf("one component is %s", got.Encode())
		}
		first := data.Get("revision").Text()
		res, text := set("delivery_controls.campaign_throttle_rpm", json.RawMessage("5000.0"), first)
		if !strings.HasPrefix(text, "Set delivery_controls.campaign_throttle_rpm. Revision ") || !res.Get("changed").True() {
			b.Errorf("patch_campaign said %q", text)
		}
		want, err := c.Body.Set(doc.P("delivery_controls", "campaign_throttle_rpm"), mustNumber("5000.0"))
		if err != nil {
			b.Fatal(err)
		}
		now := b.campaign(c.ID)
		if got := now.Body; string(got.Encode()) != string(want.Encode()) {
			b.Errorf("the draft is\n%s\nwant\n%s", got.Encode(), want.Encode())
		}
		revisions, err := b.svc.Revisions(b.Context(), c.ID)
		if err != nil || revisions[0].N != now.Revision || revisions[0].By != author || now.Revision != c.Revision+1 {
			b.Errorf("the history is %+v (%v)", revisions, err)
		}
		if !b.remote && revisions[0].Note != "assistant: set delivery_controls.campaign_throttle_rpm" {
			b.Errorf("the note is %q", revisions[0].Note)
		}
		// A repeat finds nothing to change.
		if res, _ = set("delivery_controls.campaign_throttle_rpm", json.RawMessage("5000.0"), res.Get("revision").Text()); res.Get("changed").True() || b.campaign(c.ID).Revision != now.Revision {
			b.Errorf("a repeat returned %s", res.Encode())
		}
		res, _ = b.call("patch_campaign", args{"id": c.ID, "path": "delivery_controls.campaign_throttle_rpm", "remove": true, "revision": res.Get("revision").Text()})
		if b.campaign(c.ID).Body.Lookup(doc.P("delivery_controls", "campaign_throttle_rpm")).Exists() {
			b.Error("the value was not removed")
		}
		last := res.Get("revision").Text()
		for _, tt := range []struct {
			change args
			want   string
		}{
			{args{"path": "basic_details.naem", "value": "x"}, "basic_details.naem: unknown field"},
			{args{"path": "basic_details.name", "value": 5}, "basic_details.name: must be a string, not 5"},
			{args{"path": "basic_details.platforms[0]", "value": "FRIDGE"}, "FRIDGE"},
			{args{"path": "status", "value": "ACTIVE"}, "begins with a component"},
			{args{"path": "created_by", "value": "eve@example.com"}, "begins with a component"},
			{args{"path": "basic_details.name[0]", "value": "x"}, "cannot change basic_details.name[0]"},
			{args{"path": "basic_details..name", "value": "x"}, "cannot read the path"},
			{args{"path": "basic_details.name"}, "the new value is missing"},
			{args{"path": "basic_details.name", "value": "x", "remove": true}, "not both"},
			{args{"path": "basic_details.name", "value": "x", "revision": ""}, "revision: required"},
			{args{"path": "basic_details.name", "value": "x", "revision": "77"}, "has changed since revision 77"},
			{args{"path": "basic_details.name", "value": "x", "colour": "red"}, "colour: unknown"},
		} {
			if tt.change["id"] = c.ID; tt.change["revision"] == nil {
				tt.change["revision"] = last
			}
			before := b.campaign(c.ID)
			b.refused("patch_campaign", tt.change, tt.want)
			if b.campaign(c.ID).Revision != before.Revision {
				b.Errorf("%v changed the draft", tt.change)
			}
		}
		b.refused("patch_campaign", args{"id": "65f0a1b2c3d4e5f60718293a", "path": "basic_details.name", "value": "x", "revision": "1"}, "NOT_FOUND: ")
	})
}

func mustNumber(s string) doc.Value {
	v, _ := doc.NewNumber(s)
	return v
}

// What is incomplete is saved in a draft and reported; what no draft can have is not.
func TestIncompleteChangesAreReported(t *testing.T) {
	b := newBench(t, false)
	c := b.draft("Winter roast launch")
	data, _ := b.call("get_campaign", args{"id": c.ID})
	res, text := b.call("patch_campaign", args{"id": c.ID, "path": "basic_details.name", "remove": true, "revision": data.Get("revision").Text()})
	if res.Get("problems").At(0).Get("path").Text() != "basic_details.name" || !strings.Contains(text, "Saved, but not valid yet:") {
		t.Errorf("removing the name returned %s: %s", res.Encode(), text)
	}
	const subject = "campaign_content.content.email.subject"
	b.byHand(c.ID, subject, "TODO: subject")
	v, said := b.call("validate_campaign", args{"id": c.ID})
	if v.Get("valid").True() || !strings.Contains(said, "basic_details.name") {
		t.Errorf("validate_campaign returned %s: %s", v.Encode(), said)
	}
	if w := v.Get("warnings").At(0); w.Get("check").Text() != "text-placeholder" || w.Get("path").Text() != subject || !strings.Contains(said, w.Get("message").Text()) {
		t.Errorf("validate_campaign warned of %s: %s", w.Encode(), said)
	}
}

// Nothing but a draft is changed, also when it is published between the moment that it is read and the moment that it is
// written.
func TestOnlyDraftsAreChanged(t *testing.T) {
	benches(t, func(b *bench) {
		c := b.draft("Winter roast launch")
		data, _ := b.call("get_campaign", args{"id": c.ID})
		publish := func() {
			if _, err := b.svc.Publish(context.WithoutCancel(b.Context()), engine.PublishRequest{ID: c.ID, By: "ann@example.com", Console: true}); err != nil {
				b.Error(err)
			}
		}
		b.mu.Lock()
		b.meddle = publish
		b.mu.Unlock()
		rename := args{"id": c.ID, "path": "basic_details.name", "value": "Changed", "revision": data.Get("revision").Text()}
		b.refused("patch_campaign", rename, "BAD_REQUEST: the campaign is ", "only drafts can be changed")
		now := b.campaign(c.ID)
		if now.Status == catalog.Draft || string(now.Body.Encode()) != string(c.Body.Encode()) {
			b.Errorf("the campaign is %s: %s", now.Status, now.Body.Encode())
		}
		b.refused("patch_campaign", rename, "only drafts can be changed")
		b.refused("replace_text", args{"id": c.ID, "path": "basic_details.name", "find": "Winter", "replace": "Summer"}, "only drafts can be changed")
		b.refused("send_test", args{"id": c.ID, "to": []string{"ann@example.com"}}, "only test drafts")
	}, "ann@example.com")
}

// Changes of others are kept: those of other fields beside the assistant's, those of the same field instead of it.
func TestNobodysChangeIsOverwritten(t *testing.T) {
	benches(t, func(b *bench) {
		c := b.draft("Winter roast launch")
		data, _ := b.call("get_campaign", args{"id": c.ID})
		revision := data.Get("revision").Text()
		b.mu.Lock()
		b.meddle = func() { b.byHand(c.ID, "basic_details.team", "Brand") } // of the same component
		b.mu.Unlock()
		_, text, failed := b.try("patch_campaign", args{"id": c.ID, "path": "basic_details.name", "value": "Renamed", "revision": revision})
		now := b.campaign(c.ID).Body.Get("basic_details")
		if now.Get("team").Text() != "Brand" {
			b.Errorf("the change of a person is gone: %s", now.Encode())
		}
		// A service that keeps its history to itself cannot tell what has changed since.
		if failed != b.remote || (now.Get("name").Text() == "Renamed") == b.remote {
			b.Errorf("patch_campaign said %q, and the draft is %s", text, now.Encode())
		}
		data, _ = b.call("get_campaign", args{"id": c.ID})
		b.byHand(c.ID, "basic_details.name", "By hand")
		b.refused("patch_campaign", args{"id": c.ID, "path": "basic_details.name", "value": "Mine", "revision": data.Get("revision").Text()}, "BAD_REQUEST: the draft has changed since revision")
		b.refused("replace_text", args{"id": c.ID, "path": "basic_details.name", "find": "By", "replace": "x", "revision": data.Get("revision").Text()}, "has changed since revision")

		b.mu.Lock()
		b.meddle = func() { b.byHand(c.ID, "basic_details.name", "By hand, twice") }
		b.mu.Unlock()
		b.call("replace_text", args{"id": c.ID, "path": "basic_details.name", "find": "hand", "replace": "machine"})
		if got := engine.CampaignName(b.campaign(c.ID).Body); got != "By machine, twice" {
			b.Errorf("the name is %q", got)
		}
	})
}

// Calls that come at once do not undo each other.
func TestCallsAtOnce(t *testing.T) {
	b := newBench(t, false)
	c := b.draft("Winter roast launch")
	data, _ := b.call("get_campaign", args{"id": c.ID})
	changes := map[string]string{"basic_details.name": "A", "basic_details.team": "B", "campaign_content.content.email.subject": "C"}
	if !c.Body.Lookup(doc.P("campaign_content", "content", "email")).Exists() {
		delete(changes, "campaign_content.content.email.subject")
	}
	var all sync.WaitGroup
	for path, value := range changes {
		all.Go(func() {
			b.call("patch_campaign", args{"id": c.ID, "path": path, "value": value, "revision": data.Get("revision").Text()})
		})
	}
	all.Wait()
	body := b.campaign(c.ID).Body
	for path, want := range changes {
		at, _ := doc.ParsePath(path)
		if got := body.Lookup(at).Text(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func TestReplaceText(t *testing.T) {
	benches(t, func(b *bench) {
		c := b.draft("Winter roast launch")
		b.byHand(c.ID, "basic_details.name", "aaa, Ärger & <b>")
		replace := func(find, with string, all bool) args {
			return args{"id": c.ID, "path": "basic_details.name", "find": find, "replace": with, "all": all}
		}
		b.refused("replace_text", replace("bbb", "x", false), "BAD_REQUEST: the text to find is not in basic_details.name")
		b.refused("replace_text", replace("aa", "x", false), "is in basic_details.name 2 times")
		b.refused("replace_text", replace("", "x", false), "find: ")
		b.refused("replace_text", args{"id": c.ID, "path": "basic_details", "find": "a", "replace": "b"}, "is no text, but object")
		data, text := b.call("replace_text", replace("a", "e", true))
		if n, _ := data.Get("matches").Int(); n != 3 || !strings.HasPrefix(text, "Found in 3 places. Replaced text in basic_details.name. Revision ") {
			b.Errorf("replace_text returned %s: %s", data.Encode(), text)
		}
		b.call("replace_text", replace(" & <b>", "", false))
		if got := engine.CampaignName(b.campaign(c.ID).Body); got != "eee, Ärger" {
			b.Errorf("the name is %q", got)
		}
		if data, _ = b.call("replace_text", replace("Ärger", "Ärger", false)); data.Get("changed").True() {
			b.Errorf("the same text returned %s", data.Encode())
		}
	})
}

// A campaign of the sample that an assistant reads and creates again is the same.
func TestSampleRoundTrip(t *testing.T) {
	benches(t, func(b *bench) {
		rows, err := b.svc.List(b.Context(), engine.ListQuery{Archived: true})
		if err != nil {
			b.Fatal(err)
		}
		made := 0
		for _, row := range rows {
			if !row.Channel.Writable() || !slices.ContainsFunc(catalog.DeliveryTypes(row.Channel), func(o catalog.DeliveryTypeInfo) bool { return o.Type == row.DeliveryType && o.Offered }) {
				continue
			}
			_, text := b.call("get_campaign", args{"id": row.ID})
			_, record, _ := strings.Cut(text, "\n")
			read, err := doc.Parse([]byte(record))
			if err != nil {
				b.Fatal(err)
			}
			body := engine.ParseRecord(read).Body
			data, text, failed := b.try("create_draft", args{"channel": row.Channel, "campaign_delivery_type": row.DeliveryType, "components": json.RawMessage(body.Encode())})
			if failed && row.Status == catalog.Draft && strings.HasPrefix(text, "VALIDATION_FAILED: ") {
				continue // the sample has unfinished drafts, which the API does not create
			}
			if failed {
				b.Fatalf("%s: %s", row.Name, text)
			}
			if changes := doc.Diff(b.campaign(row.ID).Body, b.campaign(data.Get("id").Text()).Body); len(changes) > 0 {
				b.Errorf("%s came back with %s: %s instead of %s", row.Name, changes[0].Path, changes[0].After.Encode(), changes[0].Before.Encode())
			}
			made++
		}
		if made < 20 {
			b.Errorf("only %d campaigns were created again", made)
		}
	})
}

// MJML is compiled by every tool that writes, and is what the tools read and edit.
func TestMJML(t *testing.T) {
	bin := t.TempDir()
	const stub = "#!/bin/sh\necho '<!-- FILE: undefined -->'; sed 's/<[^>]*>/|/g' | tee out; grep -q wrong out && echo \"Line 2 of $PWD (mj-x) — Attribute y is illegal\" >&2; exit 0\n"
	if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	const at = "campaign_content.content.email.html_content"
	benches(t, func(b *bench) {
		mail := func(html string) args {
			return args{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "name": "Mail", "components": args{
				"connector":        args{"connector_type": "CUSTOM_SMTP", "connector_name": "Main SMTP"},
				"campaign_content": args{"content": args{"email": args{"html_content": html}}}}}
		}
		b.refused("create_draft", mail("<mjml>\nwrong</mjml>"), "the MJML has 1 problem, and nothing was saved", "line 2: mj-x: Attribute y is illegal")
		made, _ := b.call("create_draft", mail("<mjml>\nHi</mjml>"))
		id := made.Get("id").Text()
		html := func() string {
			p, err := doc.ParsePath(at)
			if err != nil {
				b.Fatal(err)
			}
			return b.campaign(id).Body.Lookup(p).Text()
		}
		if got := html(); !strings.HasPrefix(got, "|\nHi|\n<!-- bugle:mjml:1 ") {
			b.Errorf("the body is %q", got)
		}
		read, _ := b.call("get_campaign", args{"id": id})
		if got := read.Get("campaign").Get("campaign_content").Get("content").Get("email").Get("html_content").Text(); got != "<mjml>\nHi</mjml>" {
			b.Errorf("it is read as %q", got)
		}
		revision := func() string { data, _ := b.call("get_campaign", args{"id": id}); return data.Get("revision").Text() }
		if data, _ := b.call("patch_campaign", args{"id": id, "path": at, "revision": revision(), "value": "<mjml>\nHi</mjml>"}); data.Get("changed").True() {
			b.Error("the same MJML is a change")
		}
		b.refused("patch_campaign", args{"id": id, "path": at, "revision": revision(), "value": "<mjml>\nwrong</mjml>"}, "line 2: mj-x: Attribute y is illegal")
		b.call("replace_text", args{"id": id, "path": at, "find": "<mjml>\nHi", "replace": "<mjml>\nHello"})
		if got := html(); !strings.HasPrefix(got, "|\nHello|\n<!-- bugle:mjml:1 ") {
			b.Errorf("the body is %q", got)
		}
		b.refused("replace_text", args{"id": id, "path": at, "find": "|", "replace": "x"}, "the text to find is not in")
		if err := os.Rename(filepath.Join(bin, "mjml"), filepath.Join(bin, "gone")); err != nil {
			b.Fatal(err)
		}
		defer func() { _ = os.Rename(filepath.Join(bin, "gone"), filepath.Join(bin, "mjml")) }()
		if _, err := exec.LookPath("mjml"); err != nil {
			b.refused("replace_text", args{"id": id, "path": at, "find": "Hello", "replace": "x"}, "install it with `npm install -g mjml`")
		}
	})
}

func TestCreateDraft(t *testing.T) {
	benches(t, func(b *bench) {
		const key = "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"
		a := args{
			"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "name": "Flash sale", "idempotency_key": key,
			"components": args{"basic_details": args{"platforms": []string{"ANDROID"}}, "created_by": "eve@example.com"},
		}
		data, _ := b.call("create_draft", a)
		c := b.campaign(data.Get("id").Text())
		if c.Status != catalog.Draft || c.CreatedBy != author || engine.CampaignName(c.Body) != "Flash sale" || data.Get("replayed").True() {
			b.Errorf("created %+v: %s", c.Head, data.Encode())
		}
		again, text := b.call("create_draft", a)
		if again.Get("id").Text() != c.ID || !again.Get("replayed").True() || !strings.Contains(text, "by an earlier call") {
			b.Errorf("a repeat returned %s: %s", again.Encode(), text)
		}
		delete(a, "idempotency_key")
		if other, _ := b.call("create_draft", a); other.Get("id").Text() == c.ID {
			b.Error("a call without a key is a repeat")
		}
		b.refused("create_draft", args{"channel": "SMS", "campaign_delivery_type": "ONE_TIME"}, "VALIDATION_FAILED: ", "choose PUSH or EMAIL")
		b.refused("create_draft", args{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "components": args{"basic_details": args{"naem": "x"}}}, "VALIDATION_FAILED: ", "naem")
		b.refused("create_draft", args{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "components": args{"status": "ACTIVE", "nonsense": 1}}, "VALIDATION_FAILED: ", "nonsense")
		b.refused("create_draft", args{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "idempotency_key": "key"}, "idempotency_key: must be")
	})
}

// The list is searched in its query language, in pages.
func TestSearch(t *testing.T) {
	benches(t, func(b *bench) {
		first, text := b.call("search_campaigns", args{"query": "status:draft sort:name", "limit": 2})
		second, _ := b.call("search_campaigns", args{"query": "status:draft sort:name", "limit": 2, "page": 2})
		total, _ := first.Get("total").Int()
		if !first.Get("more").True() || first.Get("campaigns").Len() != 2 || total < 4 || !strings.Contains(text, "ask for page 2") {
			b.Errorf("the first page is %s: %s", first.Encode(), text)
		}
		var names []string
		for _, page := range []doc.Value{first, second} {
			for _, c := range page.Get("campaigns").Elems() {
				if c.Get("status").Text() != "DRAFT" || c.Get("basic_details").Exists() {
					b.Errorf("found %s", c.Encode())
				}
				names = append(names, strings.ToLower(c.Get("name").Text()))
			}
		}
		if !slices.IsSorted(names) {
			b.Errorf("the names are %q", names)
		}
		if none, _ := b.call("search_campaigns", args{"query": "zzzz", "page": 1000000}); none.Get("campaigns").Len() != 0 || none.Get("more").True() {
			b.Errorf("nothing is %s", none.Encode())
		}
		if all, _ := b.call("search_campaigns", nil); all.Get("campaigns").Len() < 10 {
			b.Errorf("all are %s", all.Encode())
		}
		b.refused("search_campaigns", args{"query": "stats:draft"}, `cannot read the query: unknown filter "stats"`)
		b.refused("search_campaigns", args{"limit": 1000}, "limit: ")
	})
}

func TestDescribeField(t *testing.T) {
	b := newBench(t, false)
	field := func(a args) doc.Value {
		b.Helper()
		data, _ := b.call("describe_field", a)
		return data.Get("fields").At(0)
	}
	for _, path := range []string{"campaign_content.content.push.android.template_type", "campaign_content.content.default.variation_1.push.android.template_type"} {
		f := field(args{"path": path})
		n := catalog.Campaign(catalog.Push).At(doc.P("campaign_content", "content", "push", "android", "template_type"))
		if f.Get("type").Text() != "string" || f.Get("allowed_values").Len() != len(n.Options) || f.Get("tables").At(0).Text() != "campaign push" {
			t.Errorf("%s is %s", path, f.Encode())
		}
	}
	if f := field(args{"path": "connector.connector_name"}); f.Get("workspace_values").Len() == 0 || f.Get("tables").Len() != 2 {
		t.Errorf("connector_name is %s", f.Encode())
	}
	if f := field(nil); f.Get("fields").Len() < 10 {
		t.Errorf("a campaign is %s", f.Encode())
	}
	for _, path := range []string{"campaign_content.content.push.android.buttons", "campaign_content.content.push.android.buttons[]", "campaign_content.content.push.android.buttons[3]"} {
		if f := field(args{"path": path}); f.Get("fields").Len() < 3 {
			t.Errorf("%s is %s", path, f.Encode())
		}
	}
	if f := field(args{"table": "test meta email", "path": "identifier"}); f.Get("allowed_values").Len() == 0 {
		t.Errorf("identifier is %s", f.Encode())
	}
	b.refused("describe_field", args{"path": "nope.nothing"}, "NOT_FOUND: no field")
	b.refused("describe_field", args{"table": "nope"}, "table: ")
}

func TestPreviewMessage(t *testing.T) {
	benches(t, func(b *bench) {
		c := b.draft("Winter roast launch")
		users, err := b.svc.Users(b.Context(), "", 1)
		if err != nil {
			b.Fatal(err)
		}
		data, text := b.call("preview_message", args{"id": c.ID, "user": users[0].ID})
		if data.Get("campaign_content").Len() == 0 || strings.Contains(text, "UserAttribute") && data.Get("unresolved").Len() == 0 {
			b.Errorf("the preview is %s: %s", data.Encode(), text)
		}
		if !b.remote { // others do not say that they have no such user
			b.refused("preview_message", args{"id": c.ID, "user": "NOBODY"}, "NOT_FOUND: no user")
		}
	})
}

// A test is sent to those that the user allows, and reaches nobody else.
func TestSendTest(t *testing.T) {
	b := newBench(t, false)
	mail := b.draft("Winter roast launch")
	b.refused("send_test", args{"id": mail.ID, "to": []string{"ann@example.com"}}, "FORBIDDEN: tests may not be sent to ann@example.com; ask the user")

	benches(t, func(b *bench) {
		mail := b.draft("Winter roast launch")
		send := args{"id": mail.ID, "to": []string{"Ann@example.com"}, "idempotency_key": "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}
		sent := func() int {
			out, err := b.svc.Outbox(b.Context(), 0)
			if err != nil {
				b.Fatal(err)
			}
			return len(out)
		}
		before := sent()
		data, text := b.call("send_test", send)
		made := sent() - before
		if !data.Get("sent").True() || data.Get("data").Len() == 0 || made == 0 {
			b.Errorf("send_test returned %s: %s", data.Encode(), text)
		}
		b.call("send_test", send)
		if sent() != before+made {
			b.Error("a repeat with the same key was sent again")
		}
		delete(send, "idempotency_key")
		before = sent()
		for _, tt := range []struct {
			change args
			want   string
		}{
			{args{"to": []string{"ann@example.com", "eve@example.com"}}, "may not be sent to eve@example.com"},
			{args{"to": []string{"USER_9"}, "identifier": "ID"}, "may not be sent to USER_9"},
			{args{"to": []string{"VIP"}, "identifier": "CUSTOM_SEGMENT"}, "identifier: "},
			{args{"to": []string{}}, "to: "},
			// Only ASCII letters have two cases, and only in addresses.
			{args{"to": []string{"\u212aiss@example.com"}}, "may not be sent to \u212aiss@example.com"},
			{args{"to": []string{"kis\u017f@example.com"}}, "may not be sent to kis\u017f@example.com"},
			{args{"to": []string{"KISS@example.com"}, "identifier": "ID"}, "may not be sent to KISS@example.com"},
		} {
			tt.change["id"] = mail.ID
			b.refused("send_test", tt.change, tt.want)
		}
		keys := engine.TestKeys(mail.Channel, mail.Document(), engine.KeyFilter{})
		at := keys[len(keys)-1].Content
		copied, err := mail.Body.Set(at.Child(catalog.EmailBcc), doc.NewStrings("eve@example.com"))
		if err != nil {
			b.Fatal(err)
		}
		head, err := b.svc.Save(b.Context(), engine.SaveRequest{ID: mail.ID, Revision: mail.Revision, Body: copied})
		if err != nil {
			b.Fatal(err)
		}
		if b.remote { // who may send to those in Bcc as well
			b.refused("send_test", send, "FORBIDDEN: tests may not be sent to eve@example.com")
		} else {
			b.call("send_test", send)
			before = sent()
			if out, err := b.svc.Outbox(b.Context(), 1); err != nil || len(out[0].Email.Bcc) > 0 {
				b.Errorf("a copy was sent: %+v, %v", out, err)
			}
			b.refused("send_test", args{"id": mail.ID, "to": []string{"ann@example.com"}, "copies": true}, "copies")
		}
		other, err := mail.Body.Set(doc.P("basic_details", "user_attribute_identifier"), doc.NewString("Manager"))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := b.svc.Save(b.Context(), engine.SaveRequest{ID: mail.ID, Revision: head.Revision, Body: other}); err != nil {
			b.Fatal(err)
		}
		b.refused("send_test", args{"id": mail.ID, "to": []string{"USER_1"}, "identifier": "ID"}, "FORBIDDEN: this draft is not sent to the users' email addresses")
		if sent() != before {
			b.Error("a refused test was sent")
		}
	}, "ann@example.com", "kiss@example.com", "USER_1", "VIP")
}

// What may have been delivered is told as unknown, and not sent again without the user.
func TestUnknownTest(t *testing.T) {
	benches(t, func(b *bench) {
		if err := b.svc.UpdateWorkspace(b.Context(), func(w *engine.Workspace) error {
			for i := range w.Connectors {
				w.Connectors[i].Provider, w.Connectors[i].SMTP = engine.ProviderSMTP, &engine.SMTP{Host: "mx.example.com", Port: 25}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		mail := b.draft("Winter roast launch")
		send := args{"id": mail.ID, "to": []string{"ann@example.com"}}
		data, text := b.call("send_test", send)
		if !strings.Contains(text, "unknown: ann@example.com: ") || !strings.Contains(string(data.Encode()), `"unknown":["ann@example.com"]`) || data.Get("sent").True() {
			b.Errorf("send_test returned %s: %s", data.Encode(), text)
		}
		if b.remote {
			return // the service has no history to look into
		}
		b.refused("send_test", send, "ann@example.com may have got this message already")
		send["again"] = true
		b.call("send_test", send)
	}, "ann@example.com")
}

func TestResource(t *testing.T) {
	b := newBench(t, false)
	c := b.draft("Winter roast launch")
	res, err := b.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "campaign://" + c.ID})
	if err != nil || res.Contents[0].Text != string(c.Record().Encode()) {
		t.Errorf("the resource is %+v (%v)", res, err)
	}
	reads := 0
	b.meddle = func() { reads++ }
	for _, id := range []string{"nothing", "..", "..%2Fmeta", "%2e%2e", c.ID + "%3Fx=1", c.ID + "%00", c.ID + "x", "%0a"} {
		if _, err := b.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "campaign://" + id}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("the resource %q: %v", id, err)
		}
	}
	if b.meddle == nil || reads > 0 {
		t.Error("the service was asked for what is no id")
	}
}
