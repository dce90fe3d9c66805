package filters

import (
	"strings"

	"bugle/engine/audience"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// line is one line of the body, between sentence and footer.
type line struct {
	text string
	node int  // index of its node; -1 for none
	form bool // it is a line of the open filter
}

// The sentences of an empty tree, for an audience and a trigger.
const (
	emptyAudienceText = "No filters yet. Press a to add one: a user attribute, something users did, or a segment."
	emptyTriggerText  = "Press a to choose what starts this campaign."
)

const (
	// footerMinHeight and ruleMinHeight are the minimum heights for a footer, and for a rule below the sentence.
	footerMinHeight = 5
	ruleMinHeight   = 9
	// narrowWidth is the width below which the indentation is small.
	narrowWidth = 44
	// maxWords is how many lines the text of the node under the cursor takes at most.
	maxWords = 4
)

// rebuild divides the height, renders the lines of the tree, and scrolls to the cursor: the node, or the open filter.
func (t *Tree) rebuild() {
	w, h := t.cfg.Width, t.cfg.Height
	share := 4
	if t.Modal() && h < 18 {
		share = 8 // the open filter needs the lines
	}
	t.sentence = t.header(w, max(h/share, 1))
	height := h - len(t.sentence)
	if h >= footerMinHeight {
		height -= len(t.footer(w))
	}
	t.window.Height = max(height, 0)
	t.lines = t.lines[:0]
	if t.empty() {
		text := emptyAudienceText
		if audience.IsTrigger(t.root, t.place) {
			text = emptyTriggerText
		}
		for _, l := range append(widget.WrapIndented(t.cfg.Theme.Muted, text, w, 2), "") {
			t.lines = append(t.lines, line{text: l, node: -1})
		}
	}
	from := 0
	for i := range t.nodes {
		if i == t.cursor && i > 0 {
			from = len(t.lines) // above the first node, the lines above it are visible too
		}
		for _, text := range t.nodeLines(i) {
			t.lines = append(t.lines, line{text: text, node: i})
		}
		if i == t.cursor && t.open != nil {
			from = len(t.lines)
			t.layForm()
		}
		if i == t.cursor {
			t.window.Cursor = len(t.lines) - 1
		}
	}
	to := t.window.Cursor
	t.window.Resize(len(t.lines), t.window.Height)
	t.window.Select(to)
	t.window.Select(from)
}

// empty reports whether there are no filters.
func (t *Tree) empty() bool {
	for _, n := range t.nodes {
		if n.Count > 0 || n.Depth > 0 {
			return false
		}
	}
	return !audience.HasFilters(t.root.Lookup(t.place))
}

func (t *Tree) sentenceText() string { return audience.Describe(t.root, t.place, envOf(t.cfg)) }

// header draws the sentence in at most h lines, with a rule below it, and why the place is locked.
func (t *Tree) header(w, h int) []string {
	th := t.cfg.Theme
	var out []string
	if why := t.locked(t.place); why != "" {
		out = append(out, th.Warning.Render(widget.Truncate(widget.Clean(why), w)))
	}
	for _, l := range wrapMax(t.sentenceText(), w, h) {
		out = append(out, th.Strong.Render(widget.Truncate(l, w)))
	}
	if t.cfg.Height >= ruleMinHeight {
		out = append(out, th.Border.Render(strings.Repeat("─", max(w, 0))))
	}
	return out
}

// View draws exactly the size set by SetSize.
func (t *Tree) View() string {
	w, h := t.cfg.Width, t.cfg.Height
	if w <= 0 || h <= 0 {
		return ""
	}
	out := append(make([]string, 0, h), t.sentence...)
	from, to := t.window.Visible()
	for _, l := range t.lines[from:to] {
		out = append(out, l.text)
	}
	for range t.window.Height - (to - from) {
		out = append(out, "")
	}
	if h >= footerMinHeight {
		out = append(out, t.footer(w)...)
	}
	return widget.Fit(strings.Join(out, "\n"), w, h)
}

// nodeLines draws a node in one line, or in as many as its text takes if it is under the cursor.
func (t *Tree) nodeLines(i int) []string {
	n, at := t.nodes[i], i == t.cursor
	words, tone := t.nodeText(n)
	lead, next := t.guides(i)
	marks := t.problemMark(n)
	room := max(t.cfg.Width-2-widget.Width(lead)-widget.Width(marks), 1)
	most := 1
	if at && (t.open == nil || t.window.Height > 2*maxWords) {
		most = maxWords
	}
	th, mark := t.cfg.Theme, "  "
	if at {
		mark = "▸ "
	}
	var out []string
	for _, text := range wrapMax(words, room, most) {
		text = widget.PadRight(text, room)
		switch {
		case at && (t.inactive || t.open != nil):
			text = th.SelectedBlur.Render(widget.PadRight(mark+lead+text+marks, t.cfg.Width))
		case at:
			text = th.Selected.Render(widget.PadRight(mark+lead+text+marks, t.cfg.Width))
		case n.Negated:
			text = mark + th.Faint.Render(lead) + th.Warning.Render("!") + th.Paint(tone, text[1:]) + th.Danger.Render(marks)
		default:
			text = mark + th.Faint.Render(lead) + th.Paint(tone, text) + th.Danger.Render(marks)
		}
		out = append(out, text)
		mark, lead, marks = "  ", next, ""
	}
	return out
}

// nodeText returns the words of a node, and their tone.
func (t *Tree) nodeText(n audience.Node) (string, themes.Tone) {
	words, tone := n.Text, themes.ToneText
	if n.Depth == 0 && n.Title != "" {
		tone = themes.ToneStrong
		switch {
		case n.Count == 0:
			words = n.Title + " · empty"
		case n.Join == "or":
			words = n.Title + " · ANY of these"
		default:
			words = n.Title + " · ALL of these"
		}
	}
	if n.Negated {
		words = "! " + words
	}
	if t.locked(n.Path) != "" || n.Depth == 0 && n.Count == 0 {
		tone = themes.ToneMuted
	}
	return words, tone
}

// wrapMax wraps a text in at most that many lines, ending in an ellipsis if it is longer.
func wrapMax(text string, w, most int) []string {
	return widget.WrapMax(widget.Clean(text), max(w, 1), max(most, 1))
}

// guides returns what precedes the text of a node: the lines that connect it to its group, and how it is joined
// to the node above; then the same for continuation lines.
func (t *Tree) guides(i int) (lead, next string) {
	n := t.nodes[i]
	if n.Depth == 0 {
		return "", "  "
	}
	lead, next = "├", "│"
	if t.last[i] {
		lead, next = "└", " "
	}
	depth := n.Depth
	for j := i - 1; j >= 0 && depth > 1; j-- {
		if t.nodes[j].Depth < depth {
			depth = t.nodes[j].Depth
			over := "│ "
			if t.last[j] {
				over = "  "
			}
			lead, next = over+lead, over+next
		}
	}
	join := ""
	switch {
	case n.Index > 0 && n.Kind != audience.Group:
		join = n.Join
	case n.Kind == audience.EventAttribute:
		join = "with"
	}
	if n.Kind == audience.EventAttribute {
		return lead + " " + widget.PadRight(join, 4) + " ", next + "      "
	}
	return lead + " " + widget.PadRight(join, 4), next + "     "
}

// problemMark marks a node with problems at or below it.
func (t *Tree) problemMark(n audience.Node) string {
	sign := ""
	for _, p := range t.problems {
		switch {
		case p.Severity != schema.Error || !p.Path.HasPrefix(n.Path):
		case !p.Missing():
			return " ✗"
		default:
			sign = " ○"
		}
	}
	return sign
}

// footer shows what matters at the cursor: why a key did nothing, a problem, or what can be added.
func (t *Tree) footer(w int) []string {
	text, tone := t.footerText()
	if text == "" || t.open != nil && t.failure == "" {
		return nil // the form says what matters
	}
	most := 2
	if t.failure != "" || tone == themes.ToneDanger {
		most = max(t.cfg.Height/3, most) // an error is shown in full
	}
	lines := wrapMax(text, w, most)
	for i, l := range lines {
		lines[i] = t.cfg.Theme.Paint(tone, widget.Truncate(l, w))
	}
	return lines
}

func (t *Tree) footerText() (string, themes.Tone) {
	n := t.node()
	if t.failure != "" {
		return t.failure, themes.ToneDanger
	}
	if often, ok := audience.FrequencyText(t.root.Lookup(n.Path)); ok && n.Kind == audience.Action {
		if _, err := audience.SetFrequency(t.root, n.Path, often, envOf(t.cfg)); err != nil {
			return phrase.Sentence(err.Error()), themes.ToneDanger
		}
	}
	for _, p := range t.problems {
		if p.Severity != schema.Error || !p.Path.HasPrefix(n.Path) || n.Kind == audience.Group {
			continue
		}
		text, tone := phrase.Sentence(p.Text()), themes.ToneDanger
		if field := t.cfg.Schema.At(p.Path); field != nil && field.Name != "" {
			text = field.Label() + ": " + p.Text() + "."
		}
		if p.Missing() {
			tone = themes.ToneWarning
		}
		return text, tone
	}
	switch {
	case t.locked(n.Path) != "":
		return t.locked(n.Path), themes.ToneWarning
	case n.Kind == audience.Action && n.Count == 0:
		return "Press a to add a condition on the event.", themes.ToneFaint
	}
	return "", themes.ToneFaint
}
