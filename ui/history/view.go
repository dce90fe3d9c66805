package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/rogpeppe/go-internal/diff"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.panes.SetSize(width, height)
	s.panes.SetRows(paneVersions, max(height*2/5, 5))
	s.layout()
}

func (s *Screen) layout() {
	s.list.SetSize(s.panes.Size(paneVersions))
	s.pager.SetSize(s.panes.Size(paneChanges))
	s.renderChanges()
}

// renderChanges renders the changes for the current width.
func (s *Screen) renderChanges() {
	switch {
	case s.shown.err != nil:
		s.pager.SetText("Can't read this version: " + s.shown.err.Error())
	case s.shown.ready:
		s.pager.SetStyled(s.changes(s.shown.compared))
	}
}

// View draws the versions and the changes of the selected one.
func (s *Screen) View() string {
	switch {
	case s.failed != nil:
		return s.panes.Message("History", phrase.Sentence(s.failed.Error())+"\n\nPress r to try again or esc to go back.")
	case !s.loaded:
		return s.panes.Message("History", "Loading history…")
	}
	return s.panes.View(func(pane int) panes.Content {
		if pane == paneVersions {
			s.list.Focused = !s.reading()
			return panes.Content{Title: "Versions", Footer: s.list.Position(), Body: s.list.View()}
		}
		return panes.Content{Title: s.heading(), Body: s.body()}
	})
}

func (s *Screen) heading() string {
	rev, ok := s.list.Selected()
	switch {
	case !ok:
		return "Changes"
	case s.base == baseCurrent:
		return fmt.Sprintf("From version %d to now", rev.N)
	}
	who := ""
	if rev.By != "" {
		who = " · " + rev.By
	}
	return fmt.Sprintf("What version %d changed%s", rev.N, who)
}

func (s *Screen) body() string {
	if !s.shown.ready {
		return s.theme.Muted.Render("Loading…")
	}
	return s.pager.View()
}

// item returns the row of a version.
func (s *Screen) item(r engine.Revision) widget.Item {
	text := phrase.Capitalize(s.noteText(r.Note))
	item := widget.Item{Icon: " ", Text: fmt.Sprintf("%3d  %s", r.N, text), Info: s.formatTime(r.At), InfoTone: themes.ToneMuted}
	if r.N == s.current {
		item.Icon, item.IconTone = "●", themes.ToneSuccess
	}
	return item
}

// noteText describes the note of a save by the titles of its field and component.
func (s *Screen) noteText(noteText string) string {
	verb, place, ok := strings.Cut(noteText, " ")
	if !ok {
		return noteText
	}
	p, err := doc.ParsePath(place)
	if err != nil || s.nodeTitle(p) == "" {
		return noteText
	}
	all := strings.Split(s.nodeTitle(p), " › ")
	if last := all[len(all)-1]; last != all[0] {
		return verb + " " + last + " in " + all[0]
	}
	return verb + " " + all[0]
}

// nodeTitle returns the title of a place; "" if the schema does not have it.
func (s *Screen) nodeTitle(p doc.Path) string {
	if len(p) == 0 {
		return ""
	}
	return problems.Place(s.campaign.Channel, p)
}

// formatTime formats the time of a save.
func (s *Screen) formatTime(t time.Time) string {
	return timeparse.Moment(s.deps.Local(t), s.deps.Local(s.deps.Now()))
}

// changes renders the differences between two versions.
func (s *Screen) changes(c compared) string {
	var changes []doc.Change
	for _, ch := range doc.Diff(engine.DocumentBody(c.old.Document()), engine.DocumentBody(c.new.Document())) {
		changes = changesByField(changes, ch)
	}
	if len(changes) == 0 {
		return s.theme.Muted.Render("No differences.")
	}
	var b strings.Builder
	for i, ch := range changes {
		if i > 0 {
			b.WriteString("\n\n")
		}
		s.paint(&b, s.theme.Strong, s.placeName(ch.Path))
		s.write(&b, ch)
	}
	return b.String()
}

// changesByField appends a change field by field; for an added or removed section, each of its fields.
func changesByField(out []doc.Change, c doc.Change) []doc.Change {
	v := c.After
	if !v.Exists() {
		v = c.Before
	}
	if c.Before.Exists() && c.After.Exists() || v.Len() == 0 || isSimple(v) {
		return append(out, c)
	}
	one := func(step doc.Step, v doc.Value) {
		child := doc.Change{Path: c.Path.Join(step), Before: v}
		if c.After.Exists() {
			child.Before, child.After = doc.Value{}, v
		}
		out = changesByField(out, child)
	}
	if v.Kind() == doc.Array {
		for i := range v.Len() {
			one(doc.Index(i), v.At(i))
		}
		return out
	}
	for name, member := range v.Members() {
		one(doc.Name(name), member)
	}
	return out
}

// isSimple reports whether a value is shown as a whole: a scalar, or a list of scalars.
func isSimple(v doc.Value) bool {
	switch v.Kind() {
	case doc.Object:
		return false
	case doc.Array:
		for i := range v.Len() {
			if k := v.At(i).Kind(); k == doc.Object || k == doc.Array {
				return false
			}
		}
	}
	return true
}

func (s *Screen) placeName(p doc.Path) string {
	if words := s.nodeTitle(p); words != "" {
		return words
	}
	if len(p) == 0 {
		return "Whole campaign"
	}
	return p.String()
}

// write renders one difference: long texts line by line, anything else before and after.
func (s *Screen) write(b *strings.Builder, c doc.Change) {
	before, after := s.valueText(c.Path, c.Before), s.valueText(c.Path, c.After)
	if c.Before.Exists() && c.After.Exists() && strings.Contains(before+after, "\n") {
		s.lines(b, before, after)
		return
	}
	s.side(b, s.theme.Danger, "- ", c.Before.Exists(), before)
	s.side(b, s.theme.Success, "+ ", c.After.Exists(), after)
}

func (s *Screen) side(b *strings.Builder, style lipgloss.Style, sign string, there bool, text string) {
	if !there {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		b.WriteByte('\n')
		s.paint(b, style, sign+line)
	}
}

// paint adds a text in lines that fit, each styled separately, because styles do not span lines.
func (s *Screen) paint(b *strings.Builder, style lipgloss.Style, text string) {
	w, _ := s.panes.Size(paneChanges)
	for i, line := range widget.Wrap(widget.CleanVisible(text), max(w, 1)) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(style.Render(line))
	}
}

func (s *Screen) lines(b *strings.Builder, before, after string) {
	text := string(diff.Diff("before", []byte(before+"\n"), "after", []byte(after+"\n")))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i < 3 { // the file headers
			continue
		}
		style := s.theme.Muted
		switch {
		case strings.HasPrefix(line, "+"):
			style = s.theme.Success
		case strings.HasPrefix(line, "-"):
			style = s.theme.Danger
		case strings.HasPrefix(line, "@@"):
			line, style = "···", s.theme.Faint
		}
		b.WriteByte('\n')
		s.paint(b, style, line)
	}
}

// valueText formats a value for display: a text as it is, a choice by its label, a list with commas, anything
// else as JSON.
func (s *Screen) valueText(p doc.Path, v doc.Value) string {
	n := catalog.Campaign(s.campaign.Channel).At(p)
	switch {
	case !v.Exists():
		return ""
	case v.Kind() == doc.String:
		return optionLabel(n, v.Text())
	case v.True():
		return "yes"
	case v.Kind() == doc.Bool:
		return "no"
	case v.Kind() == doc.Array && isSimple(v):
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = s.valueText(p.Join(doc.Index(i)), v.At(i))
		}
		return strings.Join(parts, ", ")
	case v.Kind() == doc.Object || v.Kind() == doc.Array:
		return string(v.Indent())
	}
	return string(v.Encode())
}

// optionLabel returns the label of a choice, and any other text unchanged.
func optionLabel(n *schema.Node, text string) string {
	if n == nil {
		return text
	}
	for _, o := range n.Options {
		if o.Value == text {
			return o.Title()
		}
	}
	return text
}
