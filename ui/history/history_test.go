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
	"bugle/ui/history"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// versions returns a service with one draft that was saved three times, a day apart.
func versions(t *testing.T) (*uitest.Service, string) {
	t.Helper()
	svc := uitest.NewService(t, engine.Workspace{})
	svc.SetNow(svc.Now().Add(-72 * time.Hour))
	id := svc.Draft(catalog.Email, catalog.OneTime, `{"basic_details": {"name": "Spring sale", "tags": ["sale"]},
		"campaign_content": {"content": {"email": {"subject": "Hello", "html_content": "<p>One</p>\n<p>Two</p>\n<p>Three</p>"}}}}`)
	email := doc.P("campaign_content", "content", "email")
	svc.SetNow(svc.Now().Add(24 * time.Hour))
	svc.Set(id, email.Child("subject"), `"Hello {{UserAttribute['First Name']}}"`)
	svc.SetNow(svc.Now().Add(24 * time.Hour))
	svc.Set(id, email.Child("html_content"), `"<p>One</p>\n<p>Two and a half</p>\n<p>Three</p>"`)
	return svc, id
}

func open(t *testing.T, svc engine.Service, id string) *uitest.Harness {
	t.Helper()
	return uitest.New(t, history.New(uitest.Deps(svc), screen.Route{ID: id}), 120, 40)
}

func TestEachVersionShowsWhatItChanged(t *testing.T) {
	svc, id := versions(t)
	h := open(t, svc, id)
	h.Script(
		"?Versions", "?3 versions", "?─ Version 3", "?-<p>Two</p>", "?+<p>Two and a half</p>", "?bob@example.com",
		"?Fri 13 Mar, 10:00", "?Edited HTML in",
	)
	h.GoldenSizes("changes")
	h.Script(
		"down", "?─ Version 2", "?- Hello", "?+ Hello {{UserAttribute['First Name']}}",
		"down", "?─ Version 1", "?Content › Message › Email › Subject", "?+ Hello", "?Basics › Tags", "?+ sale",
		"!{", "!basic_details",
		"enter tab", "?SINCE THEN", "?- Hello", "?+<p>Two and a half</p>", // compared with the current one
		"tab", "?IN THIS VERSION", "?+ Hello", "!Two and a half",
	)
}

func TestFilter(t *testing.T) {
	svc, id := versions(t)
	h := open(t, svc, id)
	h.Script(
		"/", ">bob html", "?1 of 1", "?Edited HTML in Content", "?+<p>Two and a half</p>", "!+ Hello", // beside the one before
		">x", "?No version matches.",
	)
}

func TestRestoreOpensVersionInBuilder(t *testing.T) {
	svc, id := versions(t)
	h := open(t, svc, id)
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
	open(t, uitest.NewFake().WithoutCapabilities(), "x").Want("keeps no earlier versions")
}

// damagedService cannot read one of its versions.
type damagedService struct{ *uitest.Service }

func (d damagedService) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	if n == 2 {
		return engine.Campaign{}, errors.New("the checksum is wrong")
	}
	return d.Service.Revision(ctx, id, n)
}

func TestUnreadableVersion(t *testing.T) {
	svc, id := versions(t)
	h := open(t, damagedService{svc}, id)
	h.Script("?Can't read this version: the checksum is wrong", "end", "?─ Version 1")
}
