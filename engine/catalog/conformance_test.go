package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine/schema"
)

const savedPush = `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}%s}`

func init() {
	mail := func(kind, name string) string {
		return fmt.Sprintf(`{"channel":"EMAIL","connector":{"connector_type":%q,"connector_name":%q}}`, kind, name)
	}
	filter := func(members string) string {
		return pushOf(OneTime, `"segmentation_details":{"included_filters":{"filters":[{`+members+`}]}}`)
	}
	handCases = append(handCases,
		ruleCase{
			rule: "connector.connector_name#configured_pair", schema: "campaign email", env: schema.Env{Stage: schema.Publish},
			accept: []string{mail("SENDGRID", "Bulk mail"), mail("SENDGRID", "No such one")}, refuse: []string{mail("SENDGRID", "Main SMTP")},
		},
		ruleCase{
			rule: "request.test.push#no_connector", schema: "request test push", env: schema.Env{Stage: schema.Saved},
			accept: []string{fmt.Sprintf(savedPush, "")},
			refuse: []string{fmt.Sprintf(savedPush, `,"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}`)},
		},
		ruleCase{
			rule: "email.content.html_content#compiled", schema: "campaign email", env: schema.Env{Stage: schema.Publish},
			accept: []string{
				emailWith(`"content":{"email":{"html_content":"<p>Hi</p>"}}`),
				emailWith(`"content":{"email":{"html_content":"<p>Hi</p><!-- bugle:mjml:1 0 A -->"}}`),
			},
			refuse: []string{emailWith(`"content":{"email":{"html_content":"\n<!-- a --><mjml></mjml>"}}`)},
		},
		ruleCase{
			rule: "campaign_content#split", schema: "campaign push", env: schema.Env{Stage: schema.Publish},
			accept: []string{
				pushOf(OneTime, `"campaign_content":{"variation_details":{"no_of_variations":1}}`),
				pushOf(OneTime, `"campaign_content":{"variation_details":{"no_of_variations":2,"distribution_type":"MANUAL"}}`),
			},
			refuse: []string{pushOf(OneTime, `"campaign_content":{"variation_details":{"no_of_variations":2}}`)},
		},
		ruleCase{
			rule: "filter#closed", schema: "campaign push",
			accept: []string{filter(`"filter_type":"user_attributes","own":1`), filter(`"filter_type":"actions","action_name":"x"`)},
			refuse: []string{filter(`"filter_type":"actions","own":1`), filter(`"filter_type":"custom_segments","own":1`)},
		},
	)
}

// Nothing resolves an expression in an address of a person, an id or a number in quotes: there it is
// a text like any other. In content it stands for what it becomes.
func TestExpressionsAreLiteralOutsideContent(t *testing.T) {
	hours := `"delivery_controls":{"send_limit_value":"{{x}}"}`
	for _, c := range []struct {
		s    *schema.Schema
		body string
		want []string
	}{
		{CreateRequest(Push), `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"{{x}}"}`, []string{"created_by email"}},
		{UpdateRequest(Push), `{"updated_by":"{% if a %}"}`, []string{"updated_by email"}},
		{UpdateRequest(Push), `{"channel":"PUSH","campaign_delivery_type":"LOCATION_TRIGGERED",` + hours + `}`, []string{"delivery_controls.send_limit_value digits"}},
		{UpdateRequest(Push), `{"scheduling_details":{"timezone":"{{x}}"}}`, []string{"scheduling_details.timezone timezone"}},
		{TestMeta(Email), `{"identifier":"EMAIL","identifier_values":["{{x}}"]}`, []string{"identifier_values[0] email"}},
		{TestMeta(Push), `{"identifier":"USER_ATTRIBUTE_USER_MOBILE","identifier_values":["{{x}}"]}`, []string{"identifier_values[0] e164"}},
		{TestRequest(""), `{"draft_id":"{{x}}","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`, []string{"draft_id object_id"}},
		{TestRequest(""), `{"draft_id":"","channel":"PUSH","campaign_content":{},"test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["t"]}}`,
			[]string{"draft_id length", "campaign_content required"}},
		{UpdateRequest(Email), `{"campaign_content":{"content":{"email":{"from_address":"{{x}}"}}}}`, nil},
		{UpdateRequest(Push), `{"campaign_content":{"content":{"push":{"web":{"basic_details":{"image_url":"{{x}}"}}}}}}`, nil},
	} {
		if got := faults(t, c.s, schema.Draft, c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
	}
}

// An inline mail needs its four details, and the category has to be one of the workspace's.
func TestInlineMailIsCheckedInFull(t *testing.T) {
	body := `{"channel":"EMAIL","basic_details":{%s},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
		"campaign_content":{"content":{"email":{"html_content":"x"}}},"test_campaign_meta":{"identifier":"ID","identifier_values":["u"]}}`
	full := []string{`"name":"x"`, `"content_type":"TRANSACTIONAL"`, `"subscription_category":"Offers"`, `"user_attribute_identifier":"Email (Standard)"`}
	if got := faults(t, TestRequest(Email), schema.Inline, fmt.Sprintf(body, strings.Join(full, ","))); len(got) > 0 {
		t.Errorf("a full request has %q", got)
	}
	for i, member := range full {
		name := strings.Trim(strings.Split(member, ":")[0], `"`)
		less := slices.Delete(slices.Clone(full), i, i+1)
		want := []string{"basic_details." + name + " required"}
		if got := faults(t, TestRequest(Email), schema.Inline, fmt.Sprintf(body, strings.Join(less, ","))); !slices.Equal(got, want) {
			t.Errorf("without %s: got %q, want %q", name, got, want)
		}
	}
	other := strings.Replace(strings.Join(full, ","), "Offers", "Nothing", 1)
	if got := faults(t, TestRequest(Email), schema.Inline, fmt.Sprintf(body, other)); !slices.Equal(got, []string{"basic_details.subscription_category configured"}) {
		t.Errorf("a category that is not configured: got %q", got)
	}
}

// The business event of a campaign is picked among the events of the business.
func TestBusinessEventsAreOffered(t *testing.T) {
	for _, ch := range []Channel{Push, Email} {
		if got := Campaign(ch).Root().Child("basic_details").Child("business_event").Suggest; got != "business_events" {
			t.Errorf("%s offers %s", ch, got)
		}
	}
}
