package engine_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// A change is checked as publishing would check it, but for what the state of the campaign has settled.
func TestChangeProblems(t *testing.T) {
	const mail = `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},"connector":{"connector_type":"SENDGRID","connector_name":"Main"},
		"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`
	const subject, start = "campaign_content.content.email.subject", "scheduling_details.start_time"
	live := "SCHEDULED ACTIVE SENDING PAUSED EXPIRED" // the last one is a state of another service
	read := func(text string) doc.Value {
		v, err := doc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		old, new, states string
		now              string
		want             string
	}{
		{"", "", live, "2026-03-19", ""},
		{`"Hi"`, `""`, live, "2026-03-19", subject},
		{`"Hi"`, `"Hello {{nope"`, live, "2026-03-19", subject},
		{`"Hi"`, `""`, "DRAFT", "2026-03-19", ""}, // checked when it is published
		{"", "", "ACTIVE SENDING PAUSED EXPIRED", "2026-03-21", ""},
		{"", "", "SCHEDULED", "2026-03-21", start},
		{`"is_all_user_campaign":true`, "", "SCHEDULED", "2026-03-19", "segmentation_details"},
		{`"is_all_user_campaign":true`, "", "ACTIVE SENDING PAUSED", "2026-03-19", ""}, // locked
		{`"Hi"`, `""`, "SENT STOPPED ARCHIVED", "2026-03-19", ""},                      // refused as a whole
	} {
		body := read(strings.Replace(mail, c.old, c.new, 1))
		now, err := time.Parse(time.DateOnly, c.now)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range strings.Fields(c.states) {
			campaign := engine.Campaign{Head: engine.Head{Status: engine.State(st), Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedBy: "a@example.com"}, Body: body}
			var at []string
			for _, p := range schema.Errors(campaign.ChangeProblems(schema.Env{Now: now, Expression: template.Check})) {
				at = append(at, p.Path.String())
			}
			if got := strings.Join(at, " "); got != c.want {
				t.Errorf("%s → %s while %s on %s: problems at %q, want %q", c.old, c.new, st, c.now, got, c.want)
			}
		}
	}

	// What another service took already does not stop the rest from being changed.
	theirs := engine.Campaign{Head: engine.Head{Status: "IN_REVIEW", Channel: catalog.Email, DeliveryType: catalog.OneTime}, Body: read(strings.Replace(mail, `"Hi"`, `"{{x"`, 1))}
	for text, want := range map[string]bool{
		strings.Replace(string(theirs.Body.Encode()), "News", "New", 1): true,
		strings.Replace(string(theirs.Body.Encode()), "{{x", "{{y", 1):  false,
		strings.Replace(string(theirs.Body.Encode()), "News", "", 1):    false,
	} {
		err := engine.Invalid(theirs.With(read(text)).ChangeProblems(schema.Env{Record: theirs.Document(), Expression: template.Check}))
		if (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
