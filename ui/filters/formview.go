package filters

import (
	"fmt"
	"strings"

	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/widget"
)

// maxLabelOverhang is how much longer a label may be than the others; its value follows directly.
const maxLabelOverhang = 8

// layMenu adds the lines of the menu.
func (t *Tree) layMenu(i int) {
	th, m := t.cfg.Theme, t.menu
	put := func(kind int, text string) {
		t.lines = append(t.lines, line{node: i, row: -1, name: -1, kind: kind, text: text, drawn: true})
	}
	put(-1, "    "+th.Accent.Render(widget.Truncate(widget.Clean(m.title), max(t.cfg.Width-4, 0))))
	for j, o := range m.options {
		text := fmt.Sprintf("%d %s", j+1, widget.PadRight(o.kind.Label(), 15))
		help := o.help
		if widget.Width(help) > t.cfg.Width-7-widget.Width(text) {
			help = ""
		}
		if j == m.at {
			put(j, "    "+th.Selected.Render(widget.PadRight("▸ "+text+" "+help, max(t.cfg.Width-4, 0))))
			continue
		}
		put(j, "      "+th.Text.Render(text)+" "+th.Faint.Render(help))
	}
}

// lay adds the rows of the open filter, and the help below the focused one.
func (f *form) lay(i int, add func(line)) {
	indent := f.indent(i)
	labels := 0
	for _, r := range f.rows {
		labels = max(labels, widget.Width(r.label))
	}
	labels = min(labels, max((f.cfg.Width-indent)/3, 8))
	for j, r := range f.rows {
		put := func(name int, text string, chips ...chip) {
			add(line{node: i, row: j, name: name, kind: -1, text: text, drawn: true, chips: chips})
		}
		put(-1, strings.Repeat(" ", indent)+f.rowText(r, j == f.cursor, labels, f.cfg.Width-indent))
		if j == f.cursor {
			f.layHelp(r, indent+2, put)
		}
	}
}

func (o *outline) indent(i int) int {
	if o.cfg.Width < 44 {
		return 1 + o.nodes[i].Depth
	}
	return 2 + 2*o.nodes[i].Depth
}

// rowText draws a row: its label and value.
func (f *form) rowText(r row, at bool, labels, w int) string {
	th := f.cfg.Theme
	at = at && !f.inactive
	name := widget.Clean(r.label)
	if n := widget.Width(name); n > labels && (n > labels+maxLabelOverhang || w < n+4+maxLabelOverhang) {
		name = widget.Truncate(name, labels)
	}
	if n := widget.Width(name); n < labels {
		name = widget.PadRight(name, labels)
	}
	mark, label := "  ", name
	if at {
		mark, label = th.Accent.Render("▸ "), th.Accent.Render(label)
	} else {
		label = th.Muted.Render(label)
	}
	room := max(w-widget.Width(label)-4, 1)
	if at && f.fresh {
		return mark + label + "  " + th.Selected.Render(widget.Truncate(f.prompt.Value(), room))
	}
	if at && r.kind.isText() {
		p := f.prompt
		p.SetSize(room, 1)
		return mark + label + "  " + p.View()
	}
	text, tone := f.valueText(r)
	if p, ok := f.problemAt(r); ok && !(at && r.kind.isText()) {
		if text == "" && p.Missing() {
			text, tone = "○ needed", themes.ToneWarning
		} else if !p.Missing() {
			text, tone = text+" ✗", themes.ToneDanger
		}
	}
	if note := f.unknownNameNote(r); note != "" {
		return mark + label + "  " + th.Text.Render(widget.Truncate(text, max(room-widget.Width(note)-2, 1))) + "  " + th.Warning.Render(note)
	}
	if text == "" {
		text = "–"
	}
	if at && (r.kind == choiceRow || r.kind == toggleRow) {
		tone = themes.ToneAccent
	}
	return mark + label + "  " + th.Paint(tone, widget.Truncate(text, room))
}

// valueText describes the value of a row.
func (f *form) valueText(r row) (string, themes.Tone) {
	switch r.kind {
	case choiceRow:
		for _, o := range r.input.State.Options {
			if o.Value == r.text {
				return o.Title(), themes.ToneText
			}
		}
	case toggleRow:
		word, tone := "no", themes.ToneMuted
		if r.isYes() {
			word, tone = "yes", themes.ToneText
		}
		if r.text == "" && r.input.Part == audience.Value {
			return "", themes.ToneFaint
		}
		return word, tone
	case fixedRow:
		switch {
		case r.input.State.Node == nil:
			return r.text + " · unknown field", themes.ToneFaint
		case !r.input.State.Shown:
			return r.text + " · not used", themes.ToneFaint
		}
	case dateRow:
		if d, err := audience.ParseDate(r.text, f.env()); err == nil {
			return widget.Clean(d.Text), themes.ToneText
		}
	}
	if r.text == "" {
		return "", themes.ToneFaint
	}
	return widget.CleanVisible(r.text), themes.ToneText
}

// layHelp adds the lines below the focused row: names, options, the interpretation of a date.
func (f *form) layHelp(r row, indent int, put func(name int, text string, chips ...chip)) {
	th, room := f.cfg.Theme, max(f.cfg.Width-indent-2, 1)
	say := func(tone themes.Tone, text string) {
		for _, l := range widget.Wrap(widget.Clean(text), room) {
			put(-1, strings.Repeat(" ", indent+2)+th.Paint(tone, l))
		}
	}
	_, _, whole := f.splitAction(r)
	_, marked := f.highlightedName()
	if err := f.parseError(r); err != nil && !marked {
		say(themes.ToneWarning, phrase.Sentence(err.Error()))
	} else if r.kind == frequencyRow && !marked && f.textChanged() || whole {
		say(themes.ToneInfo, "= "+audience.DescribeFilter(f.root.Lookup(f.filter), f.env()))
	}
	switch {
	case whole:
	case f.hasSuggestions():
		f.layNames(indent, put)
	case r.kind == choiceRow:
		f.layChips(indent+2, room, put)
	case r.kind == listRow:
		if vs := splitList(f.prompt.Value()); len(vs) > 0 {
			say(themes.ToneInfo, counted(len(vs))+": ["+strings.Join(vs, "] [")+"]")
		}
	case r.kind == dateRow && f.prompt.Value() != "":
		d, err := audience.ParseDate(f.prompt.Value(), f.env())
		if err != nil {
			say(themes.ToneWarning, phrase.Sentence(err.Error()))
		} else {
			say(themes.ToneInfo, "understood as "+d.Text)
		}
	}
}

func counted(n int) string {
	if n == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", n)
}

// layNames adds the suggested names, scrolled to the highlighted one.
func (f *form) layNames(indent int, put func(name int, text string, chips ...chip)) {
	most := min(typeahead.MaxRows, max(f.visibleLines-3, 2))
	for i, l := range f.list.Lines(f.cfg.Theme, max(f.cfg.Width-indent, 1), most) {
		name, _ := f.list.RowAt(i)
		put(name, strings.Repeat(" ", indent)+l)
	}
}

// layChips adds the options of a choice, the selected one in brackets and the highlighted one behind a mark.
func (f *form) layChips(indent, room int, put func(name int, text string, chips ...chip)) {
	r, _ := f.row()
	th, width := f.cfg.Theme, 0
	highlighted, other := f.highlightedOption(r)
	var chips []string
	var at []chip
	flush := func() {
		if len(chips) > 0 {
			put(-1, strings.Repeat(" ", indent)+strings.Join(chips, " "), at...)
		}
		chips, at, width = nil, nil, 0
	}
	for _, o := range r.availableOptions() {
		text, style := " "+o.Title()+" ", th.Faint
		switch {
		case o.Value == r.text:
			text, style = "["+o.Title()+"]", th.Accent
		case other && o.Value == highlighted:
			text, style = "▸"+o.Title()+" ", th.Selected
		}
		text = widget.Truncate(widget.Clean(text), room)
		if n := widget.Width(text); width > 0 && width+1+n > room {
			flush()
		}
		at = append(at, chip{o.Value, indent + width, indent + width + widget.Width(text)})
		width += widget.Width(text) + 1
		chips = append(chips, style.Render(text))
	}
	flush()
}

// help returns a sentence that explains a row.
func (f *form) help(r row) string {
	n := r.input.State.Node
	switch {
	case f.locked(f.filter) != "":
		return f.locked(f.filter)
	case n == nil:
		return "Unknown field. It is kept. Press ctrl+x to remove it, ctrl+e to edit the filter as JSON."
	case !r.input.State.Shown:
		return "Not used" + withReason(r.input.State.Why) + ". It is kept. Press ctrl+x to remove it."
	case r.kind == fixedRow:
		return "Press ctrl+e to edit the filter as JSON."
	case r.kind == frequencyRow:
		return "How many times and when, such as “at least 2 times in the last 7 days”, “never” or “once since yesterday”."
	case r.kind == listRow:
		return `Separate values with commas. Put a value that contains a comma in "quotes".`
	case r.kind == dateRow:
		return "Dates are in the workspace's time zone. A date without a time means the whole day."
	case r.input.Part == audience.Value && valueHelp[r.shape] != "":
		return valueHelp[r.shape]
	case r.kind == nameRow && r.text != "":
		return "Type to choose another name."
	}
	help := n.Help
	if i := strings.Index(help, ". "); i >= 0 {
		help = help[:i+1]
	}
	if o := r.chosenHelp(); o != "" {
		help = phrase.Sentence(o)
	}
	return help
}

// valueHelp describes the expected value, by its shape.
var valueHelp = map[audience.Shape]string{
	audience.RelativeDays: "Counted from now, to the same time of day.",
	audience.ValueRange:   "Both values are included.",
	audience.YesOrNo:      "Press y or n.",
	audience.SingleValue:  "The value to compare with.",
	audience.Expression:   "Evaluated for each user when the campaign is sent.",
}

func (r row) chosenHelp() string {
	for _, o := range r.input.State.Options {
		if o.Value == r.text {
			return o.Help
		}
	}
	return ""
}

func withReason(why string) string {
	if why == "" {
		return ""
	}
	return ": it applies " + why
}
