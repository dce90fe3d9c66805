package status

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// factsTimeout is how long a question waits for its facts.
const factsTimeout = 3 * time.Second

// facts are what the user should know before a campaign is published or stopped.
type facts struct {
	known    bool // the campaign has been read
	campaign engine.Campaign
	counted  bool
	audience engine.AudienceCount
	problems []schema.Problem
	checked  bool // the warnings are known
	warnings []check.Finding
}

// readFacts reads what the service returns in time; the rest stays unknown.
func readFacts(deps screen.Deps, s engine.Summary, a catalog.Action) facts {
	ctx, cancel := context.WithTimeout(context.Background(), factsTimeout)
	defer cancel()
	var f facts
	c, err := deps.Service.Get(ctx, s.ID)
	if err != nil {
		return f
	}
	f.known, f.campaign = true, c
	filters := c.Body.Get(string(catalog.SegmentationDetails))
	if r, ok := deps.Service.(engine.AudienceReader); ok && audience.HasFilters(filters) {
		count, err := r.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters})
		f.audience, f.counted = count, err == nil
	}
	if a == catalog.Publish {
		if v, err := deps.Service.Validate(ctx, s.ID); err == nil {
			f.problems = v.Problems
		}
		_, r, err := check.LoadAndRun(ctx, deps.Service, deps.Dismissals(), c, deps.Now())
		f.checked = err == nil
		for _, w := range r.Findings {
			if w.Severity == check.Warning {
				f.warnings = append(f.warnings, w)
			}
		}
	}
	return f
}

// reachable returns how many of the matching users the channel can reach.
func (f facts) reachable() int {
	if f.campaign.Channel == catalog.Email {
		return f.audience.Reach.Email
	}
	return f.audience.Reach.Push
}

// recipients describes the recipients: "about 7 of 12 people".
func (f facts) recipients() string {
	switch n, of := f.reachable(), f.audience.Total; {
	case !f.counted:
		return "its audience"
	case n == 0:
		return "nobody"
	case n == of && n == 1:
		return "1 person"
	case n == of:
		return fmt.Sprintf("all %d people", n)
	default:
		return fmt.Sprintf("about %d of %d people", n, of)
	}
}

// nextSend returns the next time the campaign sends; zero if that depends on user actions, or the campaign
// sends as soon as it is published.
func (f facts) nextSend(s engine.Summary, now time.Time) time.Time {
	if sends := engine.NextSends(f.campaign.Document(), now, 1); len(sends) > 0 {
		return sends[0]
	}
	if s.StartsAfter(now) {
		return s.Start
	}
	return time.Time{}
}

// formatTime formats a time in the campaign's time zone: "on Thu 26 Nov, 08:30 CET".
func (f facts) formatTime(t, now time.Time, local *time.Location) string {
	if zone, ok := engine.TimeZone(f.campaign.Document()); ok {
		local = zone
	}
	t, now = t.In(local), now.In(local)
	layout := "on Mon 2 Jan, 15:04 MST"
	switch {
	case t.Year() != now.Year():
		layout = "on Mon 2 Jan 2006, 15:04 MST"
	case t.YearDay() == now.YearDay():
		layout = "today at 15:04 MST"
	}
	return t.Format(layout)
}

// question describes in one sentence what will happen, to how many users and when.
func (f facts) question(deps screen.Deps, s engine.Summary, a catalog.Action) string {
	now := deps.Now()
	if f.known {
		s = engine.Summarize(f.campaign)
	}
	name, by := Name(s), " by "+s.Channel.Label()
	next := f.nextSend(s, now)
	when := ""
	if !next.IsZero() {
		when = f.formatTime(next, now, deps.Location)
	}
	switch {
	case a == catalog.Publish && s.DeliveryType == catalog.OneTime && when == "":
		return fmt.Sprintf("Send %s%s to %s now?", name, by, f.recipients())
	case a == catalog.Publish && s.DeliveryType == catalog.OneTime:
		return fmt.Sprintf("Send %s%s to %s %s?", name, by, f.recipients(), when)
	case a == catalog.Publish && s.DeliveryType == catalog.Periodic && when != "":
		return fmt.Sprintf("Send %s%s to %s regularly, first %s?", name, by, f.recipients(), when)
	case a == catalog.Publish && f.counted:
		return fmt.Sprintf("Start %s%s for %s, whenever one of them triggers it%s?", name, by, f.recipients(), afterTrigger(when))
	case a == catalog.Publish:
		return fmt.Sprintf("Start %s%s, for everybody who triggers it%s?", name, by, afterTrigger(when))
	}
	out := fmt.Sprintf("%s %s", a.Label(), name)
	switch {
	case f.counted && when != "":
		out += fmt.Sprintf(", which goes%s to %s, next %s?", by, f.recipients(), when)
	case f.counted:
		out += fmt.Sprintf(", which goes%s to %s?", by, f.recipients())
	case when != "":
		out += fmt.Sprintf(", which sends%s next %s?", by, when)
	default:
		out += "?"
	}
	return out
}

// afterTrigger formats the delay of a triggered campaign.
func afterTrigger(when string) string {
	if when == "" {
		return ""
	}
	return ", from " + strings.TrimPrefix(when, "on ")
}

// reasons returns reasons not to publish a campaign, or to look at it once more before.
func (f facts) reasons() []string {
	var out []string
	if f.counted && f.reachable() == 0 {
		out = append(out, "Nobody in its audience can be reached.")
	}
	errors := len(schema.Errors(f.problems))
	switch notices := len(f.problems) - errors; {
	case errors == 1:
		out = append(out, "It has 1 problem, so it cannot be published yet.")
	case errors > 1:
		out = append(out, fmt.Sprintf("It has %d problems, so it cannot be published yet.", errors))
	case notices == 1:
		out = append(out, "Validation has 1 notice.")
	case notices > 1:
		out = append(out, fmt.Sprintf("Validation has %d notices.", notices))
	}
	if f.known && !f.checked {
		out = append(out, "Looking for warnings took too long. Press v in the builder to see them.")
	}
	for i, w := range f.warnings {
		if i == maxWarnings {
			out = append(out, phrase.Count(len(f.warnings)-i, "more warning")+". Press v in the builder to see all.")
			break
		}
		out = append(out, fmt.Sprintf("%s: %s.", cmp.Or(w.Place(), "Campaign"), w.Text()))
	}
	return out
}

// maxWarnings is how many warnings a question lists.
const maxWarnings = 6

// askWithFacts asks before a campaign is published, stopped or paused. If there are warnings, or the action is
// irreversible, the safe answer has the focus.
func askWithFacts(deps screen.Deps, s engine.Summary, a catalog.Action) tea.Cmd {
	return func() tea.Msg {
		f := readFacts(deps, s, a)
		body, safe := f.question(deps, s, a), a == catalog.Stop
		if a == catalog.Publish {
			for i, w := range f.reasons() {
				if i == 0 {
					body += "\n"
				}
				body, safe = body+"\n! "+w, true
			}
		} else {
			body += "\n\n" + effect(s, a)
		}
		yes := a.Label()
		if a == catalog.Publish && s.DeliveryType == catalog.OneTime {
			yes = "Send"
		}
		q := screen.Question{
			Title: a.Label(), Body: body, Danger: a == catalog.Stop,
			Buttons: []widget.Button{{Label: yes, Key: "y", Danger: a == catalog.Stop}, {Label: "Cancel", Key: "n"}},
			Then: func(answer widget.Answer) tea.Cmd {
				if !answer.Yes() {
					return nil
				}
				return run(deps, s, a)
			},
		}
		if safe {
			q.Focus = 1
		}
		return screen.AskMsg{Question: q}
	}
}
