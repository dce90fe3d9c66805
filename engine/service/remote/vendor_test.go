package remote_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/remote"
	"bugle/engine/service/remote/vendortest"
)

// Every operation against a server of another vendor, which refuses each request that its
// description does not allow.
func TestAgainstAnotherVendor(t *testing.T) {
	server := vendortest.Start(t)
	d, err := remote.ParseDialect(vendortest.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	config := remote.Config{BaseURL: server.URL, Workspace: vendortest.Workspace, Key: fixedKey("k"), Dialect: d}
	v := vendorBench{T: t, s: open(t, config)}
	t.Run("create", v.create)
	t.Run("get", v.get)
	t.Run("update", v.update)
	t.Run("publish", func(t *testing.T) {
		for _, id := range []string{vendortest.Email, vendortest.Push} {
			if _, err := v.s.Publish(t.Context(), engine.PublishRequest{ID: id}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("validate", v.validate)
	t.Run("status", v.status)
	t.Run("search", v.search)
	t.Run("list", v.list)
	t.Run("meta", v.meta)
	t.Run("test", v.test)
	t.Run("preview", v.preview)
	t.Run("refused", v.refused)
	t.Run("without credentials", func(t *testing.T) {
		config.Key = nil
		_, err := open(t, config).Get(t.Context(), vendortest.Email)
		if e := engine.AsError(err); e == nil || e.Code != engine.Unauthorized || e.Message != "Acme does not know you" {
			t.Errorf("%v", err)
		}
	})
}

type vendorBench struct {
	*testing.T
	s *remote.Service
}

// holds compares what is at paths of a document.
func holds(t *testing.T, v doc.Value, want map[string]string) {
	t.Helper()
	for path, value := range want {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Lookup(p).Encode()); got != value {
			t.Errorf("%s is %s, want %s", path, got, value)
		}
	}
}

const vendorContent = `{"variation_details":{"distribution_type":"OPTIMIZER","no_of_variations":2,"optimizer_campaign_duration":24,"optimizer_distribution_metric":"OPEN_RATE"},
	"content":{"default":{"variation_1":{"email":{"subject":"A","html_content":"a","email_editor":"Rich Editor"}},"variation_2":{"email":{"subject":"B","html_content":"b","email_editor":"Code Editor"}}}}}`

func (v vendorBench) create(t *testing.T) {
	for _, body := range []string{
		`{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@acme.example","connector":{"connector_type":"SENDGRID","connector_name":"Acme mail"},
		  "campaign_content":` + vendorContent + `,"scheduling_details":{"delivery_type":"ASAP"}}`,
		`{"channel":"PUSH","campaign_delivery_type":"EVENT_TRIGGERED","created_by":"ann@acme.example",
		  "trigger_condition":{"trigger_delay_type":"DELAY","trigger_delay_value":2,"trigger_delay_granularity":"HOURS","trigger_relation":"BEFORE","trigger_attr":{"name":"pickup_time"}},
		  "advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"Active"}}}}`,
	} {
		made, err := v.s.Create(t.Context(), engine.CreateRequest{Body: parse(t, body)})
		if err != nil || made.ID != vendortest.Email || made.Status != catalog.Draft {
			t.Errorf("%+v, %v", made, err)
		}
	}
}

func (v vendorBench) get(t *testing.T) {
	email, err := v.s.Get(t.Context(), vendortest.Email)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, email.Body, map[string]string{
		"campaign_content.variation_details.distribution_type":            `"OPTIMIZER"`,
		"campaign_content.variation_details.optimizer_campaign_duration":  "24",
		"campaign_content.content.default.variation_1.email.email_editor": `"Rich Editor"`,
		"scheduling_details.delivery_type":                                `"SCHEDULED"`,
		"basic_details.name":                                              `"Acme summer sale"`,
	})
	if want := time.Date(2024, 7, 6, 8, 0, 54, 847000000, time.UTC); !email.UpdatedAt.Equal(want) {
		t.Errorf("updated at %s, want %s", email.UpdatedAt, want)
	}

	push, err := v.s.Get(t.Context(), vendortest.Push)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, push.Body, map[string]string{
		"trigger_condition.trigger_attr.name":                                       `"pickup_time"`,
		"scheduling_details.delivery_type":                                          `"ASAP"`,
		"advanced.platform_level_priority.ios_specific_priority.interruption_level": `"Time sensitive"`,
		"acme_shard": "12",
	})
	if push.Status != catalog.Active {
		t.Errorf("the status is %s", push.Status)
	}
	if want := time.Date(2024, 7, 5, 20, 32, 0, 0, time.UTC); !push.UpdatedAt.Equal(want) {
		t.Errorf("updated at %s, want %s", push.UpdatedAt, want)
	}

	_, err = v.s.Get(t.Context(), "65f0a1b2c3d4e5f6071829ff")
	if e := engine.AsError(err); e == nil || e.Code != engine.NotFound || e.Message != "Acme has no such campaign" {
		t.Errorf("%v", err)
	}
}

func (v vendorBench) update(t *testing.T) {
	for id, body := range map[string]string{
		vendortest.Email: `{"updated_by":"ann@acme.example","campaign_content":` + vendorContent + `}`,
		vendortest.Push: `{"channel":"PUSH","campaign_delivery_type":"EVENT_TRIGGERED","updated_by":"ann@acme.example",
			"advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"Critical"}}}}`,
	} {
		if _, err := v.s.Update(t.Context(), engine.UpdateRequest{ID: id, Body: parse(t, body)}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func (v vendorBench) validate(t *testing.T) {
	res, err := v.s.Validate(t.Context(), vendortest.Email)
	if err != nil || res.Valid || len(res.Problems) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if p := res.Problems[0]; p.Path.String() != "campaign_content.variation_details.optimizer_campaign_duration" || p.Message != "Acme wants two days" {
		t.Errorf("%+v", p)
	}
}

func (v vendorBench) status(t *testing.T) {
	done, err := v.s.ChangeStatus(t.Context(), engine.StatusRequest{ID: vendortest.Push, Action: catalog.Pause})
	if err != nil || done.Action != catalog.Pause || done.Status != catalog.Paused {
		t.Errorf("%+v, %v", done, err)
	}
}

func (v vendorBench) search(t *testing.T) {
	found, err := v.s.Search(t.Context(), engine.SearchRequest{
		Status: catalog.States, Channels: []engine.Channel{catalog.Email, catalog.Push, catalog.SMS}, Name: "a", Children: true, Archived: true, Limit: 15, Page: 1,
	})
	if err != nil || len(found) != 3 {
		t.Fatalf("%d campaigns, %v", len(found), err)
	}
	if sms := found[2]; sms.Status != catalog.Sent || !sms.CreatedAt.Equal(time.Date(2023, 2, 1, 10, 0, 0, 0, time.UTC)) || sms.SentTime.IsZero() {
		t.Errorf("%+v", sms.Head)
	}
	holds(t, found[1].Body, map[string]string{"trigger_condition.trigger_attr": `{"name":"pickup_time"}`})
}

func (v vendorBench) list(t *testing.T) {
	rows, err := v.s.List(t.Context(), engine.ListQuery{})
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	if want := []string{"Acme summer sale", "Boots are back", "Parcel on its way"}; !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func (v vendorBench) meta(t *testing.T) {
	rows, err := v.s.Meta(t.Context(), engine.MetaRequest{Status: []engine.State{catalog.Sent}, Limit: 15, Page: 1})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if r := rows[0]; r.Name != "Parcel on its way" || r.Status != catalog.Sent || r.Reachability == nil || r.Reachability.Count != 41 || r.Start.IsZero() || r.Reachability.LastUpdated.IsZero() {
		t.Errorf("%+v", r)
	}
}

func (v vendorBench) test(t *testing.T) {
	send := engine.TestSend{Identifier: "EMAIL", Values: []string{"ann@acme.example"}}
	res, err := v.s.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(vendortest.Email, send)})
	if err != nil || len(res.Keys) != 2 || res.Message != "One of two was sent" {
		t.Fatalf("%+v, %v", res, err)
	}
	send = engine.TestSend{Identifier: "SVC_GAID", Values: []string{"gaid"}}
	if _, err := v.s.Test(t.Context(), engine.TestRequest{Body: engine.DraftTest(vendortest.Push, send)}); err != nil {
		t.Error(err)
	}
}

func (v vendorBench) preview(t *testing.T) {
	content := parse(t, `{"content":{"email":{"subject":"Hello {{user.first_name}}","email_editor":"Rich Editor"}}}`)
	for _, user := range []string{"ann@acme.example", "USER_1"} {
		shown, err := v.s.Preview(t.Context(), engine.PreviewRequest{Body: engine.PreviewBody(catalog.Email, user, content)})
		if err != nil {
			t.Fatal(err)
		}
		holds(t, shown.Content, map[string]string{"content.email.email_editor": `"Rich Editor"`, "content.email.subject": `"Hello Ann"`})
	}
}

// What the vendor says no to, it says in its own words, with paths in ours.
func (v vendorBench) refused(t *testing.T) {
	body := parse(t, `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","updated_by":"ann@acme.example","basic_details":{"team":"Nobody"}}`)
	for name, call := range map[string]func(context.Context) error{
		"update": func(ctx context.Context) error {
			_, err := v.s.Update(ctx, engine.UpdateRequest{ID: vendortest.Email, Body: body})
			return err
		},
		"search": func(ctx context.Context) error {
			_, err := v.s.Search(ctx, engine.SearchRequest{Limit: 16, Page: 1})
			return err
		},
	} {
		err := call(t.Context())
		e := engine.AsError(err)
		if e == nil || e.HTTP != 400 || e.Message != "Acme cannot take this request" || len(e.Details) != 2 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := e.Details[1]; got.Target != "campaign_content.variation_details.optimizer_campaign_duration" || !strings.HasPrefix(got.Message, "Acme wants") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
