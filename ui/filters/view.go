package filters

import (
	"strings"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// line is one of those between the sentence and the foot.
type line struct {
	node  int // that it is of; -1 for none
	row   int // of the open filter; -1 for none
	name  int // that is offered there; -1 for none
	kind  int // of what can be added; -1 for none
	text  string
	drawn bool // text is what to draw; nodes are drawn when they are in sight
	chips []chip
}

// chip is an option of a choice, and the columns that it takes.
type chip struct {
	value    string
	from, to int
}

// What a tree without a filter says: that of an audience, and that of a trigger.
const (
	nobody  = "No filters yet. Press a to add one: a user attribute, something users did, or a segment."
	nothing = "Press a to choose what starts this campaign."
)

// footFrom and ruleFrom are the heights from which there is a foot, and a rule below the sentence.
const (
	footFrom = 5
	ruleFrom = 9
)

// arrange divides the height and makes the lines of the tree.
func (t *Tree) arrange() {
	w, h := t.cfg.Width, t.cfg.Height
	share := 4
	if t.Modal() && h < 18 {
		share = 8 // what is being filled in needs the lines
	}
	t.sentence = t.head(w, max(h/share, 1))
	t.lines = t.lines[:0]
	used := len(t.sentence)
	if h >= ruleFrom {
		used++
	}
	if h >= footFrom {
		used += len(t.foot(w))
	}
	t.body = max(h-used, 0)
	if t.empty() {
		text := nobody
		if audience.IsTrigger(t.root, t.place) {
			text = nothing
		}
		for _, l := range widget.Wrap(text, max(w-2, 1)) {
			t.say("  " + t.cfg.Theme.Muted.Render(l))
		}
		t.say("")
	}
	for i := range t.nodes {
		t.layNode(i)
	}
	t.top = max(0, min(t.top, len(t.lines)-t.body))
}

// settle makes the lines of the tree anew, the cursor in sight.
func (t *Tree) settle() {
	t.arrange()
	t.reveal()
}

// empty reports that nothing is picked and nothing is being added.
func (t *Tree) empty() bool {
	for _, n := range t.nodes {
		if n.Count > 0 || n.Depth > 0 {
			return false
		}
	}
	return !audience.HasFilters(t.root.Lookup(t.place)) && t.menu == nil
}

func (o *outline) plain() string { return audience.Describe(o.root, o.place, o.env()) }

func (t *Tree) say(text string) {
	t.lines = append(t.lines, line{node: -1, row: -1, name: -1, kind: -1, text: text, drawn: true})
}

// head draws the sentence, in at most h lines, and why the place is locked.
func (t *Tree) head(w, h int) []string {
	th := t.cfg.Theme
	var out []string
	if why := t.locked(t.place); why != "" {
		out = append(out, th.Warning.Render(widget.Truncate(widget.Clean(why), w)))
	}
	for _, l := range wrapped(t.plain(), w, h) {
		out = append(out, th.Strong.Render(widget.Truncate(l, w)))
	}
	return out
}

// layNode adds the lines of a node, of what is open in it, and of what can be added at it.
func (t *Tree) layNode(i int) {
	at := i == t.at
	if !at {
		t.lines = append(t.lines, line{node: i, row: -1, name: -1, kind: -1})
		return
	}
	for _, text := range t.nodeText(i, t.open != nil) {
		t.lines = append(t.lines, line{node: i, row: -1, name: -1, kind: -1, text: text, drawn: true})
	}
	if t.menu != nil {
		t.layMenu(i)
	}
	if t.open != nil {
		t.open.lay(i, func(l line) { t.lines = append(t.lines, l) })
	}
}

// View draws the pane: exactly as wide and as high as SetSize said.
func (t *Tree) View() string {
	w, h := t.cfg.Width, t.cfg.Height
	if w <= 0 || h <= 0 {
		return ""
	}
	out := make([]string, 0, h)
	out = append(out, t.sentence...)
	if h >= ruleFrom {
		out = append(out, t.cfg.Theme.Border.Render(strings.Repeat("─", w)))
	}
	for i := t.top; i < t.top+t.body; i++ {
		switch {
		case i >= len(t.lines):
			out = append(out, "")
		case t.lines[i].drawn:
			out = append(out, t.lines[i].text)
		default:
			out = append(out, t.nodeText(t.lines[i].node, t.open != nil)[0])
		}
	}
	if h >= footFrom {
		out = append(out, t.foot(w)...)
	}
	return widget.Fit(strings.Join(out, "\n"), w, h)
}

// nodeText draws a node: one line, and under the cursor as many as its words take.
func (o *outline) nodeText(i int, opened bool) []string {
	n, w := o.nodes[i], o.cfg.Width
	at := i == o.at
	mark := "  "
	if at {
		mark = "▸ "
	}
	info := o.marks(n)
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
	if at && (!opened || o.body > 2*maxWords) {
		most = maxWords
	}
	lines := wrapped(words, room, most)
	out := make([]string, len(lines))
	for j, text := range lines {
		if j > 0 {
			mark, lead, info = "  ", next, ""
		}
		out[j] = o.drawLine(at, opened, mark, lead, widget.PadRight(text, room), info, tone, n.Negated && j == 0)
	}
	return out
}

// wrapped breaks a text into lines, at most so many; a text that is longer ends in an ellipsis.
func wrapped(text string, w, most int) []string {
	w, most = max(w, 1), max(most, 1)
	return widget.WrapMax(widget.Clean(text), w, most)
}

// maxWords is how many lines the words of the node under the cursor take at most.
const maxWords = 4

func (o *outline) drawLine(at, opened bool, mark, lead, text, info string, tone themes.Tone, negated bool) string {
	th := o.cfg.Theme
	switch {
	case at && !o.resting && !opened:
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

// guides returns what stands before the words of a node: the lines that tie it to its group, and how it
// is joined to the one above; then the same for further lines of its words.
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

// marks tells how many problems lie at or below a node.
func (o *outline) marks(n audience.Node) string {
	if n.Problems == 0 {
		return ""
	}
	sign := "○"
	for _, p := range o.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(n.Path) && !missing(p) {
			sign = "✗"
		}
	}
	return " " + sign
}

// missing reports a problem that only says that something is to be filled in.
func missing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_of"
}

// foot tells what matters at the cursor: why a key did nothing, what is wrong, what the row is for.
func (t *Tree) foot(w int) []string {
	th, least, most := t.cfg.Theme, 1, 1
	if t.cfg.Height >= 14 {
		least, most = 2, 2
	}
	text, tone := t.footText()
	if t.failure != "" || tone == themes.ToneDanger {
		most = max(t.cfg.Height/3, most) // what went wrong is said to its end
	}
	lines := wrapped(text, w, most)
	for len(lines) < least {
		lines = append(lines, "")
	}
	for i, l := range lines {
		lines[i] = th.Paint(tone, widget.Truncate(l, w))
	}
	return lines
}

func (t *Tree) footText() (string, themes.Tone) {
	switch {
	case t.failure != "":
		return t.failure, themes.ToneDanger
	case t.menu != nil:
		return "Press enter or the number to add it, esc to cancel.", themes.ToneFaint
	case t.open != nil:
		r, ok := t.open.row()
		if !ok {
			return "", themes.ToneFaint
		}
		if p, ok := t.problemAt(r); ok && !missing(p) {
			return problemText(p), themes.ToneDanger
		}
		return t.open.help(r), themes.ToneFaint
	}
	n := t.node()
	for _, p := range t.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(n.Path) && n.Kind != audience.Group {
			tone := themes.ToneDanger
			if missing(p) {
				tone = themes.ToneWarning
			}
			return t.where(p.Path) + problemText(p), tone
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

// where names the field of a problem, to stand before its words.
func (o *outline) where(p doc.Path) string {
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

// problemAt returns what is wrong with what a row holds.
func (o *outline) problemAt(r row) (schema.Problem, bool) {
	for _, p := range o.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(r.input.State.Path) {
			return p, true
		}
	}
	return schema.Problem{}, false
}

// reveal scrolls so that the cursor is in sight: the row with what is offered below it, or the node.
func (t *Tree) reveal() {
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
	if t.open != nil && to+1 < len(t.lines) && t.lines[to+1].node == t.at {
		to++ // where the keyboard goes next
	}
	if t.at == 0 && t.open == nil {
		from = 0 // and what stands above the first node
	}
	if to >= t.top+t.body {
		t.top = to - t.body + 1
	}
	if from < t.top {
		t.top = from
	}
	t.top = max(0, min(t.top, len(t.lines)-t.body))
}

func (t *Tree) isCursor(l line) bool {
	switch {
	case l.node != t.at:
		return false
	case t.menu != nil:
		return true
	case t.open != nil:
		return l.row == t.open.at
	}
	return true
}
