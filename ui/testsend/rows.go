package testsend

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/schema"
	model "bugle/engine/testsend"
	"bugle/forms/typeahead"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// rows draws the form in w cells.
func (s *Screen) rows(w int) []row {
	rows := s.identifierRows(w)
	rows = append(rows, s.recipientRows(w)...)
	rows = append(rows, s.narrowingRows(w)...)
	return append(rows, s.overrideRows(w)...)
}

func words(lines ...string) row { return row{spot{onNothing, 0}, lines} }

// labelWidth is the width of what stands before a value.
const labelWidth = 12

// line draws a row's first line with the sign of the cursor.
func (s *Screen) line(at spot, label, text string, w int) row {
	mark := "  "
	if s.form.at == at {
		mark = s.theme.Accent.Render("▌ ")
	}
	if label != "" {
		label = s.theme.Muted.Render(widget.PadRight(widget.Clean(label), labelWidth))
	}
	return row{at, []string{widget.PadRight(mark+label+text, w)}}
}

// choice draws a value that can be turned.
func (s *Screen) choice(at spot, value string) string {
	value = widget.Clean(value)
	if s.form.at == at {
		return s.theme.Selected.Render("‹ " + value + " ›")
	}
	return value + " " + s.theme.Faint.Render("▾")
}

// below draws lines under a row, indented by n.
func below(r row, n, w int, style interface{ Render(...string) string }, text string) row {
	if text == "" {
		return r
	}
	for _, l := range widget.Wrap(widget.Clean(text), max(w-n, 1)) {
		r.lines = append(r.lines, strings.Repeat(" ", n)+style.Render(l))
	}
	return r
}

func (s *Screen) identifierRows(w int) []row {
	at := spot{onIdentifier, 0}
	o := s.option()
	r := s.line(at, s.draft.Fields.Identifier.Label(), s.choice(at, o.Title()), w)
	if s.form.at == at && o.Help != "" {
		r = below(r, 2+labelWidth, w, s.theme.Faint, problems.Sentence(o.Help))
	}
	return []row{r}
}

// option is the chosen identifier.
func (s *Screen) option() schema.Option {
	for _, o := range s.draft.Fields.Identifier.Options {
		if o.Value == s.form.identifier {
			return o
		}
	}
	return schema.Option{}
}

func (s *Screen) recipientRows(w int) []row {
	given := s.form.recipients()
	note := fmt.Sprintf("  %d of %d", len(given), model.MostRecipients(s.form.identifier))
	if g, ok := s.groupOf(given); ok {
		note += " · " + widget.Clean(g.Name)
	}
	head := s.theme.Strong.Render(s.draft.Fields.Values.Label()) + s.theme.Faint.Render(widget.Truncate(note, max(w-labelWidth-2, 1)))
	rows := []row{words(""), words("  " + head)}
	wrong, _ := s.ask().CheckRecipients(s.draft.Campaign.Channel)
	for i, v := range given {
		r := s.line(spot{onValue, i}, "", s.named(fmt.Sprintf("%2d ", i+1), s.form.identifier, v, w-2), w)
		if wrong[i] != "" {
			r = below(r, 5, w, s.theme.Danger, "✗ "+wrong[i])
		}
		rows = append(rows, r)
	}
	return append(rows, s.promptRow(w))
}

func (s *Screen) promptRow(w int) row {
	s.form.prompt.Placeholder = s.promptHint()
	s.form.prompt.SetSize(max(w-3, 1), 1)
	r := s.line(spot{onPrompt, 0}, "", " "+s.form.prompt.View(), w)
	if s.form.wrong != "" {
		r = below(r, 5, w, s.theme.Danger, "✗ "+s.form.wrong)
	}
	s.form.promptLines = len(r.lines)
	if s.offering() {
		for _, l := range s.form.list.Lines(s.theme, max(w-suggestIndent, 1), typeahead.Most) {
			r.lines = append(r.lines, strings.Repeat(" ", suggestIndent)+l)
		}
		if free, _ := s.form.list.Highlighted(); free.Free && s.form.wrong == "" {
			r = below(r, 5, w, s.theme.Warning, s.whyNot(free.Value))
		}
	}
	return r
}

// suggestIndent is what stands before a suggestion.
const suggestIndent = 3

// promptHint returns what can be typed.
func (s *Screen) promptHint() string {
	if len(s.form.recipients()) >= model.MostRecipients(s.form.identifier) {
		return "no more recipients can be added"
	}
	if len(s.form.offers) > 0 && len(s.form.profiles) > 0 {
		return "type a recipient or part of a name"
	}
	return "type a recipient"
}

func (s *Screen) narrowingRows(w int) []row {
	var rows []row
	for i, n := range s.draft.Narrowings() {
		at := spot{onNarrowing, i}
		rows = append(rows, s.line(at, n.Node.Label(), s.choice(at, n.Label(n.Of(s.form.filter))), w))
	}
	if len(rows) > 0 {
		rows = append([]row{words("")}, rows...)
	}
	return rows
}

func (s *Screen) overrideRows(w int) []row {
	if len(s.form.overrides) == 0 {
		return nil
	}
	rows := []row{words(""), words("  " + s.theme.Strong.Render("Personalization") + s.theme.Faint.Render(widget.Truncate("  for this test only", max(w-17, 1))))}
	label := labelWidth
	for _, o := range s.form.overrides {
		label = min(max(label, widget.Width(widget.Clean(o.Name))+2), max(w/2-2, 1))
	}
	kind := 0
	if w >= 48 { // a column for the data types
		for _, o := range s.form.overrides {
			kind = max(kind, widget.Width(catalog.DataTypeLabel(o.DataType))+2)
		}
	}
	for i := range s.form.overrides {
		o := &s.form.overrides[i]
		o.prompt.SetSize(max(w-2-label-kind, 1), 1)
		name := s.theme.Muted.Render(widget.PadRight(widget.Truncate(widget.Clean(o.Name), label-1), label))
		if kind > 0 {
			name += s.theme.Faint.Render(widget.PadRight(catalog.DataTypeLabel(o.DataType), kind))
		}
		at := spot{onOverride, i}
		r := s.line(at, "", name+o.prompt.View(), w)
		if s.form.at == at {
			r = below(r, 4, w, s.theme.Faint, o.about(len(s.going())))
		}
		if why := o.wrong(); why != "" {
			r = below(r, 2+label, w, s.theme.Danger, "✗ "+why)
		}
		rows = append(rows, r)
	}
	return rows
}

// groupOf returns the group that has just these recipients.
func (s *Screen) groupOf(given []string) (group, bool) {
	i := slices.IndexFunc(s.groups.all, func(g group) bool {
		return g.Identifier == s.form.identifier && len(given) > 0 && slices.Equal(slices.Sorted(slices.Values(g.Values)), slices.Sorted(slices.Values(given)))
	})
	if i < 0 {
		return group{}, false
	}
	return s.groups.all[i], true
}

// sendRow draws the button, and to whom it sends: it stays in sight, whatever the form shows.
func (s *Screen) sendRow(w int) row {
	at := spot{onSend, 0}
	ask, text := s.ask(), "Send"
	if n := len(s.going()) * len(s.names(ask)); n > 0 {
		text = "Send " + count(n, "message")
	}
	style := s.theme.Button
	if s.form.at == at {
		style = s.theme.ButtonFocus
	}
	button := style.Render("[ " + text + " ]")
	tail, tone := "", s.theme.Faint
	switch why := s.sendWhy(); {
	case why != "" && s.form.at == at:
		tail, tone = why, s.theme.Warning
	case len(ask.Values) > 0:
		tail = "to " + s.people.Summary(ask)
		if n := s.changed(); n > 0 {
			tail += ", with " + count(n, "value") + " changed"
		}
	}
	room := w - 2 - widget.Width(button) - 1
	if tail != "" && room > 4 {
		button += " " + tone.Render(widget.Truncate(widget.Clean(tail), room))
	}
	return s.line(at, "", button, w)
}
