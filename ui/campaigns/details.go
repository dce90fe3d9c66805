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

// describe writes the details of the campaign under the cursor.
func (s *Screen) describe() {
	if !s.panes.Shown(paneDetails) {
		return
	}
	w, h := s.panes.Size(paneDetails)
	s.details.SetSize(w, h)
	d := description{theme: s.theme, width: w - 2, now: s.now()} // beside the scroll bar
	if sum, ok := s.selected(); ok {
		d.head(sum)
		var known outlook
		if s.outlook.id == sum.ID {
			known = s.outlook
		}
		d.zone = cmp.Or(known.zone, d.now.Location())
		d.outlook(sum, known)
		d.facts(sum, known)
		d.rejection(sum)
		d.effect(sum)
	} else {
		d.wrapped(themes.ToneFaint, cmp.Or(s.grid.missing, "No campaign selected."))
	}
	s.details.SetStyled(strings.Join(d.lines, "\n"))
}

// description collects the lines about a campaign.
type description struct {
	theme *themes.Theme
	width int
	now   time.Time // in the display zone
	zone  *time.Location
	lines []string
}

func (d *description) add(line string) { d.lines = append(d.lines, line) }

// wrapped adds a text in one tone.
func (d *description) wrapped(tone themes.Tone, text string) {
	d.lines = append(d.lines, widget.WrapStyled(d.theme.Tone(tone), text, d.width)...)
}

func (d *description) head(sum engine.Summary) {
	nameTone := themes.ToneStrong
	if sum.Name == "" {
		nameTone = themes.ToneFaint
	}
	d.wrapped(nameTone, sum.Title())
	icon, tone := status.Icon(sum.Status)
	d.add(d.theme.Paint(tone, icon+" "+widget.Clean(sum.Status.Label())))
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

// outlook adds the subject or title, the audience, the next send and the problems of the campaign.
func (d *description) outlook(sum engine.Summary, o outlook) {
	label, before := "Title", len(d.lines)
	if sum.Channel == catalog.Email {
		label = "Subject"
	}
	d.fact(label, o.message)
	d.fact("Audience", o.audience)
	if o.reach.Known {
		d.fact("Reaches", o.reach.String())
	}
	if !o.next.IsZero() {
		d.fact("Next send", d.formatTime(o.next))
	}
	for i, p := range o.problems {
		if i == 0 {
			d.add(d.theme.Warning.Render(fmt.Sprintf("%d to do", len(o.problems))))
		}
		if i == maxListedProblems {
			d.wrapped(themes.ToneMuted, fmt.Sprintf("and %d more", len(o.problems)-i))
			break
		}
		d.wrapped(themes.ToneText, "· "+widget.Clean(p))
	}
	if len(d.lines) > before {
		d.add("")
	}
}

// maxListedProblems is how many problems the details list.
const maxListedProblems = 3

// facts adds the fields that the summary of the campaign has, except for those that were read from the campaign itself.
func (d *description) facts(sum engine.Summary, known outlook) {
	if sum.Version > 0 {
		d.fact("Version", fmt.Sprint(sum.Version))
	}
	d.fact("Team", sum.Team)
	d.fact("Tags", strings.Join(sum.Tags, ", "))
	d.fact("Platforms", platforms(sum))
	if sum.AllUsers && known.audience == "" {
		d.fact("Audience", "all users")
	}
	if !sum.Start.Equal(known.next) {
		d.fact("Starts", d.formatTime(sum.Start))
	}
	if sum.DeliveryType != catalog.OneTime { // the end only matters for the state
		d.fact("Ends", d.formatTime(sum.End))
	}
	d.fact("Sent", d.formatTime(sum.SentTime))
	d.fact("Flow", sum.FlowName)
	d.fact("Parent", sum.ParentID)
	if sum.UpdatedAt.Sub(sum.CreatedAt) >= time.Minute || sum.UpdatedBy != sum.CreatedBy {
		d.event("Updated", sum.UpdatedAt, sum.UpdatedBy)
	}
	d.event("Created", sum.CreatedAt, sum.CreatedBy)
}

// formatTime formats a time of the campaign in its zone; empty for no time.
func (d *description) formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timeparse.Zoned(t, d.zone, d.now)
}

// event adds when something was done, in the display zone, and by which user.
func (d *description) event(label string, at time.Time, by string) {
	if !at.IsZero() {
		d.fact(label, timeparse.Moment(at.In(d.now.Location()), d.now))
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

// effect adds when changes take effect.
func (d *description) effect(sum engine.Summary) {
	if text := cmp.Or(readOnlyReason(sum), catalog.Propagation(sum.DeliveryType, sum.Status)); text != "" {
		d.add("")
		d.wrapped(themes.ToneMuted, text)
	}
}
