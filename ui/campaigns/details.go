package campaigns

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// detailsPane describes the campaign under the cursor.
type detailsPane struct {
	pager widget.Pager
	width int // the width that the text was laid out for
}

// describe sets the description of a campaign for a pane of that width; can reports whether an action is
// allowed. If there is none, none says why.
func (p *detailsPane) describe(t *themes.Theme, width int, now time.Time, sum engine.Summary, none string, can func(catalog.Action) bool) {
	p.width = width
	d := description{theme: t, width: width - 2, now: now} // beside the scroll bar
	if none != "" {
		d.wrapped(themes.ToneFaint, none)
		p.pager.SetStyled(strings.Join(d.lines, "\n"))
		return
	}
	d.head(sum)
	d.facts(sum)
	d.rejection(sum)
	d.nextActions(sum, can)
	p.pager.SetStyled(strings.Join(d.lines, "\n"))
}

// updateDetails describes the campaign under the cursor.
func (s *Screen) updateDetails() {
	sum, ok := s.selected()
	none := ""
	if !ok {
		none = cmp.Or(s.grid.missing, "No campaign selected.")
	}
	if !s.panes.Shown(paneDetails) {
		s.details.width = 0
		return
	}
	w, _ := s.panes.Size(paneDetails)
	s.details.describe(s.theme, w, s.now(), sum, none, func(a catalog.Action) bool { return status.DisabledReason(s.deps, sum, a) == "" })
}

// description collects the lines about a campaign.
type description struct {
	theme *themes.Theme
	width int
	now   time.Time // in the display zone
	lines []string
}

func (d *description) add(line string) { d.lines = append(d.lines, line) }

// wrapped adds a text in one tone.
func (d *description) wrapped(tone themes.Tone, text string) {
	d.lines = append(d.lines, widget.WrapStyled(d.theme.Tone(tone), text, d.width)...)
}

func (d *description) head(sum engine.Summary) {
	name, named := displayName(sum)
	tone := themes.ToneStrong
	if !named {
		tone = themes.ToneFaint
	}
	d.wrapped(tone, name)
	d.add(d.theme.Badge(themes.Role(sum.Status.Role()), widget.Clean(sum.Status.Label())))
	d.wrapped(themes.ToneMuted, sum.Channel.Label()+" · "+sum.DeliveryType.Label())
	d.wrapped(themes.ToneFaint, sum.ID)
	d.add("")
}

// labelWidth is the width of the labels.
const labelWidth = 10

func (d *description) fact(label, value string) {
	if value == "" {
		return
	}
	for i, line := range widget.Wrap(widget.Clean(value), max(d.width-labelWidth, 1)) {
		if i > 0 {
			label = ""
		}
		d.add(d.theme.Muted.Render(widget.PadRight(label, labelWidth)) + d.theme.Text.Render(line))
	}
}

func (d *description) facts(sum engine.Summary) {
	if sum.Version > 0 {
		d.fact("Version", fmt.Sprint(sum.Version))
	}
	d.fact("Team", sum.Team)
	d.fact("Tags", strings.Join(sum.Tags, ", "))
	d.fact("Platforms", platforms(sum))
	if sum.AllUsers {
		d.fact("Audience", "all users")
	}
	d.fact("Starts", d.formatTime(sum.Start))
	if sum.DeliveryType != catalog.OneTime { // the end only matters for the state
		d.fact("Ends", d.formatTime(sum.End))
	}
	d.fact("Sent", d.formatTime(sum.SentTime))
	for _, t := range []time.Time{sum.Start, sum.End, sum.SentTime} {
		if !t.IsZero() {
			d.fact("Zone", t.In(d.now.Location()).Format("MST"))
			break
		}
	}
	d.fact("Flow", sum.FlowName)
	d.fact("Parent", sum.ParentID)
	d.event("Created", sum.CreatedAt, sum.CreatedBy)
	if sum.UpdatedAt.Sub(sum.CreatedAt) >= time.Minute || sum.UpdatedBy != sum.CreatedBy {
		d.event("Updated", sum.UpdatedAt, sum.UpdatedBy)
	}
}

// formatTime formats a time in the display zone; empty for no time.
func (d *description) formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timeparse.Moment(t.In(d.now.Location()), d.now)
}

// event adds when something was done, and by which user.
func (d *description) event(label string, at time.Time, by string) {
	d.fact(label, d.formatTime(at))
	if !at.IsZero() {
		label = ""
	}
	d.fact(label, by)
}

func (d *description) rejection(sum engine.Summary) {
	if sum.RejectionComment == "" {
		return
	}
	d.add("")
	d.add(d.theme.Danger.Render("Rejected"))
	d.wrapped(themes.ToneText, sum.RejectionComment)
}

// nextActions adds what can be done now.
func (d *description) nextActions(sum engine.Summary, allowed func(catalog.Action) bool) {
	d.add("")
	if !sum.Channel.Writable() {
		d.wrapped(themes.ToneMuted, sum.Channel.Label()+" campaigns are read-only here.")
		return
	}
	step := func(key, what string) {
		d.add(d.theme.Key.Render(widget.PadRight(key, labelWidth)) + d.theme.KeyLabel.Render(widget.Truncate(what, d.width-labelWidth)))
	}
	d.add(d.theme.Title.Render("Next"))
	if sum.Status == catalog.Draft {
		step("enter", "edit")
		step("v", "validate")
		step("t", "send a test")
	} else if ok, _ := catalog.Allowed(catalog.Edit, sum.Channel, sum.DeliveryType, sum.Status); ok {
		step("enter", "view or edit")
	} else {
		step("enter", "view")
	}
	var can []string
	for _, a := range []catalog.Action{catalog.Publish, catalog.Pause, catalog.Resume, catalog.Stop, catalog.Archive, catalog.Restore} {
		if allowed(a) {
			can = append(can, strings.ToLower(a.Label()))
		}
	}
	if len(can) > 0 {
		step("s", strings.Join(can, ", "))
	}
	step("c", "clone")
	if text := catalog.Propagation(sum.DeliveryType, sum.Status); text != "" {
		d.add("")
		d.wrapped(themes.ToneMuted, text)
	}
}
