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
)

// factsTimeout is how long a question waits for its facts.
const factsTimeout = 3 * time.Second

// facts are what the user should know before a campaign is published or stopped.
type facts struct {
	known    bool // the campaign has been read
	campaign engine.Campaign
	reach    audience.Reach
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
	if a == catalog.Publish {
		if v, err := deps.Service.Validate(ctx, s.ID); err == nil {
			f.problems = v.Problems
		}
		if len(schema.Errors(f.problems)) > 0 {
			return f
		}
	}
	f.reach = audience.EstimateReach(ctx, deps.Service, c)
	if a == catalog.Publish {
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

// sentence describes to how many users the campaign goes, and when; empty if neither is known.
func (f facts) sentence(deps screen.Deps, s engine.Summary, a catalog.Action) string {
	zone := deps.Location
	if zone == nil {
		zone = time.UTC
	}
	return audience.SendSentence(s, f.campaign, f.reach, a, deps.Now().In(zone))
}

// reasons returns reasons not to publish a campaign, or to look at it once more before.
func (f facts) reasons() []string {
	var out []string
	if f.reach.Known && f.reach.Count == 0 {
		out = append(out, "Nobody in its audience can be reached.")
	}
	if n := len(f.problems); n > 0 {
		out = append(out, "Validation has "+phrase.Count(n, "notice")+".")
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
// irreversible, the safe answer has the focus. Instead of publishing a campaign with problems it shows them.
func askWithFacts(deps screen.Deps, s engine.Summary, a catalog.Action) tea.Cmd {
	return func() tea.Msg {
		f := readFacts(deps, s, a)
		if len(schema.Errors(f.problems)) > 0 {
			return problemsMsg(s)
		}
		if f.known {
			s = engine.Summarize(f.campaign)
		}
		body, safe := f.sentence(deps, s, a), a == catalog.Stop
		if a == catalog.Publish {
			for i, w := range f.reasons() {
				if i == 0 {
					body += "\n"
				}
				body, safe = body+"\n! "+w, true
			}
		} else {
			body = strings.TrimPrefix(body+"\n\n"+effect(s, a), "\n\n")
		}
		yes := a.Label()
		if a == catalog.Publish && s.DeliveryType == catalog.OneTime {
			yes = "Send"
		}
		q := question(deps, s, a, yes, body, a == catalog.Stop)
		if safe {
			q.Focus = 1
		}
		return screen.AskMsg{Question: q}
	}
}
