package files

import (
	"bytes"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

const appliedDraft = `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Flat white hour"}}`

// What somebody else changed after the plan was made is not overwritten.
func TestApplyAfterAChange(t *testing.T) {
	db := mem.New()
	defer db.Close()
	if _, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "MAIN"}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "MAIN", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	f := cli.New(cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, func(string) string { return "" })
	change := func(team string) engine.Campaign {
		h := campaignfile.Parse("x.json", []byte(strings.Replace(appliedDraft, `"name"`, `"team": "`+team+`", "name"`, 1)))
		if h.Err != nil {
			t.Fatal(h.Err)
		}
		return engine.ParseRecord(newBody(h.Body, "", "ann@example.com"))
	}
	made, err := svc.Create(t.Context(), engine.CreateRequest{Body: change("A").Document()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlanner(t.Context(), f, svc, "bob@example.com", false)
	if err == nil {
		err = p.list(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.add(t.Context(), campaignfile.Held{Where: "x.json", Body: change("B").Document()})
	if p.count(actionUpdate) != 1 {
		t.Fatalf("the plan is %+v", p.steps[0])
	}
	c, err := svc.Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	theirs := engine.UpdateBody(c.Head, "eve@example.com", cli.Members(change("C").Body)...)
	if _, err := svc.Update(t.Context(), engine.UpdateRequest{ID: made.ID, Body: theirs}); err != nil {
		t.Fatal(err)
	}
	if code := p.apply(t.Context(), false); code != cli.ExitFailed || !strings.Contains(errs.String(), "Make a new plan: run apply again.") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
	if c, err = svc.Get(t.Context(), made.ID); err != nil || c.UpdatedBy != "eve@example.com" {
		t.Errorf("the campaign was updated by %s (%v)", c.UpdatedBy, err)
	}
}
