package engine_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func draftTree(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNewDraftBody(t *testing.T) {
	bare := engine.NewDraftBody(catalog.Push, catalog.OneTime, "ann@example.com", doc.Value{})
	if got, want := string(bare.Encode()), `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`; got != want {
		t.Errorf("bare: %s, want %s", got, want)
	}
	record := draftTree(t, `{"id":"6650a1","status":"SENT","channel":"EMAIL","created_by":"bob@example.com","utm_params":{"utm_source":"x"},"odd":1.50}`)
	body := engine.NewDraftBody(catalog.Email, catalog.Periodic, "ann@example.com", record)
	want := `{"channel":"EMAIL","campaign_delivery_type":"PERIODIC","created_by":"ann@example.com","utm_params":{"utm_source":"x"},"odd":1.50}`
	if got := string(body.Encode()); got != want {
		t.Errorf("from a record: %s, want %s", got, want)
	}
}

func TestWithName(t *testing.T) {
	for _, test := range []struct{ components, name, want string }{
		{`{}`, "Spring", `{"basic_details":{"name":"Spring"}}`},
		{`{"basic_details":{"tags":["a"],"name":"Old"},"x":1.0}`, "New", `{"basic_details":{"tags":["a"],"name":"New"},"x":1.0}`},
		{`{"basic_details":{"name":"Old","team":"T"}}`, "", `{"basic_details":{"team":"T"}}`},
		{`{"basic_details":"text"}`, "New", `{"basic_details":"text"}`},
		{`{}`, "", `{}`},
	} {
		if got := string(engine.WithName(draftTree(t, test.components), test.name).Encode()); got != test.want {
			t.Errorf("%s named %q: %s, want %s", test.components, test.name, got, test.want)
		}
	}
	if got := engine.CampaignName(engine.WithName(doc.Value{}, "Spring")); got != "Spring" {
		t.Errorf("the name is %q", got)
	}
}
