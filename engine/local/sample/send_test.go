package sample_test

import (
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func TestDraftsCanBeSent(t *testing.T) {
	svc := install(t, now)
	all := campaigns(t, svc)
	for _, want := range []struct {
		name, identifier string
		keys             []string
	}{
		{"Winter roast launch", "ID", []string{"EMAIL_default_variation_1"}},
		{"Black Friday countdown", "USER_ATTRIBUTE_UNIQUE_ID", []string{"ANDROID_default_variation_1", "WEB_default_variation_1"}},
		{"Referral weekend", "USER_ATTRIBUTE_UNIQUE_ID", []string{"ANDROID_default_variation_1", "IOS_default_variation_1"}},
	} {
		c := named(t, all, want.name)
		body := engine.DraftTest(c.ID, engine.TestSend{Identifier: want.identifier, Values: []string{"USER_1"}})
		out, err := svc.Test(t.Context(), engine.TestRequest{Body: body})
		if err != nil {
			t.Fatalf("%s: %v", want.name, err)
		}
		allSent(t, want.name, out)
		if !slices.Equal(out.Keys, want.keys) {
			t.Errorf("%s was sent as %v, want %v", want.name, out.Keys, want.keys)
		}
	}
	sent, err := svc.Outbox(t.Context(), 0)
	if err != nil || len(sent) != 5 {
		t.Fatalf("%d messages in the outbox, error %v", len(sent), err)
	}
	for _, m := range sent {
		if m.Email != nil && (m.Email.Subject != "Ann, the winter roast is here" || strings.Contains(m.Email.HTML, "{{") || !strings.Contains(m.Email.HTML, "140 points")) {
			t.Errorf("the mail is %q\n%s", m.Email.Subject, m.Email.HTML)
		}
	}
}

// What was written for everybody can be cloned and sent to USER_1: its expressions find their values.
func TestClonesCanBeSent(t *testing.T) {
	svc := install(t, now)
	for _, c := range campaigns(t, svc) {
		name := engine.NameOf(c.Body)
		if _, broken := unfinished[name]; broken || !c.Channel.Writable() || fetches(c) || c.DeliveryType == catalog.BroadcastLiveActivity {
			continue
		}
		clone, err := svc.Clone(t.Context(), c.ID, "ann@example.com")
		if err != nil {
			t.Fatal(err)
		}
		identifier := map[engine.Channel]string{catalog.Email: "ID", catalog.Push: "USER_ATTRIBUTE_UNIQUE_ID"}[c.Channel]
		out, err := svc.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(clone.ID, engine.TestSend{Identifier: identifier, Values: []string{"USER_1"}})})
		if err != nil {
			t.Errorf("%q: %v", name, err)
		}
		allSent(t, name, out)
	}
}

func allSent(t *testing.T, name string, out engine.TestResult) {
	t.Helper()
	if len(out.Keys) == 0 {
		t.Errorf("%q: nothing was sent", name)
	}
	for _, key := range out.Keys {
		if r := out.Data[key]; r.Status != "SENT" {
			t.Errorf("%q: %s is %s: %s", name, key, r.Status, r.FailureReason)
		}
	}
}

// fetches reports whether sending the campaign needs what is not in the store: files, saved templates.
func fetches(c engine.Campaign) bool {
	out := false
	walk(c.Body, func(name string, _ doc.Value) { out = out || name == "attachments" || name == "custom_template_id" })
	return out
}

func TestSearchFindsTheDrafts(t *testing.T) {
	svc := install(t, now)
	rows, err := svc.Search(t.Context(), engine.SearchRequest{Limit: 15, Page: 1, Status: []engine.State{catalog.Draft}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range rows {
		if c.Status != catalog.Draft {
			t.Errorf("%q is %s", engine.NameOf(c.Body), c.Status)
		}
		names = append(names, engine.NameOf(c.Body))
	}
	for _, want := range []string{"Winter roast launch", "Black Friday countdown", "Referral weekend", ""} {
		if !slices.Contains(names, want) {
			t.Errorf("the drafts are %q, without %q", names, want)
		}
	}
}
