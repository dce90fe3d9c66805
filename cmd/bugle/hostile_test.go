package main

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/activity"
)

// poison is a name meant to control the terminal of anyone who reads it: colors, the window title, a link, the
// clipboard, a terminal query, all in both spellings, cursor keys, and characters that reverse or hide text.
const poison = "\x1b[9;5;7m\x1b]0;OWNED\x07\x1b]8;;https://evil.example/\x1b\\\x1b]52;c;T1dORUQ=\x07\x1bP+q544e\x1b\\\x1b[c\x1b[2J\x1bc" +
	"\u009b2J\u009d0;OWNED\u009c\u0090q\u009c\r\b\x7f\x00\x0e\v\f\u0085\u202e\u2066\u200f\u061c\u200b\u2060\u2063\ufeff\u00ad\u2028" +
	"\U0001F3F4\U000E0069\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065\U000E0061\U000E006C\U000E006C\U000E007F\U000E0041\U000E0001\ufff9\ufffb\u034f\u3164"

// ownStyle is what the program itself writes: how text looks.
var ownStyle = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// ruling returns the first control character of a frame or of a command's output, or false if there is none.
func ruling(out string) (string, bool) {
	plain := ownStyle.ReplaceAllStringFunc(out, func(s string) string {
		if strings.Contains(s, "9;5;7") {
			return s
		}
		return ""
	})
	for i, r := range plain {
		switch {
		case r == '\n', r == '\u200c', r == '\u200d': // the joiners of scripts and of emoji draw something
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point):
			return plain[max(0, i-40):min(len(plain), i+40)], true
		}
	}
	return "", false
}

// foul adds the poison to every string in v, a pointer. It changes strings of named types, such as states, only if all
// is set; otherwise more of the related data would be hidden.
func foul(v any, all bool) { alter(reflect.ValueOf(v), all, spoiled) }

// purge takes it out again.
func purge(v any) {
	alter(reflect.ValueOf(v), true, func(s string) string { return strings.ReplaceAll(s, poison, "") })
}

func spoiled(s string) string {
	if s == "" || strings.Contains(s, poison) {
		return s
	}
	half := len([]rune(s)) / 2
	return string([]rune(s)[:half]) + poison + string([]rune(s)[half:])
}

func alter(v reflect.Value, all bool, to func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			alter(v.Elem(), all, to)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			held := reflect.New(v.Elem().Type()).Elem()
			held.Set(v.Elem())
			alter(held, all, to)
			v.Set(held)
		}
	case reflect.Struct:
		if d, ok := v.Interface().(doc.Value); ok {
			v.Set(reflect.ValueOf(changed(d, all, to)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				alter(v.Field(i), all, to)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if d, err := doc.Parse(v.Bytes()); err == nil && d.Exists() {
				v.SetBytes(changed(d, all, to).Encode())
			}
			return
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			alter(v.Index(i), all, to)
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		out := reflect.MakeMap(v.Type())
		for k, e := range v.Seq2() {
			key, elem := reflect.New(k.Type()).Elem(), reflect.New(e.Type()).Elem()
			key.Set(k)
			elem.Set(e)
			alter(key, all, to)
			alter(elem, all, to)
			out.SetMapIndex(key, elem)
		}
		v.Set(out)
	case reflect.String:
		if all || v.Type() == reflect.TypeFor[string]() {
			v.SetString(to(v.String()))
		}
	}
}

// optionLike is what the options of the specification look like, and the names of its members.
var optionLike = regexp.MustCompile(`^[A-Z_]+$|^[a-z_]+$`)

func changed(v doc.Value, all bool, to func(string) string) doc.Value {
	switch v.Kind() {
	case doc.String:
		if all || !optionLike.MatchString(v.Text()) {
			return doc.NewString(to(v.Text()))
		}
	case doc.Array:
		var es []doc.Value
		for _, e := range v.Elems() {
			es = append(es, changed(e, all, to))
		}
		return doc.NewArray(es...)
	case doc.Object:
		var ms []doc.Member
		for name, m := range v.Members() {
			if all {
				name = to(name)
			}
			ms = append(ms, doc.M(name, changed(m, all, to)))
		}
		if !all && len(ms) > 0 {
			ms = append(ms, doc.M(to("unknown"), doc.NewString(to("member"))))
		}
		return doc.NewObject(ms...)
	}
	return v
}

// hostileService is a service all of whose answers are poisoned. What it is asked it understands all the same.
type hostileService struct {
	activity.Service
	all   bool // typed texts, too
	fails bool // nothing works, and the errors are poisoned
}

var errMean = engine.Errorf(engine.BadRequest, http.StatusConflict, "%s", spoiled("no: this cannot be done"))

func (m hostileService) refuse() error {
	if !m.fails {
		return nil
	}
	e := *errMean
	e.Target, e.RequestID = spoiled("basic_details.name"), spoiled("r-1")
	e.Details = []engine.Detail{{Target: spoiled("basic_details.name"), Message: spoiled("it is wrong")}}
	e.Err = errors.New(spoiled("the cause"))
	return &e
}

// answer calls the service, and adds the poison to its response.
func answer[In, Out any](m hostileService, in In, call func(In) (Out, error)) (Out, error) {
	var none Out
	if err := m.refuse(); err != nil {
		return none, err
	}
	purge(&in)
	out, err := call(in)
	foul(&out, m.all)
	if e := engine.AsError(err); e != nil {
		said := *e
		said.Message, said.Details = spoiled(e.Message), nil
		err = &said
	}
	return out, err
}

type two[A, B any] struct {
	A A
	B B
}

func do[In any](m hostileService, in In, call func(In) error) error {
	_, err := answer(m, in, func(in In) (struct{}, error) { return struct{}{}, call(in) })
	return err
}

func (m hostileService) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	return answer(m, r, func(r engine.CreateRequest) (engine.Created, error) { return m.Service.Create(ctx, r) })
}

func (m hostileService) Get(ctx context.Context, id string) (engine.Campaign, error) {
	return answer(m, id, func(id string) (engine.Campaign, error) { return m.Service.Get(ctx, id) })
}

func (m hostileService) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	return answer(m, r, func(r engine.UpdateRequest) (engine.Updated, error) { return m.Service.Update(ctx, r) })
}

func (m hostileService) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	return answer(m, r, func(r engine.PublishRequest) (engine.Updated, error) { return m.Service.Publish(ctx, r) })
}

func (m hostileService) Validate(ctx context.Context, id string) (engine.Validation, error) {
	return answer(m, id, func(id string) (engine.Validation, error) { return m.Service.Validate(ctx, id) })
}

func (m hostileService) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	return answer(m, r, func(r engine.StatusRequest) (engine.StatusChanged, error) { return m.Service.ChangeStatus(ctx, r) })
}

func (m hostileService) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	return answer(m, r, func(r engine.SearchRequest) ([]engine.Campaign, error) { return m.Service.Search(ctx, r) })
}

func (m hostileService) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	return answer(m, r, func(r engine.MetaRequest) ([]engine.Meta, error) { return m.Service.Meta(ctx, r) })
}

func (m hostileService) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	tell := r.Progress
	r.Progress = nil
	return answer(m, r, func(r engine.TestRequest) (engine.TestResult, error) {
		if tell != nil {
			r.Progress = func(p engine.TestProgress) { foul(&p, m.all); tell(p) }
		}
		return m.Service.Test(ctx, r)
	})
}

func (m hostileService) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	return answer(m, r, func(r engine.PreviewRequest) (engine.Preview, error) { return m.Service.Preview(ctx, r) })
}

func (m hostileService) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	return answer(m, q, func(q engine.ListQuery) ([]engine.Summary, error) { return m.Service.List(ctx, q) })
}

func (m hostileService) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	return answer(m, r, func(r engine.SaveRequest) (engine.Head, error) { return m.Service.Save(ctx, r) })
}

func (m hostileService) PutWorkingCopy(ctx context.Context, id string, w engine.WorkingCopy) error {
	return do(m, two[string, engine.WorkingCopy]{id, w}, func(in two[string, engine.WorkingCopy]) error { return m.Service.PutWorkingCopy(ctx, in.A, in.B) })
}

func (m hostileService) WorkingCopy(ctx context.Context, id string) (engine.WorkingCopy, bool, error) {
	out, err := answer(m, id, func(id string) (two[engine.WorkingCopy, bool], error) {
		w, ok, err := m.Service.WorkingCopy(ctx, id)
		return two[engine.WorkingCopy, bool]{w, ok}, err
	})
	return out.A, out.B, err
}

func (m hostileService) DeleteWorkingCopy(ctx context.Context, id string) error {
	return do(m, id, func(id string) error { return m.Service.DeleteWorkingCopy(ctx, id) })
}

func (m hostileService) Revisions(ctx context.Context, id string) ([]engine.Revision, error) {
	return answer(m, id, func(id string) ([]engine.Revision, error) { return m.Service.Revisions(ctx, id) })
}

func (m hostileService) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	return answer(m, id, func(id string) (engine.Campaign, error) { return m.Service.Revision(ctx, id, n) })
}

func (m hostileService) Archive(ctx context.Context, id, by string) error {
	return do(m, id, func(id string) error { return m.Service.Archive(ctx, id, by) })
}

func (m hostileService) Restore(ctx context.Context, id, by string) error {
	return do(m, id, func(id string) error { return m.Service.Restore(ctx, id, by) })
}

func (m hostileService) Delete(ctx context.Context, id string) error {
	return do(m, id, func(id string) error { return m.Service.Delete(ctx, id) })
}

func (m hostileService) Clone(ctx context.Context, id, by string) (engine.Created, error) {
	return answer(m, id, func(id string) (engine.Created, error) { return m.Service.Clone(ctx, id, by) })
}

func (m hostileService) Outbox(ctx context.Context, limit int) ([]engine.OutboxMessage, error) {
	return answer(m, limit, func(limit int) ([]engine.OutboxMessage, error) { return m.Service.Outbox(ctx, limit) })
}

func (m hostileService) ClearOutbox(ctx context.Context) error {
	return do(m, 0, func(int) error { return m.Service.ClearOutbox(ctx) })
}

func (m hostileService) Workspace(ctx context.Context) (engine.Workspace, error) {
	return answer(m, 0, func(int) (engine.Workspace, error) { return m.Service.Workspace(ctx) })
}

func (m hostileService) UpdateWorkspace(ctx context.Context, edit func(*engine.Workspace) error) error {
	return do(m, 0, func(int) error {
		return m.Service.UpdateWorkspace(ctx, func(w *engine.Workspace) error {
			foul(w, m.all)
			err := edit(w)
			purge(w)
			return err
		})
	})
}

func (m hostileService) Users(ctx context.Context, text string, limit int) ([]engine.User, error) {
	return answer(m, text, func(text string) ([]engine.User, error) { return m.Service.Users(ctx, text, limit) })
}

func (m hostileService) User(ctx context.Context, id string) (engine.User, error) {
	return answer(m, id, func(id string) (engine.User, error) { return m.Service.User(ctx, id) })
}

func (m hostileService) PutUser(ctx context.Context, p engine.User) error {
	return do(m, p, func(p engine.User) error { return m.Service.PutUser(ctx, p) })
}

func (m hostileService) DeleteUser(ctx context.Context, id string) error {
	return do(m, id, func(id string) error { return m.Service.DeleteUser(ctx, id) })
}

func (m hostileService) ImportUsers(ctx context.Context, r engine.UserImport) (engine.UserImportResult, error) {
	return answer(m, r, func(r engine.UserImport) (engine.UserImportResult, error) { return m.Service.ImportUsers(ctx, r) })
}

func (m hostileService) EstimateAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceCount, error) {
	return answer(m, r, func(r engine.AudienceRequest) (engine.AudienceCount, error) {
		return m.Service.EstimateAudience(ctx, r)
	})
}

func (m hostileService) AudienceMembers(ctx context.Context, r engine.AudienceRequest) ([]engine.User, error) {
	return answer(m, r, func(r engine.AudienceRequest) ([]engine.User, error) { return m.Service.AudienceMembers(ctx, r) })
}

func (m hostileService) ExplainAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	return answer(m, r, func(r engine.AudienceRequest) (engine.AudienceResult, error) {
		return m.Service.ExplainAudience(ctx, r)
	})
}

func (m hostileService) Tests(ctx context.Context, id string, limit int) ([]engine.TestRecord, error) {
	return answer(m, id, func(id string) ([]engine.TestRecord, error) { return m.Service.Tests(ctx, id, limit) })
}

func (m hostileService) Recipients(ctx context.Context, channel engine.Channel, identifier string, limit int) ([]string, error) {
	return answer(m, two[engine.Channel, string]{channel, identifier}, func(in two[engine.Channel, string]) ([]string, error) {
		return m.Service.Recipients(ctx, in.A, in.B, limit)
	})
}

func (m hostileService) Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	return answer(m, kind, func(kind engine.ContentKind) ([]engine.ContentItem, error) { return m.Service.Content(ctx, kind) })
}

func (m hostileService) ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	return answer(m, ref, func(ref engine.ContentRef) (engine.ContentItem, error) { return m.Service.ContentItem(ctx, ref) })
}

func (m hostileService) PutContent(ctx context.Context, item engine.ContentItem) (engine.ContentRef, error) {
	return answer(m, item, func(item engine.ContentItem) (engine.ContentRef, error) { return m.Service.PutContent(ctx, item) })
}

func (m hostileService) DeleteContent(ctx context.Context, ref engine.ContentRef) error {
	return do(m, ref, func(ref engine.ContentRef) error { return m.Service.DeleteContent(ctx, ref) })
}

func (m hostileService) ContentUses(ctx context.Context, ref engine.ContentRef) ([]engine.ContentUse, error) {
	return answer(m, ref, func(ref engine.ContentRef) ([]engine.ContentUse, error) { return m.Service.ContentUses(ctx, ref) })
}

// TryContentAPI asks nobody: a test needs no network.
func (m hostileService) TryContentAPI(_ context.Context, name string, _ []any) (engine.ContentTrial, error) {
	return answer(m, name, func(name string) (engine.ContentTrial, error) {
		return engine.ContentTrial{Call: engine.ContentCall{
			API: name, Method: "GET", URL: "https://api.example.com/x", Status: 200, RequestHeader: http.Header{"Accept": {"text/plain"}},
			ResponseHeader: http.Header{"Server": {"a server"}}, Response: []byte(`{"a":"text"}`), Err: "it responded 500",
		}}, nil
	})
}

// mean is all that the program's own service is.
var _ activity.Service = hostileService{}

// What the tests look for is found.
func TestRuling(t *testing.T) {
	for _, s := range []string{poison, "\x1b[2J", "\x1b[9;5;7mx", "a\u009bb", "a\u202eb", "a\u200bb", "a\rb", "\x1b]0;x\x07", "a\ufeffb", "a\U000E0041b", "\U0001F3F4\U000E0041", "a\u3164b"} {
		if _, found := ruling("x" + s + "y"); !found {
			t.Errorf("%q was not found", s)
		}
	}
	if at, found := ruling("\x1b[1;38;2;1;2;3mplain\x1b[0m\nè 👩\u200d👧"); found {
		t.Errorf("found %q", at)
	}
}
