package engine_test

import (
	"slices"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

const draftID = "65f0a1b2c3d4e5f60718293a"

func fullSend() engine.TestSend {
	return engine.TestSend{
		Identifier: "USER_ATTRIBUTE_USER_EMAIL", Values: []string{"ann@example.com", "bob@example.com"},
		Filter:          engine.KeyFilter{Platform: "WEB", Locale: "de", Variation: "variation_2"},
		UserAttributes:  []doc.Member{doc.M("First Name", doc.NewString("Ann"))},
		EventAttributes: []doc.Member{doc.M("price", doc.NewInt(3))},
	}
}

func TestDraftTestIsAcceptedAndReadBack(t *testing.T) {
	body := engine.DraftTest(draftID, fullSend())
	if ps := schema.Errors(catalog.TestRequest(catalog.Push).Validate(body, schema.Env{Stage: schema.Saved})); len(ps) > 0 {
		t.Errorf("the table refuses %s: %v", body.Encode(), ps)
	}
	again := engine.DraftTest(draftID, engine.ParseTestSend(body))
	if got, want := string(again.Encode()), string(body.Encode()); got != want {
		t.Errorf("read back it is\n%s\nnot\n%s", got, want)
	}
	if bare := engine.DraftTest(draftID, engine.TestSend{Identifier: "ID", Values: []string{"U1"}}); strings.Contains(string(bare.Encode()), "attributes") {
		t.Errorf("overrides that are not there: %s", bare.Encode())
	}
}

func TestCheckRecipientsNamesTheOne(t *testing.T) {
	send := engine.TestSend{Identifier: "EMAIL", Values: []string{"ann@example.com", "nonsense"}}
	values, others := send.CheckRecipients(catalog.Email)
	if len(values) != 1 || values[1] == "" || len(others) > 0 {
		t.Errorf("values %v, others %v", values, others)
	}
	send.Values = slices.Repeat([]string{"ann@example.com"}, catalog.MaxIdentifierValues+1)
	if _, others := send.CheckRecipients(catalog.Email); len(others) == 0 {
		t.Error("eleven recipients are fine")
	}
}

// A profile with everything is found by every identifier but a segment: none is forgotten here.
func TestIdentifierValuesKnowsEveryIdentifier(t *testing.T) {
	p := engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "ann@example.com", engine.AttrMobile: "+4915112345678"}, Devices: []engine.Device{
		{Platform: "ANDROID", Token: "tok-a", AdvertiseID: "gaid"}, {Platform: "IOS", Token: "tok-i", AdvertiseID: "idfa"}, {Platform: "WEB", Token: "tok-a"},
	}}
	want := map[string][]string{
		"USER_ATTRIBUTE_UNIQUE_ID": {"U1"}, "ID": {"U1"}, "USER_ATTRIBUTE_USER_EMAIL": {"ann@example.com"}, "EMAIL": {"ann@example.com"},
		"USER_ATTRIBUTE_USER_MOBILE": {"+4915112345678"}, "MOBILE_NUMBER": {"+4915112345678"},
		"SVC_GAID": {"gaid"}, "ADVERTISING_IDENTIFIER": {"gaid", "idfa"}, "PUSH_ID": {"tok-a", "tok-i"},
	}
	for _, ch := range []engine.Channel{catalog.Push, catalog.Email} {
		for _, o := range engine.NewTestFields(ch).Identifier.Options {
			got := engine.IdentifierValues(o.Value, p)
			if !slices.Equal(got, want[o.Value]) || len(got) == 0 != engine.IsSegmentIdentifier(o.Value) {
				t.Errorf("%s finds by %v, not %v", o.Value, got, want[o.Value])
			}
			for _, v := range got {
				if bad, _ := (engine.TestSend{Identifier: o.Value, Values: []string{v}}).CheckRecipients(ch); len(bad) > 0 {
					t.Errorf("%s: the table refuses %q: %v", o.Value, v, bad)
				}
			}
			if none := engine.IdentifierValues(o.Value, engine.User{}); len(none) > 0 && none[0] != "" {
				t.Errorf("%s finds an empty profile by %v", o.Value, none)
			}
		}
	}
}

func TestDisplayName(t *testing.T) {
	for want, p := range map[string]engine.User{
		"Ada Byron": {ID: "U", Attributes: map[string]any{"First Name": "Ada", "Last Name": "Byron"}},
		"Ada":       {ID: "U", Attributes: map[string]any{"First Name (Standard)": "Ada"}},
		"Dr. Ada":   {ID: "U", Attributes: map[string]any{"Name": "Dr. Ada", "First Name": "Ada"}},
		"U":         {ID: "U", Attributes: map[string]any{"First Name": 3}},
	} {
		if got := p.DisplayName(); got != want {
			t.Errorf("%v is called %q, not %q", p, got, want)
		}
	}
}

func TestOverrideValueHasItsType(t *testing.T) {
	for _, c := range []struct{ dataType, typed, want string }{
		{"string", "041", `"041"`}, {"", "true", `"true"`}, {"double", " 41.50 ", "41.50"}, {"bool", "True", "true"}, {"bool", "false", "false"}, {"datetime", "2026-01-01", `"2026-01-01"`},
	} {
		v, err := engine.ParseOverride(c.dataType, c.typed)
		if err != nil || v.Literal() != c.want {
			t.Errorf("%s %q is %s (%v), not %s", c.dataType, c.typed, v.Literal(), err, c.want)
		}
	}
	for dataType, typed := range map[string]string{"double": "old", "bool": "1"} {
		if v, err := engine.ParseOverride(dataType, typed); err == nil {
			t.Errorf("%s takes %q as %s", dataType, typed, v.Literal())
		}
	}
}

func TestAboutDraft(t *testing.T) {
	for path, want := range map[string]bool{
		"campaign_content.content": true, "connector": true, "test_campaign_meta.identifier_values[0]": false, "draft_id": false, "": false, "nothing_known": false,
	} {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := engine.IsCampaignPath(catalog.Email, p); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

func TestDeliveredDocument(t *testing.T) {
	d := engine.OutboxMessage{ID: "1", Key: "WEB_default_variation_1", Push: &engine.PushMessage{Title: "Hi", Payload: doc.NewObject(doc.M("n", doc.NewInt(1)))}}
	if got, want := string(d.Document().Encode()), `{"id":"1","key":"WEB_default_variation_1","push":{"title":"Hi","payload":{"n":1}}}`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
