package catalog

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/schema/schematest"
)

// offer finds what a message tells people to write.
var offer = regexp.MustCompile(`(?:choose |did you mean |[Aa]llowed: |such as |for example |: )([^;?]+)`)

// offered returns the values that a message about a field offers.
func offered(n *schema.Node, message string) []doc.Value {
	var out []doc.Value
	for _, m := range offer.FindAllStringSubmatch(message, -1) {
		for _, word := range regexp.MustCompile(`, | or `).Split(m[1], -1) {
			if strings.HasPrefix(word, "not ") {
				continue // what stands there
			}
			switch n.Kind {
			case schema.String, schema.Time:
				out = append(out, doc.NewString(word))
			case schema.Integer, schema.Number:
				if v, ok := doc.NewNumber(word); ok {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// What a problem tells people to write is not refused next.
func TestOfferedOptionsAreValid(t *testing.T) {
	tried := 0
	for name, s := range All() {
		files, err := filepath.Glob(filepath.Join("testdata", "cases", name, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			base := readFixture(t, file)
			env := caseEnv(fixtureStage(file), true)
			env.Now = time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC) // after the examples
			seen := map[string]int{}
			for _, c := range schematest.Cases(s, base, env) {
				if seen[c.Rule]++; !c.Refuse || seen[c.Rule] > 6 || !regexp.MustCompile("#(required|enum|type|configured)").MatchString(c.Rule) {
					continue
				}
				for _, p := range s.Validate(c.Doc, env) {
					n := s.At(p.Path)
					if n == nil || p.Rule != c.Rule {
						continue
					}
					for _, v := range offered(n, p.Message) {
						tried++
						next, err := c.Doc.Set(p.Path, v)
						if err != nil {
							t.Fatal(err)
						}
						for _, q := range schema.Errors(s.Validate(next, env)) {
							if q.Path.String() == p.Path.String() {
								t.Errorf("%s: %q, and then %s is refused: %s", p, p.Message, v.Encode(), q.Message)
							}
						}
					}
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d offers were tried", tried)
	}
}

func TestOfferedOptionsDependOnTheDocument(t *testing.T) {
	late := caseEnv(schema.Publish, true)
	late.Now = time.Date(2027, 3, 1, 9, 30, 0, 0, time.UTC)
	bulk := caseEnv(schema.Publish, true)
	bulk.Lists = func(list string) ([]string, bool) {
		return map[string][]string{
			"connectors": {"SENDGRID Bulk mail"}, "connector_types": {"SENDGRID"}, "connector_names": {"Bulk mail"}, "subscription_categories": {"Offers"},
		}[list], true
	}
	for _, c := range []struct {
		s          *schema.Schema
		env        schema.Env
		body, path string
		want       string // in the message
		not        string // not in the message
	}{
		{CreateRequest(Push), schema.Env{}, `{"campaign_delivery_type":"ONE_TIME","created_by":"a@b.c"}`, "channel", "choose PUSH", "EMAIL"},
		{CreateRequest(Push), schema.Env{}, `{"channel":"EMIAL","campaign_delivery_type":"ONE_TIME","created_by":"a@b.c"}`, "channel", "choose PUSH", "EMAIL"},
		{CreateRequest(Push), schema.Env{}, `{"channel":"PUSH","campaign_delivery_type":"BROADCAST","created_by":"a@b.c"}`, "campaign_delivery_type", "ONE_TIME", "BROADCAST_LIVE"},
		{Campaign(Push), late, pushOf(Periodic, `"scheduling_details":{"timezone":"UTC"}`), "scheduling_details.delivery_type", "choose AT_FIXED_TIME", "ASAP"},
		{Campaign(Push), late, pushOf(OneTime, `"scheduling_details":{"delivery_type":"AT_FIXED_TIME"}`), "scheduling_details.start_time", "2027-03-02T09:00:00Z", "2026"},
		{Campaign(Push), late, pushOf(OneTime, `"trigger_conditions":{}`), "trigger_conditions", "unknown field", "did you mean"},
		{Campaign(Push), late, pushOf(OneTime, `"utm_params":{},"utm_parms":{}`), "utm_parms", "unknown field", "did you mean"},
		{Campaign(Email), bulk, `{"channel":"EMAIL","connector":{"connector_name":"Bulk mail"}}`, "connector.connector_type", "choose SENDGRID", "CUSTOM_SMTP"},
		{Campaign(Email), bulk, `{"channel":"EMAIL","basic_details":{"content_type":"PROMOTIONAL"}}`, "basic_details.subscription_category", "choose Offers", "Newsletter"},
		{Campaign(Email), caseEnv(schema.Publish, true), `{"channel":"EMAIL","connector":{"connector_type":"SENDGRID","connector_name":"Main SMT"}}`,
			"connector.connector_name", "Bulk mail", "Main SMTP"},
	} {
		problems := c.s.Validate(mustParse(t, c.body), c.env)
		i := slices.IndexFunc(problems, func(p schema.Problem) bool { return p.Path.String() == c.path })
		if i < 0 {
			t.Errorf("%s: no problem at %s in %v", c.body, c.path, problems)
			continue
		}
		if m := problems[i].Message; !strings.Contains(m, c.want) || strings.Contains(m, c.not) {
			t.Errorf("%s: %q should have %q and not %q", c.body, m, c.want, c.not)
		}
	}
}

// Publishing refuses what nothing could come of; what a service may fill in and leave empty it takes.
func TestPublishRefusesNonsense(t *testing.T) {
	periodic := func(dt DeliveryType, members string) string {
		return pushOf(dt, `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2027-12-01T09:00:00Z","periodic_details":{`+members+`}}`)
	}
	content := func(details, content string) string {
		return pushOf(OneTime, fmt.Sprintf(`"campaign_content":{"variation_details":{%s},"content":{%s}}`, details, content))
	}
	const cell = `{"push":{"web":{"basic_details":{"title":"x","message":"y","redirect_url":"https://example.com"}}}}`
	two := `"default":{"variation_1":` + cell + `,"variation_2":` + cell + `}`
	control := `"default":{"variation_1":` + cell + `,"control":` + cell + `}`
	android := func(advanced string) string {
		return content("", `"push":{"android":{"advanced":{`+advanced+`}}}`)
	}
	button := func(url string) string {
		return content("", fmt.Sprintf(`"push":{"web":{"buttons":[{"title":"Go","url":%q}]}}`, url))
	}
	const (
		duration = "campaign_content.variation_details.optimizer_campaign_duration"
		split    = "campaign_content.variation_details.distribution_type"
		dismiss  = "campaign_content.content.push.android.advanced.auto_dismiss_notification_time_value"
		url      = "campaign_content.content.push.web.buttons[0].url"
		repeats  = "scheduling_details.periodic_details"
	)
	for _, c := range []struct {
		body, path string
		refuse     bool
	}{
		{content(`"optimizer_campaign_duration":-1`, ""), duration, true},
		{content(`"optimizer_campaign_duration":1`, ""), duration, false},
		{android(`"auto_dismiss_notification_time_value":-5`), dismiss, true},
		{android(`"auto_dismiss_notification_time_value":5`), dismiss, false},
		{button("not a link"), url, true},
		{button("https://shop.example.com/{{ user.city }}"), url, false},
		{content(`"no_of_variations":2`, two), split, true},
		{content(`"no_of_variations":2,"distribution_type":""`, two), split, true},
		{content(`"manual_distribution_percentage":{"variation_1":50,"variation_2":50}`, two), split, true},
		{content("", two), split, true},
		{content("", control), split, false},
		{content(`"no_of_variations":1`, `"default":{"variation_1":`+cell+`}`), split, false},
		{content(`"no_of_variations":2,"distribution_type":"MANUAL"`, two), split, false},
		{periodic(OneTime, `"sending_frequency":"DAILY"`), repeats, true},
		{periodic(OneTime, ``), repeats, false},
		{periodic(Periodic, `"sending_frequency":"DAILY"`), repeats, false},
		{periodic(Periodic, `"sending_frequency":"DAILY","repeat_on_days_of_week":["MONDAY"]`), repeats + ".repeat_on_days_of_week", true},
		{periodic(Periodic, `"sending_frequency":"DAILY","repeat_on_days_of_week":[]`), repeats + ".repeat_on_days_of_week", false},
		{periodic(Periodic, `"sending_frequency":"MONTHLY","repeat_on_days_of_week":["MONDAY"]`), repeats + ".repeat_on_days_of_week", false},
		{periodic(Periodic, `"sending_frequency":"WEEKLY","repeat_on_date_of_month":[1]`), repeats + ".repeat_on_date_of_month", true},
		{periodic(Periodic, `"sending_frequency":"MONTHLY","repeat_on_date_of_month":[1]`), repeats + ".repeat_on_date_of_month", false},
		{periodic(Periodic, `"sending_frequency":"WEEKLY","repeat_on_days_of_week_for_month":[{"week_granularity":"FIRST","repeat_on_days_of_week":["MONDAY"]}]`),
			repeats + ".repeat_on_days_of_week_for_month", true},
	} {
		found := schema.Errors(Campaign(Push).Validate(mustParse(t, c.body), caseEnv(schema.Publish, true)))
		if got := slices.ContainsFunc(found, func(p schema.Problem) bool { return p.Path.String() == c.path }); got != c.refuse {
			t.Errorf("%s: refused should be %v at %s, got %v", c.body, c.refuse, c.path, found)
		}
	}
}

// A cell may be that of the control group, which has no percentage.
func TestControlCells(t *testing.T) {
	const message = `{"push":{"web":{"basic_details":{"title":"x","message":"y","redirect_url":"https://example.com"}}}}`
	for _, c := range []struct {
		cell, percentages string
		want              []string
	}{
		{"control", `"variation_1":50,"variation_2":50`, nil},
		{"Control", `"variation_1":50,"variation_2":50`, []string{"campaign_content.content.default.Control"}},
		{"control_1", `"variation_1":50,"variation_2":50`, []string{"campaign_content.content.default.control_1"}},
		{"control", `"variation_1":40,"variation_2":50,"control":10`, []string{"campaign_content.variation_details.manual_distribution_percentage.control"}},
	} {
		body := pushOf(OneTime, fmt.Sprintf(`"campaign_content":{"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{%s}},
			"content":{"default":{"variation_1":%s,"variation_2":%[2]s,%q:%[2]s}}}`, c.percentages, message, c.cell))
		var got []string
		for _, p := range schema.Errors(Campaign(Push).ValidateAt(mustParse(t, body), doc.P("campaign_content"), caseEnv(schema.Publish, true))) {
			got = append(got, p.Path.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.cell, c.percentages, got, c.want)
		}
	}
}
