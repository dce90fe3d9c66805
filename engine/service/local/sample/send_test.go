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
		name := engine.CampaignName(c.Body)
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

// fetches reports whether sending the campaign needs what is not in the store: files, answers of content APIs.
func fetches(c engine.Campaign) bool {
	out := false
	walk(c.Body, func(name string, v doc.Value) {
		out = out || name == "attachments" || strings.Contains(v.Text(), "ContentApi")
	})
	return out
}

// Campaigns take their saved templates, which show the products; what a service keeps would be taken anew.
func TestContent(t *testing.T) {
	svc := install(t, now)
	all := campaigns(t, svc)
	for _, kind := range engine.ContentKinds() {
		items, err := svc.Content(t.Context(), kind)
		if err != nil || len(items) == 0 {
			t.Errorf("%d of the kind %s, error %v", len(items), kind, err)
		}
		for _, item := range items {
			if ref, err := svc.PutContent(t.Context(), item); err != nil || ref != item.Ref() {
				t.Errorf("%s is taken as %s, error %v", item.Ref(), ref, err)
			}
			uses, err := svc.ContentUses(t.Context(), engine.ContentRef{Kind: kind, Name: item.Ref().Name})
			if of := kind == engine.KindProducts || kind == engine.KindAPI; of && len(uses) == 0 || err != nil {
				t.Errorf("nothing uses %s, error %v", item.Ref(), err)
			}
		}
	}
	for name, want := range map[string][]string{
		"The roaster's letter":   {"Dear Ann", "Luca, who roasts", "Sidama Natural</a>, blueberry and cocoa: 17.90 EUR"},
		"Staff pick of the week": {"STYLIZED_BASIC", "Staff pick of the week"},
	} {
		c := named(t, all, name)
		out, err := svc.Preview(t.Context(), engine.PreviewRequest{Body: engine.PreviewBody(c.Channel, "USER_1", c.Body.Get(string(catalog.CampaignContent)))})
		if err != nil || len(out.Unresolved) > 0 || len(out.Calls) > 0 {
			t.Errorf("%q: %+v, calls %v, error %v", name, out.Unresolved, out.Calls, err)
		}
		for _, w := range want {
			if !contains(out.Content, w) {
				t.Errorf("%q does not say %q: %s", name, w, out.Content.Encode())
			}
		}
	}
}

func contains(v doc.Value, text string) bool {
	out := false
	walk(v, func(_ string, v doc.Value) { out = out || strings.Contains(v.Text(), text) })
	return out
}

// Nothing leaves the machine: the content API's host is on no list, and the message says so.
func TestTheContentAPIIsNotCalled(t *testing.T) {
	svc := install(t, now)
	id := named(t, campaigns(t, svc), "Your tasting is booked").ID
	out, err := svc.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(id, engine.TestSend{Identifier: "ID", Values: []string{"USER_1"}})})
	if err != nil {
		t.Fatal(err)
	}
	const key, want = "EMAIL_default_variation_1", "the host weather.example.com is not on the workspace's list of hosts for content APIs"
	if got := out.Data[key]; got.Status != "FAILED" || !strings.Contains(got.FailureReason, want) {
		t.Errorf("%+v", got)
	}
	for _, call := range out.Calls {
		if call.Status != 0 || !strings.Contains(call.Err, want) {
			t.Errorf("a call went out: %+v", call)
		}
	}
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
			t.Errorf("%q is %s", engine.CampaignName(c.Body), c.Status)
		}
		names = append(names, engine.CampaignName(c.Body))
	}
	for _, want := range []string{"Winter roast launch", "Black Friday countdown", "Referral weekend", ""} {
		if !slices.Contains(names, want) {
			t.Errorf("the drafts are %q, without %q", names, want)
		}
	}
}
