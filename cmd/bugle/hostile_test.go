package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/mem"
	"bugle/ui/uitest"
)

// poison is a name meant to control the terminal of anyone who reads it: colors, the window title, a link, the
// clipboard, a terminal query, all in both spellings, cursor keys, and characters that reverse or hide text.
const poison = "\x1b[9;5;7m\x1b]0;OWNED\x07\x1b]8;;https://evil.example/\x1b\\\x1b]52;c;T1dORUQ=\x07\x1bP+q544e\x1b\\\x1b[c\x1b[2J\x1bc" +
	"\u009b2J\u009d0;OWNED\u009c\u0090q\u009c\r\b\x7f\x0e\v\f\u0085\u202e\u2066\u200f\u061c\u200b\u2060\u2063\ufeff\u00ad\u2028" +
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

func spoiled(s string) string {
	if s == "" || strings.Contains(s, poison) {
		return s
	}
	half := len([]rune(s)) / 2
	return string([]rune(s)[:half]) + poison + string([]rune(s)[half:])
}

// foul adds the poison to every text of a record.
func foul[T any](record *T) error {
	b, err := json.Marshal(record)
	if err != nil {
		return err
	}
	v, err := doc.Parse(b)
	if err != nil {
		return err
	}
	return json.Unmarshal(changed(v, false).Encode(), record)
}

// optionLike is what the options of the specification look like, and timeLike its times.
var (
	optionLike = regexp.MustCompile(`^[A-Z_]+$|^[a-z_]+$`)
	timeLike   = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

// changed adds the poison to the texts of a document, with all also to its options, and an unknown field to each object.
func changed(v doc.Value, all bool) doc.Value {
	switch v.Kind() {
	case doc.String:
		if !timeLike.MatchString(v.Text()) && (all || !optionLike.MatchString(v.Text())) {
			return doc.NewString(spoiled(v.Text()))
		}
	case doc.Array:
		var es []doc.Value
		for _, e := range v.Elems() {
			es = append(es, changed(e, all))
		}
		return doc.NewArray(es...)
	case doc.Object:
		ms := []doc.Member{doc.M(spoiled("unknown"), doc.NewString(spoiled("member")))}
		for name, m := range v.Members() {
			ms = append(ms, doc.M(name, changed(m, all)))
		}
		return doc.NewObject(ms...)
	}
	return v
}

// poisonAll adds the poison to the texts of everything in a workspace.
func poisonAll(t *testing.T, db store.DB, workspace string) {
	t.Helper()
	err := db.Write(t.Context(), func(tx store.Tx) error {
		w := tx.Workspace(workspace)
		settings, err := w.Settings()
		keys := slices.Clone(settings.Keys)
		settings.Flags = nil // its fields are no texts
		all := []error{err, foul(&settings)}
		settings.ID, settings.Timezone, settings.Keys = workspace, "Europe/Berlin", keys
		all = append(all, w.PutSettings(settings))
		var users []engine.User
		all = append(all, w.Profiles("", func(u engine.User) error {
			id := u.ID
			err := foul(&u)
			u.ID = id
			users = append(users, u)
			return err
		}))
		all = append(all, w.PutProfiles(users...))
		for _, kind := range store.ContentKinds() {
			var items []engine.ContentItem
			all = append(all, w.Content(kind, func(item engine.ContentItem) error {
				err := foul(&item)
				items = append(items, item)
				return err
			}))
			for _, item := range items {
				all = append(all, w.PutContent(item))
			}
		}
		var ids []string
		all = append(all, w.Summaries(func(s engine.Summary) error { ids = append(ids, s.ID); return nil }))
		for _, id := range ids {
			c, err := w.Campaign(id)
			c.Body, c.CreatedBy, c.UpdatedBy = changed(c.Body, false), spoiled(c.CreatedBy), spoiled(c.UpdatedBy)
			_, errPut := w.PutCampaign(c, engine.Summarize(c), engine.Revision{By: spoiled("ann@example.com"), Note: spoiled("a note")}, false)
			all = append(all, err, errPut)
		}
		return errors.Join(all...)
	})
	if err != nil {
		t.Fatalf("%.500s", err)
	}
}

// kinds are how services answer: with texts that are poisoned, with everything that is, also states, or only with poisoned errors.
var kinds = []string{"texts", "everything", "errors"}

// hostile returns the address of a service on the sample whose answers are poisoned. What it is asked it understands all the
// same.
func hostile(t *testing.T, kind string) (url string, rows []engine.Summary) {
	t.Helper()
	svc, _ := onMemory(t)
	rows, err := svc.List(t.Context(), engine.ListQuery{})
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v, %v", rows, err)
	}
	handler := api.New(letIn{svc}, api.Options{Unlimited: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "0\u009b2J")
		w.Header().Set("Server", "x\u009b2J\u202e")
		if kind == "errors" {
			w.WriteHeader(http.StatusConflict)
			v, _ := doc.Parse([]byte(`{"error": {"code": "BAD_REQUEST", "message": "this cannot be done", "target": "a b", "details": [{"target": "a b", "message": "it is wrong"}]}}`))
			_, _ = w.Write(changed(v, true).Encode())
			return
		}
		asked, _ := io.ReadAll(r.Body)
		asked = bytes.ReplaceAll(asked, bytes.Trim(doc.NewString(poison).Encode(), `"`), nil)
		r.URL.Path, r.Body, r.ContentLength = strings.ReplaceAll(r.URL.Path, poison, ""), io.NopCloser(bytes.NewReader(asked)), int64(len(asked))
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		if v, err := doc.Parse(answer.Body.Bytes()); err == nil && v.Exists() {
			_, _ = w.Write(changed(v, kind == "everything").Encode())
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, rows
}

// onMemory returns the service of the sample, in memory.
func onMemory(tb testing.TB) (*local.Service, store.DB) {
	tb.Helper()
	db := mem.New()
	if _, err := sample.Install(tb.Context(), db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		tb.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		tb.Fatal(err)
	}
	return svc, db
}

// What the tests look for is found.
func TestRuling(t *testing.T) {
	t.Parallel()
	for _, s := range []string{poison, "\x1b[2J", "\x1b[9;5;7mx", "a\u009bb", "a\u202eb", "a\u200bb", "a\rb", "\x1b]0;x\x07", "a\ufeffb", "a\U000E0041b", "\U0001F3F4\U000E0041", "a\u3164b"} {
		if _, found := ruling("x" + s + "y"); !found {
			t.Errorf("%q was not found", s)
		}
	}
	if at, found := ruling("\x1b[1;38;2;1;2;3mplain\x1b[0m\nè 👩\u200d👧"); found {
		t.Errorf("found %q", at)
	}
}
