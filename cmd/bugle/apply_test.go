package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"bugle/engine"
	"bugle/engine/schema"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

const appliedDraft = `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Flat white hour"}}`

// On a terminal the plan is shown, and carried out when the answer is yes.
func TestApplyAsks(t *testing.T) {
	b := newBugle(t)
	b.run(exitDone, "", "init")
	file := filepath.Join(t.TempDir(), "campaign.json")
	if err := os.WriteFile(file, []byte(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Flat white hour"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ answer, want, then string }{
		{"\n", "No changes made.", `"campaigns": 0`},
		{"no\n", "No changes made.", `"campaigns": 0`},
		{"y\n", "created ", `"campaigns": 1`},
	} {
		out := answered(t, b, tt.answer, "apply", file)
		if !strings.Contains(out, "Plan: 1 to create.") || !strings.Contains(out, "Apply this plan? [y/N]") || !strings.Contains(out, tt.want) {
			t.Errorf("answered %q, bugle apply wrote %q", tt.answer, out)
		}
		if now, _ := b.run(exitDone, "", "--json"); !strings.Contains(now, tt.then) {
			t.Errorf("after %q there is %s", tt.answer, now)
		}
	}
}

// answered runs a command on a terminal, and types once it asks.
func answered(t *testing.T, b bugle, answer string, args ...string) string {
	t.Helper()
	cmd := exec.Command("bugle", args...)
	cmd.Env = append(os.Environ(), envData+"="+b.env[envData], envAuthor+"="+b.env[envAuthor], "TERM=xterm-256color")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for part := make([]byte, 1024); !strings.Contains(out.String(), "[y/N] "); {
		n, err := terminal.Read(part)
		out.Write(part[:n])
		if err != nil {
			t.Fatalf("bugle %s asked nothing: %q", strings.Join(args, " "), out.String())
		}
	}
	if _, err := io.WriteString(terminal, answer); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&out, terminal) // ends with an error where the other end closes
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("bugle %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

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
	f := newFactory(streams{in: strings.NewReader(""), out: &out, err: &errs}, func(string) string { return "" })
	change := func(team string) engine.Campaign {
		held, err := parseCampaigns("x.json", []byte(strings.Replace(appliedDraft, `"name"`, `"team": "`+team+`", "name"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return engine.ParseRecord(newBody(held[0].body, "", "ann@example.com"))
	}
	made, err := svc.Create(t.Context(), engine.CreateRequest{Body: change("A").Document()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlanner(t.Context(), f, svc, "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	p.add(t.Context(), heldCampaign{where: "x.json", body: change("B").Document()})
	if p.count(actionUpdate) != 1 {
		t.Fatalf("the plan is %+v", p.steps[0])
	}
	c, err := svc.Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	theirs := engine.UpdateBody(c.Head, "eve@example.com", members(change("C").Body)...)
	if _, err := svc.Update(t.Context(), engine.UpdateRequest{ID: made.ID, Body: theirs}); err != nil {
		t.Fatal(err)
	}
	if code := p.apply(t.Context(), f); code != exitFailed || !strings.Contains(errs.String(), "changed after the plan was made") {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
	if c, err = svc.Get(t.Context(), made.ID); err != nil || c.UpdatedBy != "eve@example.com" {
		t.Errorf("the campaign was updated by %s (%v)", c.UpdatedBy, err)
	}
}

// What the plan says can be done, the service does: every example of a refusal is known before.
func TestPlanAgreesWithTheService(t *testing.T) {
	db := mem.New()
	defer db.Close()
	if _, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "MAIN"}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "MAIN", local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	env, err := checkEnv(t.Context(), svc)
	if err != nil || env.Stage != schema.Draft {
		t.Fatalf("%+v (%v)", env, err)
	}
	for _, body := range []string{
		appliedDraft,
		`{}`,
		`{"channel": "SMS", "campaign_delivery_type": "ONE_TIME", "created_by": "a@example.com"}`,
		`{"channel": 5}`,
		`{"channel": "PUSH", "campaign_delivery_type": "BROADCAST_LIVE_ACTIVITY"}`,
		`{"channel": "EMAIL", "campaign_delivery_type": "DEVICE_TRIGGERED"}`,
		`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "unknown": 1}`,
		`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "campaign_audience_limit": {"is_campaign_audience_limit_enabled": false}}`,
		`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "created_by": "nobody"}`,
	} {
		held, err := parseCampaigns("x.json", []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		request := newBody(held[0].body, "", "ann@example.com")
		planned := checkNew(request, env)
		_, done := svc.Create(t.Context(), engine.CreateRequest{Body: request})
		if (planned == nil) != (done == nil) {
			t.Errorf("%s: planned %v, and the service says %v", body, planned, done)
		}
	}
}
