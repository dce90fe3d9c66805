// Package problems draws a list of the problems of a campaign, grouped by component with errors first, and of its
// warnings.
package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/widget"
)

// View is the list of problems and warnings.
type View struct {
	*list.List[row]

	theme    *themes.Theme
	problems []section
	warnings []section
	notes    []string // below the rows
	width    int
}

// section is a heading and the rows below it.
type section struct {
	title string
	rows  []row
}

// row is one problem or warning.
type row struct {
	above     []string // the heading, with a blank line before it
	problem   schema.Problem
	warning   *check.Finding // nil if the row is a problem
	sign      string
	signTone  themes.Tone
	place     string // empty if the heading names it
	placeTone themes.Tone
	text      []string // below the place
}

// New returns an empty list.
func New(t *themes.Theme) *View {
	v := &View{theme: t}
	v.List = list.Lines(t, "problem", v.draw)
	return v
}

// Set sets the problems of a campaign of the channel. The cursor keeps its index.
func (v *View) Set(ch engine.Channel, problems []schema.Problem) {
	v.problems = nil
	for _, sev := range []schema.Severity{schema.Error, schema.Notice} {
		sign, tone := "✗", themes.ToneDanger
		if sev == schema.Notice {
			sign, tone = "i", themes.ToneInfo
		}
		for _, name := range componentOrder(ch, problems) {
			g := section{title: componentTitle(ch, name)}
			for _, p := range problems {
				if p.Severity != sev || component(p.Path) != name {
					continue
				}
				r := row{problem: p, sign: sign, signTone: tone, text: []string{phrase.Capitalize(p.Text())}}
				if field := Field(ch, p.Path); field != g.title {
					r.place = field
				}
				g.rows = append(g.rows, r)
			}
			if len(g.rows) > 0 {
				g.title += " — " + Count(len(g.rows), sev)
				v.problems = append(v.problems, g)
			}
		}
	}
	v.arrange()
}

// SetWarnings sets the warnings of the campaign, which follow its problems, and lines below everything, such as why
// some checks were not made. The cursor keeps its index.
func (v *View) SetWarnings(found check.Result, notes ...string) {
	v.warnings, v.notes = nil, notes
	for _, s := range []check.Severity{check.Warning, check.Note} {
		g := section{title: phrase.Count(found.Count(s), string(s))}
		for _, f := range found.Findings {
			if f.Severity == s {
				g.rows = append(g.rows, warningRow(f))
			}
		}
		v.warnings = append(v.warnings, g)
	}
	dismissed := section{title: phrase.Count(len(found.Dismissed), "dismissed warning")}
	for _, f := range found.Dismissed {
		dismissed.rows = append(dismissed.rows, warningRow(f))
	}
	v.warnings = slices.DeleteFunc(append(v.warnings, dismissed), func(g section) bool { return len(g.rows) == 0 })
	v.arrange()
}

// warningRow returns the row of a warning: its place, its message and what to do; of one that was dismissed, who did
// so and why.
func warningRow(f check.Finding) row {
	r := row{warning: &f, sign: "!", signTone: themes.ToneWarning, place: cmp.Or(f.Place(), "Campaign"), text: []string{f.Text() + ".", f.Remedy}}
	switch d := f.Dismissed; {
	case d != nil:
		by := ""
		if d.By != "" {
			by = " by " + d.By
		}
		r.sign, r.signTone, r.placeTone = "–", themes.ToneMuted, themes.ToneMuted
		r.text = []string{f.Text() + ".", "Dismissed" + by + ": " + d.Reason}
	case f.Severity == check.Note:
		r.sign, r.signTone = "i", themes.ToneInfo
	}
	return r
}

// arrange lists the rows of all sections.
func (v *View) arrange() {
	var rows []row
	for _, g := range slices.Concat(v.problems, v.warnings) {
		for i, r := range g.rows {
			if i == 0 {
				r.above = []string{v.theme.Paint(themes.ToneStrong, widget.Clean(g.title))}
				if len(rows) > 0 {
					r.above = append([]string{""}, r.above...)
				}
			}
			rows = append(rows, r)
		}
	}
	v.List.Set(rows)
	v.setFoot()
}

// setFoot lists the notes below the rows.
func (v *View) setFoot() {
	var foot []string
	for i, note := range v.notes {
		if i == 0 && v.Len() > 0 {
			foot = append(foot, "")
		}
		foot = append(foot, widget.WrapStyled(v.theme.Tone(themes.ToneMuted), note, max(v.width, 1))...)
	}
	v.SetFoot(foot)
}

// component returns the component that a path is in; "" for the whole campaign.
func component(p doc.Path) string {
	if len(p) == 0 || engine.IsHeadField(p[0].Name) {
		return ""
	}
	return p[0].Name
}

// componentOrder returns the components in the order in which users fill them in, then any others.
func componentOrder(ch engine.Channel, problems []schema.Problem) []string {
	names, seen := []string{""}, map[string]bool{"": true}
	for _, c := range catalog.Components(ch) {
		names, seen[string(c.Name)] = append(names, string(c.Name)), true
	}
	for _, p := range problems {
		if name := component(p.Path); !seen[name] {
			names, seen[name] = append(names, name), true
		}
	}
	return names
}

func componentTitle(ch engine.Channel, name string) string {
	if name == "" {
		return "Campaign"
	}
	if n := node(ch, doc.P(name)); n != nil && n.Name != "" {
		return n.Label()
	}
	return name
}

// node returns the schema of a place in a campaign, or in a test request.
func node(ch engine.Channel, p doc.Path) *schema.Node {
	if n := catalog.Campaign(ch).At(p); n != nil {
		return n
	}
	return catalog.TestRequest(ch).At(p)
}

// Field names the place of a problem within its component by the titles in the schema.
func Field(ch engine.Channel, p doc.Path) string {
	var words []string
	cell, steps := grid.CellAt(p)
	for i := range p {
		at := p[:i+1]
		n := node(ch, at)
		switch {
		case i == 0 && component(p) != "" && len(p) > 1:
			continue // the heading names it
		case i == 2 && steps > 0:
			words = append(words, cell)
		case i == 3 && steps > 1:
		case n != nil && n.Name != "":
			words = append(words, n.Label())
		case at.Last().IsIndex:
			words = append(words, fmt.Sprint(at.Last().Index+1))
		default:
			words = append(words, at.Last().Name)
		}
	}
	if len(words) == 0 {
		return "All of it"
	}
	return strings.Join(words, " › ")
}

// Place names a place of a campaign, including its component, by the titles in the schema; "" if it is not in
// the schema.
func Place(ch engine.Channel, p doc.Path) string {
	switch {
	case len(p) == 0 || node(ch, p) == nil:
		return ""
	case len(p) == 1:
		return componentTitle(ch, component(p))
	}
	return componentTitle(ch, component(p)) + " › " + Field(ch, p)
}

// Details describes the details of a refusal, each with its place named as in the builder. A place that is not in the
// schema keeps its path.
func Details(ch engine.Channel, e *engine.Error) []string {
	out := make([]string, len(e.Details))
	for i, d := range e.Details {
		p, _ := doc.ParsePath(d.Target)
		if out[i] = d.Message; len(e.Problems) == len(e.Details) {
			out[i] = e.Problems[i].Text()
		}
		if d.Target != "" {
			out[i] = cmp.Or(Place(ch, p), d.Target) + ": " + out[i]
		}
	}
	return out
}

// Problem returns the problem under the cursor; false if there is none, as on a warning.
func (v *View) Problem() (schema.Problem, bool) {
	r, ok := v.Selected()
	return r.problem, ok && r.warning == nil
}

// Warning returns the warning under the cursor; false if there is none.
func (v *View) Warning() (check.Finding, bool) {
	if r, ok := v.Selected(); ok && r.warning != nil {
		return *r.warning, true
	}
	return check.Finding{}, false
}

// SelectWarning moves the cursor to the warning with that ID, if it is listed.
func (v *View) SelectWarning(id string) {
	v.Select(func(r row) bool { return r.warning != nil && r.warning.ID() == id })
}

// SetSize sets the size of the list.
func (v *View) SetSize(width, height int) {
	if width != v.width {
		v.width = width
		v.setFoot()
	}
	v.List.SetSize(max(width, 0), height)
}

// draw draws a row: its place and, below, its text.
func (v *View) draw(r row, selected bool, width int) list.Drawn {
	w := max(width-4, 1)
	out := list.Drawn{Above: r.above}
	add := func(tone themes.Tone, text string) {
		text = widget.Clean(text)
		bar, sign, styled := " ", " ", v.theme.Paint(tone, text)
		if len(out.Lines) == 0 {
			sign = v.theme.Paint(r.signTone, r.sign)
		}
		if selected {
			bar = v.theme.Accent.Render("▌")
			if len(out.Lines) == 0 {
				styled = v.theme.Selected.Render(widget.PadRight(text, w))
			}
		}
		out.Lines = append(out.Lines, bar+" "+sign+" "+styled)
	}
	tone := themes.ToneText
	if r.place != "" {
		add(cmp.Or(r.placeTone, themes.ToneText), fit(r.place, w))
		tone = themes.ToneMuted
	}
	for _, text := range r.text {
		for _, l := range widget.Wrap(widget.Clean(text), w) {
			add(tone, l)
		}
	}
	return out
}

// fit drops words at the start of a place that is too long, because its end identifies it.
func fit(field string, w int) string {
	field = widget.Clean(field)
	for widget.Width(field) > w {
		_, rest, found := strings.Cut(strings.TrimPrefix(field, "… › "), " › ")
		if !found {
			return widget.Truncate(field, w)
		}
		field = "… › " + rest
	}
	return field
}

// Count formats a number of problems.
func Count(n int, sev schema.Severity) string {
	noun := "problem"
	if sev == schema.Notice {
		noun = "notice"
	}
	return phrase.Count(n, noun)
}
