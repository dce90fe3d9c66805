package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/history"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

func parse(t *testing.T, text string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// versions returns a service with one draft that was saved three times, a day apart.
func versions(t *testing.T) (*local.Service, string) {
	t.Helper()
	ctx := context.Background()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	now := uitest.Now.Add(-72 * time.Hour)
	if _, err := local.CreateWorkspace(ctx, db, engine.Workspace{ID: "DEMO"}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	first := parse(t, `{"basic_details": {"name": "Spring sale", "tags": ["sale"]}, "campaign_content": {"content": {"email": {"subject": "Hello", "html_content": "<p>One</p>\n<p>Two</p>\n<p>Three</p>"}}}}`)
	made, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", first)})
	if err != nil {
		t.Fatal(err)
	}
	save := func(by, note, body string) {
		t.Helper()
		now = now.Add(24 * time.Hour)
		c, err := svc.Get(ctx, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := svc.Save(ctx, engine.SaveRequest{ID: made.ID, Revision: c.Revision, Body: parse(t, body), By: by, Note: note}); err != nil {
			t.Fatal(err)
		}
	}
	save("ann@example.com", "edited campaign_content.content.email.subject",
		`{"basic_details": {"name": "Spring sale", "tags": ["sale"]}, "campaign_content": {"content": {"email": {"subject": "Hello {{UserAttribute['First Name']}}", "html_content": "<p>One</p>\n<p>Two</p>\n<p>Three</p>"}}}}`)
	save("ben@example.com", "edited campaign_content.content.email.html_content",
		`{"basic_details": {"name": "Spring sale"}, "campaign_content": {"content": {"email": {"subject": "Hello {{UserAttribute['First Name']}}", "html_content": "<p>One</p>\n<p>Two and a half</p>\n<p>Three</p>"}}}}`)
	return svc, made.ID
}

func TestEachVersionShowsWhatItChanged(t *testing.T) {
	svc, id := versions(t)
	h := uitest.New(t, history.New(uitest.Deps(svc), screen.Route{ID: id}), 120, 40)
	h.Want("Versions", "3 versions", "─ Version 3", "-<p>Two</p>", "+<p>Two and a half</p>", "ben@example.com", "Fri 13 Mar, 10:00", "Edited HTML in")
	h.GoldenSizes("changes")
	h.Press("down")
	h.Want("─ Version 2", "- Hello", "+ Hello {{UserAttribute['First Name']}}")
	h.Press("down")
	h.Want("─ Version 1", "Content › Message › Email › Subject", "+ Hello", "Basics › Tags", "+ sale")
	h.WantNot("{", "basic_details")
	h.WantFits()
}

func TestCompareWithCurrent(t *testing.T) {
	svc, id := versions(t)
	h := uitest.New(t, history.New(uitest.Deps(svc), screen.Route{ID: id}), 120, 40)
	h.Script(
		"end enter tab", "?SINCE THEN", "?- Hello", "?+<p>Two and a half</p>",
		"tab", "?IN THIS VERSION", "?+ Hello", "!Two and a half",
	)
}

func TestFilter(t *testing.T) {
	svc, id := versions(t)
	h := uitest.New(t, history.New(uitest.Deps(svc), screen.Route{ID: id}), 120, 40)
	h.Script(
		"/", ">ben html", "?1 of 1", "?Edited HTML in Content", "?+<p>Two and a half</p>", "!+ Hello", // beside the one before
		">x", "?No version matches.",
	)
}

func TestRestoreOpensVersionInBuilder(t *testing.T) {
	svc, id := versions(t)
	h := uitest.New(t, history.New(uitest.Deps(svc), screen.Route{ID: id}), 120, 40)
	h.Script(
		"R", "?This is the current version.",
		"down R", "?Restore version 2 of “Spring sale”?", "?Thu 12 Mar, 10:00", "y",
	)
	r := h.LastRoute()
	if r.Name != screen.Builder || r.ID != id {
		t.Fatalf("opened %v", r)
	}
	if got := r.Doc.Lookup(doc.P("campaign_content", "content", "email", "html_content")).Text(); strings.Contains(got, "half") {
		t.Errorf("the builder got %q", got)
	}
}

func TestServiceWithoutHistory(t *testing.T) {
	h := uitest.New(t, history.New(uitest.Deps(uitest.NewFake().WithoutCapabilities()), screen.Route{ID: "x"}), 80, 24)
	h.Want("keeps no earlier versions")
}

// damagedService cannot read one of its versions.
type damagedService struct {
	*local.Service
}

func (d damagedService) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	if n == 2 {
		return engine.Campaign{}, errors.New("the checksum is wrong")
	}
	return d.Service.Revision(ctx, id, n)
}

func TestUnreadableVersion(t *testing.T) {
	svc, id := versions(t)
	h := uitest.New(t, history.New(uitest.Deps(damagedService{svc}), screen.Route{ID: id}), 120, 40)
	h.Script("?Can't read this version: the checksum is wrong", "end", "?─ Version 1")
}
