package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/schema/schematest"
)

func BenchmarkCompilePush(b *testing.B) {
	for b.Loop() {
		schema.MustCompile(campaignTable(Push))
	}
}

// faults validates a document and spells its errors as "path rule-key".
func faults(t *testing.T, s *schema.Schema, stage schema.Stage, text string) []string {
	t.Helper()
	var out []string
	for _, p := range schema.Errors(s.Validate(mustParse(t, text), caseEnv(stage, true))) {
		_, key, _ := strings.Cut(p.Rule, "#")
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", p.Path, key)))
	}
	return out
}

func TestTestRequestModes(t *testing.T) {
	const meta = `"test_campaign_meta":{"identifier":"ID","identifier_values":["u1"]}`
	const web = `"campaign_content":{"content":{"push":{"web":{"template_type":"BASIC"}}}}`
	for _, c := range []struct {
		name  string
		ch    Channel
		stage schema.Stage
		body  string
		want  []string
	}{
		{"nothing", Push, schema.Inline, `{}`, []string{"channel required", "campaign_content required", "test_campaign_meta required"}},
		{"nothing, email", Email, schema.Inline, `{}`, []string{
			"channel required", "basic_details required", "connector required", "campaign_content required", "test_campaign_meta required",
		}},
		{"nothing, no channel", "", schema.Inline, `{}`, []string{"channel required", "campaign_content required", "test_campaign_meta required"}},
		{"a draft alone", Email, schema.Saved, `{"draft_id":"65f0a1b2c3d4e5f60718293a",` + meta + `}`, nil},
		{
			"a draft and content", Push, schema.Saved,
			`{"draft_id":"65f0a1b2c3d4e5f60718293a","channel":"PUSH",` + web + `,"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`,
			[]string{"channel forbidden", "campaign_content forbidden"},
		},
		{"a draft by name", Email, schema.Saved, `{"draft_id":"spring",` + meta + `}`, []string{"draft_id object_id"}},
		{
			"a platform without a draft", Push, schema.Inline,
			`{"channel":"PUSH",` + web + `,"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"],"platform":"WEB"}}`,
			[]string{"test_campaign_meta.platform forbidden"},
		},
		{
			"the other channel's identifier", Push, schema.Saved, `{"draft_id":"65f0a1b2c3d4e5f60718293a",` + meta + `}`,
			[]string{"test_campaign_meta.identifier enum"},
		},
		{
			"eleven recipients", Email, schema.Saved,
			`{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"ID","identifier_values":["1","2","3","4","5","6","7","8","9","10","11"]}}`,
			[]string{"test_campaign_meta.identifier_values items"},
		},
		{
			"what is no address", Email, schema.Saved,
			`{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ann@example.com","bob"]}}`,
			[]string{"test_campaign_meta.identifier_values[1] email"},
		},
		{
			"what is no phone number", Push, schema.Saved,
			`{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"USER_ATTRIBUTE_USER_MOBILE","identifier_values":["0301234"]}}`,
			[]string{"test_campaign_meta.identifier_values[0] e164"},
		},
		{
			"a connector for push", Push, schema.Inline,
			`{"channel":"PUSH",` + web + `,"connector":{},"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`,
			[]string{"connector applies"},
		},
		{"the wrong channel", Push, schema.Inline, `{"channel":"EMAIL"}`, []string{
			"channel excludes", "campaign_content required", "test_campaign_meta required",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := faults(t, TestRequest(c.ch), c.stage, c.body); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestCreateAndUpdateHeads(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *schema.Schema
		body string
		want []string
	}{
		{"create nothing", CreateRequest(Push), `{}`, []string{"channel required", "campaign_delivery_type required", "created_by required"}},
		{"create least", CreateRequest(Email), `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`, nil},
		{"create SMS", CreateRequest(SMS), `{"channel":"SMS","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`, []string{"channel enum"}},
		{"create by a name", CreateRequest(Push), `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann"}`, []string{"created_by email"}},
		{"create live activity", CreateRequest(Push), `{"channel":"PUSH","campaign_delivery_type":"BROADCAST_LIVE_ACTIVITY","created_by":"ann@example.com"}`, []string{"campaign_delivery_type excludes"}},
		{"create email by device", CreateRequest(Email), `{"channel":"EMAIL","campaign_delivery_type":"DEVICE_TRIGGERED","created_by":"ann@example.com"}`, []string{"campaign_delivery_type enum"}},
		{"create email, advanced", CreateRequest(Email), `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","advanced":{}}`, []string{"advanced applies"}},
		{"create misspelt", CreateRequest(Push), `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","segmentation_detail":{}}`, []string{"segmentation_detail unknown"}},
		{"update nothing", UpdateRequest(Push), `{}`, nil},
		{"update the creator", UpdateRequest(Push), `{"created_by":"ann@example.com"}`, []string{"created_by unknown"}},
		{"update another channel", UpdateRequest(Push), `{"channel":"EMAIL"}`, []string{"channel excludes"}},
		{"status", StatusRequest(), `{"action":"PUBLISH"}`, []string{"action enum"}},
		{"search", SearchRequest(), `{"limit":16,"page":0}`, []string{"limit range", "page range"}},
		{"search nothing", SearchRequest(), `{}`, []string{"limit required", "page required"}},
		{"preview another", PreviewRequest(WhatsApp), `{"channel":"WHATSAPP"}`, []string{"channel enum", "user_identification required", "campaign_content required"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := faults(t, c.s, schema.Draft, c.body); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestUnknownComponentIsNamed(t *testing.T) {
	v := mustParse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","segmentation_detail":{}}`)
	ps := CreateRequest(Push).Validate(v, schema.Env{})
	if len(ps) != 1 || !strings.Contains(ps[0].Message, "segmentation_details") {
		t.Errorf("got %v, want the nearest name", ps)
	}
}

// A request never refuses content that a campaign with the same content would take.
func TestNarrowedTablesRefuseNoMore(t *testing.T) {
	for _, c := range []struct {
		ch      Channel
		fixture string
	}{
		{Push, "testdata/cases/campaign push/basic.json"},
		{Push, "testdata/cases/campaign push/live-activity.draft.json"},
		{Email, "testdata/cases/campaign email/flat.json"},
	} {
		env := caseEnv(schema.Publish, true)
		base := readFixture(t, c.fixture)
		preview := PreviewRequest(c.ch)
		below := doc.P(string(CampaignContent))
		for i, cs := range schematest.Cases(Campaign(c.ch), base, env) {
			content := cs.Doc.Lookup(below)
			if i%7 != 0 || !content.Exists() || cs.Doc.Get("channel").Text() != string(c.ch) {
				continue // of another channel, the campaign's table says other things
			}
			full := map[string]bool{}
			for _, p := range Campaign(c.ch).ValidateAt(cs.Doc, below, env) {
				full[p.String()] = true
			}
			body := doc.NewObject(doc.M("channel", doc.NewString(string(c.ch))), doc.M(string(CampaignContent), content))
			for _, p := range schema.Errors(preview.ValidateAt(body, below, env)) {
				if !full[p.String()] && len(p.Path) > 1 {
					t.Fatalf("%s refuses what a campaign takes: %s (%s)", c.ch, p, p.Rule)
				}
			}
		}
	}
}

func TestNarrowed(t *testing.T) {
	unseen, here := schema.When("/elsewhere", "x"), schema.When("kind", "x")
	f := narrowed(schema.Field{
		Applies:  schema.All{unseen, here},
		Required: []schema.Required{{}},
		Options:  []schema.Option{{Value: "a", When: unseen}, {Value: "b", When: here}},
		Rules: []schema.Rule{
			schema.Forbidden{When: unseen},
			schema.Forbidden{When: here},
			schema.Guard{When: unseen, Rule: schema.Length{Min: 1}},
			schema.Guard{When: schema.AnyOf{unseen, here}, Rule: schema.Length{Min: 2}},
			schema.Length{Min: 3},
		},
	}, "channel")
	want := schema.Field{
		Applies: schema.All{here},
		Options: []schema.Option{{Value: "a"}, {Value: "b", When: here}},
		Rules: []schema.Rule{
			schema.Forbidden{When: here},
			schema.Guard{When: schema.AnyOf{here}, Rule: schema.Length{Min: 2}},
			schema.Length{Min: 3},
		},
	}
	if got, want := fmt.Sprintf("%+v", f), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
