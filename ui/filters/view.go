package filters

import (
	"strings"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// line is one line of the body, between sentence and footer.
type line struct {
	node  int  // index of its node; -1 for none
	form  bool // it is a line of the open filter
	kind  int  // index of the kind in the menu; -1 for none
	text  string
	drawn bool // text is the content; nodes are drawn when they are visible
}

// The sentences of an empty tree, for an audience and a trigger.
const (
	emptyAudienceText = "No filters yet. Press a to add one: a user attribute, something users did, or a segment."
	emptyTriggerText  = "Press a to choose what starts this campaign."
)

// The minimum heights for a footer, and for a rule below the sentence.
const (
	footerMinHeight = 5
	ruleMinHeight   = 9
)

// arrange divides the height and renders the lines of the tree.
func (t *Tree) arrange() {
	w, h := t.cfg.Width, t.cfg.Height
	share := 4
	if t.Modal() && h < 18 {
		share = 8 // the open filter needs the lines
	}
	t.sentence = t.header(w, max(h/share, 1))
	t.lines = t.lines[:0]
	used := len(t.sentence)
	if h >= ruleMinHeight {
		used++
	}
	if h >= footerMinHeight {
		used += len(t.footer(w))
	}
	t.visibleLines = max(h-used, 0)
	if t.empty() {
		text := emptyAudienceText
		if audience.IsTrigger(t.root, t.place) {
			text = emptyTriggerText
		}
		for _, l := range widget.WrapIndented(t.cfg.Theme.Muted, text, w, 2) {
			t.setSentence(l)
		}
		t.setSentence("")
	}
	for i := range t.nodes {
		t.layNode(i)
	}
	t.top = max(0, min(t.top, len(t.lines)-t.visibleLines))
}

// rebuild renders the lines again and scrolls to the cursor.
func (t *Tree) rebuild() {
	t.arrange()
	t.scrollToCursor()
}

// empty reports whether there are no filters and none is being added.
func (t *Tree) empty() bool {
	for _, n := range t.nodes {
		if n.Count > 0 || n.Depth > 0 {
			return false
		}
	}
	return !audience.HasFilters(t.root.Lookup(t.place)) && t.menu == nil
}

func (o *outline) sentenceText() string { return audience.Describe(o.root, o.place, o.env()) }

func (t *Tree) setSentence(text string) {
	t.lines = append(t.lines, line{node: -1, kind: -1, text: text, drawn: true})
}

// header draws the sentence in at most h lines, and why the place is locked.
func (t *Tree) header(w, h int) []string {
	th := t.cfg.Theme
	var out []string
	if why := t.locked(t.place); why != "" {
		out = append(out, th.Warning.Render(widget.Truncate(widget.Clean(why), w)))
	}
	for _, l := range wrapMax(t.sentenceText(), w, h) {
		out = append(out, th.Strong.Render(widget.Truncate(l, w)))
	}
	return out
}

// layNode adds the lines of a node, of its open form, and of the menu at it.
func (t *Tree) layNode(i int) {
	at := i == t.cursor
	if !at {
		t.lines = append(t.lines, line{node: i, kind: -1})
		return
	}
	for _, text := range t.nodeText(i, t.open != nil) {
		t.lines = append(t.lines, line{node: i, kind: -1, text: text, drawn: true})
	}
	if t.menu != nil {
		t.layMenu(i)
	}
	if t.open != nil {
		t.layForm(i)
	}
}

// View draws exactly the size set by SetSize.
func (t *Tree) View() string {
	w, h := t.cfg.Width, t.cfg.Height
	if w <= 0 || h <= 0 {
		return ""
	}
	out := make([]string, 0, h)
	out = append(out, t.sentence...)
	if h >= ruleMinHeight {
		out = append(out, t.cfg.Theme.Border.Render(strings.Repeat("─", w)))
	}
	for i := t.top; i < t.top+t.visibleLines; i++ {
		switch {
		case i >= len(t.lines):
			out = append(out, "")
		case t.lines[i].drawn:
			out = append(out, t.lines[i].text)
		default:
			out = append(out, t.nodeText(t.lines[i].node, t.open != nil)[0])
		}
	}
	if h >= footerMinHeight {
		out = append(out, t.footer(w)...)
	}
	return widget.Fit(strings.Join(out, "\n"), w, h)
}

// nodeText draws a node in one line, or in as many as its text takes if it is under the cursor.
func (o *outline) nodeText(i int, opened bool) []string {
	n, w := o.nodes[i], o.cfg.Width
	at := i == o.cursor
	mark := "  "
	if at {
		mark = "▸ "
	}
	info := o.problemMarks(n)
	lead, next := o.guides(i)
	words, tone := widget.Clean(n.Text), themes.ToneText
	if n.Depth == 0 && n.Title != "" {
		words, tone = widget.Clean(n.Title), themes.ToneStrong
		switch {
		case n.Count == 0:
			words += " · empty"
		case n.Join == "or":
			words += " · ANY of these"
		default:
			words += " · ALL of these"
		}
	}
	if n.Negated {
		words = "! " + words
	}
	if o.locked(n.Path) != "" || n.Depth == 0 && n.Count == 0 {
		tone = themes.ToneMuted
	}
	room := max(w-widget.Width(mark)-widget.Width(lead)-widget.Width(info), 1)
	most := 1
	if at && (!opened || o.visibleLines > 2*maxWords) {
		most = maxWords
	}
	lines := wrapMax(words, room, most)
	out := make([]string, len(lines))
	for j, text := range lines {
		if j > 0 {
			mark, lead, info = "  ", next, ""
		}
		out[j] = o.drawLine(at, opened, mark, lead, widget.PadRight(text, room), info, tone, n.Negated && j == 0)
	}
	return out
}

// wrapMax wraps a text in at most that many lines, ending in an ellipsis if it is longer.
func wrapMax(text string, w, most int) []string {
	w, most = max(w, 1), max(most, 1)
	return widget.WrapMax(widget.Clean(text), w, most)
}

// maxWords is how many lines the text of the node under the cursor takes at most.
const maxWords = 4

func (o *outline) drawLine(at, opened bool, mark, lead, text, info string, tone themes.Tone, negated bool) string {
	th := o.cfg.Theme
	switch {
	case at && !o.inactive && !opened:
		return th.Selected.Render(widget.PadRight(mark+lead+text+info, o.cfg.Width))
	case at:
		return th.SelectedBlur.Render(widget.PadRight(mark+lead+text+info, o.cfg.Width))
	case negated:
		text = th.Warning.Render("!") + th.Paint(tone, text[1:])
	default:
		text = th.Paint(tone, text)
	}
	return mark + th.Faint.Render(lead) + text + th.Danger.Render(info)
}

// guides returns what precedes the text of a node: the lines that connect it to its group, and how it is joined
// to the node above; then the same for continuation lines.
func (o *outline) guides(i int) (lead, next string) {
	n := o.nodes[i]
	if n.Depth == 0 {
		return "", "  "
	}
	lead, next = "├", "│"
	if o.last[i] {
		lead, next = "└", " "
	}
	depth := n.Depth
	for j := i - 1; j >= 0 && depth > 1; j-- {
		if o.nodes[j].Depth < depth {
			depth = o.nodes[j].Depth
			over := "│ "
			if o.last[j] {
				over = "  "
			}
			lead, next = over+lead, over+next
		}
	}
	join := "    "
	switch {
	case n.Index > 0 && n.Kind != audience.Group:
		join = widget.PadRight(n.Join, 4)
	case n.Kind == audience.EventAttribute:
		join = "with"
	}
	if n.Kind == audience.EventAttribute {
		return lead + " " + widget.PadRight(join, 4) + " ", next + "      "
	}
	return lead + " " + join, next + "     "
}

// problemMarks shows the number of problems at or below a node.
func (o *outline) problemMarks(n audience.Node) string {
	if n.Problems == 0 {
		return ""
	}
	sign := "○"
	for _, p := range o.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(n.Path) && !p.Missing() {
			sign = "✗"
		}
	}
	return " " + sign
}

// footer shows what matters at the cursor: why a key did nothing, a problem, or the row's help.
func (t *Tree) footer(w int) []string {
	if t.open != nil && t.failure == "" {
		return nil // the form says what matters
	}
	th, least, most := t.cfg.Theme, 1, 1
	if t.cfg.Height >= 14 {
		least, most = 2, 2
	}
	text, tone := t.footerText()
	if t.failure != "" || tone == themes.ToneDanger {
		most = max(t.cfg.Height/3, most) // an error is shown in full
	}
	lines := wrapMax(text, w, most)
	for len(lines) < least {
		lines = append(lines, "")
	}
	for i, l := range lines {
		lines[i] = th.Paint(tone, widget.Truncate(l, w))
	}
	return lines
}

func (t *Tree) footerText() (string, themes.Tone) {
	switch {
	case t.failure != "":
		return t.failure, themes.ToneDanger
	case t.menu != nil:
		return "Press enter or the number to add it, esc to cancel.", themes.ToneFaint
	case t.open != nil:
		return "", themes.ToneFaint // the form says it
	}
	n := t.node()
	if often, ok := audience.FrequencyText(t.root.Lookup(n.Path)); ok && n.Kind == audience.Action {
		if _, err := audience.SetFrequency(t.root, n.Path, often, t.env()); err != nil {
			return phrase.Sentence(err.Error()), themes.ToneDanger
		}
	}
	for _, p := range t.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(n.Path) && n.Kind != audience.Group {
			tone := themes.ToneDanger
			if p.Missing() {
				tone = themes.ToneWarning
			}
			return t.problemPlace(p.Path) + problemText(p), tone
		}
	}
	switch {
	case t.locked(n.Path) != "":
		return t.locked(n.Path), themes.ToneWarning
	case n.Kind == audience.Group && n.Count == 0:
		return "Press a to add a filter.", themes.ToneFaint
	case n.Kind == audience.Group:
		turn := "ANY"
		if n.Join == "or" {
			turn = "ALL"
		}
		return "Press a to add a filter, space to match " + turn + " of these.", themes.ToneFaint
	case n.Kind == audience.Action && n.Count == 0:
		return "Press enter to edit it, or a to add a condition on the event.", themes.ToneFaint
	}
	return "", themes.ToneFaint
}

// problemPlace names the field of a problem as a prefix of its text.
func (o *outline) problemPlace(p doc.Path) string {
	if n := o.cfg.Schema.At(p); n != nil && n.Name != "" {
		return n.Label() + ": "
	}
	return ""
}

func problemText(p schema.Problem) string {
	if p.FormMessage != "" {
		return p.FormMessage + "."
	}
	return p.Message + "."
}

// scrollToCursor scrolls to the cursor: the focused row with its suggestions, or the node.
func (t *Tree) scrollToCursor() {
	from, to := -1, -1
	for i, l := range t.lines {
		if t.isCursor(l) {
			if from < 0 {
				from = i
			}
			to = i
		}
	}
	if from < 0 {
		return
	}
	if t.cursor == 0 && t.open == nil {
		from = 0 // and the lines above the first node
	}
	if to >= t.top+t.visibleLines {
		t.top = to - t.visibleLines + 1
	}
	if from < t.top {
		t.top = from
	}
	t.top = max(0, min(t.top, len(t.lines)-t.visibleLines))
}

func (t *Tree) isCursor(l line) bool {
	switch {
	case l.node != t.cursor:
		return false
	case t.menu != nil:
		return true
	case t.open != nil:
		return l.form
	}
	return true
}
