package catalog

import (
	"strings"
	"testing"
	"time"

	"bugle/engine/schema"
)

// A problem tells people what to do, in the words of the forms; the rule that it breaks keeps its id.
func TestProblemsSayWhatToDo(t *testing.T) {
	now := time.Date(2026, 11, 26, 7, 30, 0, 0, time.UTC)
	for _, c := range []struct{ members, rule, want string }{
		{`"segmentation_details":{"is_all_user_campaign":false}`, "segmentation_details#minimum_audience", "choose who gets this: add a condition, or choose All users"},
		{`"basic_details":{"name":"x"}`, "push.basic_details.platforms#required", "choose one or more of Android, iOS, Web"},
		{`"trigger_condition":{}`, "trigger_condition#applies", "One-time campaigns don't use a trigger; remove it"},
		{`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"soon"}`, "scheduling_details.start_time#type", `I can't read that date. Try "tomorrow 9am"`},
		{`"scheduling_details":{"delivery_type":"AT_FIXED_TIME"}`, "scheduling_details.start_time#required", "required when sending time is At a fixed time, At the best time or In the user's time zone, for example tomorrow 9am"},
		{
			`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","timezone":"Europe/Berlin","start_time":"2026-11-26T08:00:00"}`,
			"scheduling_details.start_time#ahead", "the start is in the past; it is now Thu 26 Nov, 08:30",
		},
		{
			`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","timezone":"Europe/Berlin","start_time":"2027-01-05T08:00:00","expiry_time":"2027-01-04T08:00:00"}`,
			"scheduling_details.expiry_time#after_start", "must be after the start, Tue 5 Jan 2027, 08:00",
		},
		{`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T08:00:00"}`, "scheduling_details#zone_known", "choose the time zone of the start, for example Europe/Berlin"},
		{`"basic_details":{"name":"x","platforms":["IOS"]},"campaign_content":{"content":{"push":{"android":{}}}}`, "push#platform_content", "add a message for iOS"},
		{`"delivery_controls":{"ignore_global_minimum_delay":true}`, "push.delivery_controls.ignore_global_minimum_delay#applies", "One-time campaigns don't use this field; remove it"},
		{`"campaign_audience_limit":{}`, "campaign_audience_limit#forbidden", `not allowed when the workspace feature "campaign audience limit" is off; remove it`},
	} {
		env := schema.Env{Stage: schema.Publish, Now: now, Flags: map[string]bool{}}
		got := ""
		for _, p := range Campaign(Push).Validate(mustParse(t, pushOf(OneTime, c.members)), env) {
			if p.Rule == c.rule {
				got = p.Text()
			}
		}
		if got != c.want {
			t.Errorf("%s says %q, want %q", c.rule, got, c.want)
		}
	}
}

// What people read of a campaign's table names nothing of the wire and no time as computers write it.
func TestNotesHaveNoWireNames(t *testing.T) {
	for name, s := range All() {
		if !strings.HasPrefix(name, "campaign ") {
			continue
		}
		for _, n := range s.Nodes() {
			for _, note := range s.Notes(n) {
				for _, word := range []string{"spec.md", "gaps.md", "E-mail", "e-mail", "colour", "personalis"} {
					if strings.Contains(note, word) {
						t.Errorf("%s: %q has %q in it", n.RuleID, note, word)
					}
				}
				if strings.HasPrefix(note, "Example: ") {
					continue
				}
				for _, o := range n.Options {
					if o.Label != "" && strings.Contains(o.Value, "_") && strings.Contains(note, o.Value) {
						t.Errorf("%s: %q names %s", n.RuleID, note, o.Value)
					}
				}
			}
		}
	}
}

func TestRefusalUsesDisplayNames(t *testing.T) {
	for want, got := range map[string]string{
		"You can't pause this campaign: only recurring and triggered campaigns can be paused (periodic, event-triggered); stop it instead.": Refusal(Pause, Email, OneTime, Scheduled),
		"You can't pause this campaign: it is already paused.":                                                                              Refusal(Pause, Push, Periodic, Paused),
		"You can't resume this campaign: it must be paused, and it is active.":                                                              Refusal(Resume, Push, Periodic, Active),
		"You can't edit this campaign: a campaign that is stopped can no longer be changed; clone it to continue from here.":                Refusal(Edit, Push, Periodic, Stopped),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
