package campaigns

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/search/query"
	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/widget"
)

// searchBar is the search field with completions below it, and an explanation of the query or its problems.
type searchBar struct {
	theme  *themes.Theme
	prompt widget.Prompt

	completions []query.Completion
	list        typeahead.List // the completions, and the text itself
	moved       bool           // the user has moved in the list

	explain  string
	problems []query.Problem
}

func newSearchBar(t *themes.Theme) searchBar {
	return searchBar{theme: t, prompt: widget.NewPrompt(t, "/", "words, or status:draft tag:sale updated:<7d")}
}

func (b *searchBar) text() string { return b.prompt.Value() }

// set replaces the text.
func (b *searchBar) set(text string) {
	b.prompt.SetValue(text)
	b.close()
}

// close hides the completions.
func (b *searchBar) close() {
	b.completions, b.moved = nil, false
	b.list.Clear()
}

// visible reports whether the bar is shown.
func (b *searchBar) visible() bool { return b.prompt.Focused() || b.text() != "" }

// lines returns the height of the bar: the search, and its explanation while it is typed or invalid.
func (b *searchBar) lines() int {
	switch {
	case !b.visible():
		return 0
	case b.prompt.Focused() || len(b.problems) > 0:
		return 2
	}
	return 1
}

func (b *searchBar) blur() {
	b.prompt.Blur()
	b.close()
}

// key handles a key, and reports whether the text changed and whether the bar handled the key.
func (b *searchBar) key(msg tea.KeyMsg) (changed, took bool) {
	switch msg.String() {
	case "tab":
		return b.applyCompletion(b.highlighted()), true
	case "right", "ctrl+f":
		if b.cursor() == len(b.text()) {
			return b.applyCompletion(b.highlighted()), true
		}
	case "up", "ctrl+p":
		b.list.Key("up")
		b.moved = b.list.At() >= 0
		return false, true
	case "down", "ctrl+n":
		b.moved = b.list.Key("down") || b.moved
		return false, true
	case "pgup", "pgdown":
		return false, false
	}
	took = b.prompt.Update(msg)
	return took, took
}

// highlighted returns the highlighted completion, or else the first one.
func (b *searchBar) highlighted() int {
	row, _ := b.list.Highlighted()
	return max(row.Ref, 0)
}

// acceptIndex returns the completion that enter accepts; false if it keeps the text.
func (b *searchBar) acceptIndex() (int, bool) {
	row, ok := b.list.Highlighted()
	return row.Ref, ok && !row.Free
}

// applyCompletion inserts a completion.
func (b *searchBar) applyCompletion(i int) bool {
	if i >= len(b.completions) {
		return false
	}
	c, text := b.completions[i], b.text()
	if c.To > len(text) {
		return false
	}
	put, rest := c.Text, text[c.To:]
	if !strings.HasSuffix(put, ":") && rest == "" {
		put += " " // the word is complete
	}
	b.prompt.SetValue(text[:c.From] + put + rest)
	b.prompt.Left(utf8.RuneCountInString(rest))
	b.moved = false
	return true
}

// cursor returns the byte position of the cursor.
func (b *searchBar) cursor() int {
	before, _ := b.prompt.Split()
	return len(before)
}

// complete updates the completions. Without a word at the cursor they would cover the results, so they are only
// shown on tab, which asks for them.
func (b *searchBar) complete(env query.Env, asked bool) {
	text, cursor := b.text(), b.cursor()
	if !b.prompt.Focused() || !asked && text != "" && !inWord(text, cursor) {
		b.close()
		return
	}
	word := text[strings.LastIndexByte(text[:cursor], ' ')+1 : cursor]
	whole := !strings.Contains(word, ":") // it can be searched for as it is
	b.completions = slices.DeleteFunc(query.Complete(text, cursor, env), func(c query.Completion) bool {
		present := c.To <= len(text) && query.Same(text[c.From:c.To], c.Text)
		whole = whole || present
		return present
	})
	if len(b.completions) == 0 {
		b.close()
		return
	}
	items := make([]typeahead.Item, len(b.completions))
	for i, c := range b.completions {
		items[i] = typeahead.Item{Value: c.Text, Info: completionLabel(c), Ref: i}
	}
	typed := text != "" && !asked
	b.list.Show(typeahead.Options{Items: items, Text: strings.TrimSpace(text), Typed: typed, Free: typed, TextFirst: true, Valid: whole})
}

// inWord reports whether the cursor is after a partial word.
func inWord(text string, cursor int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:cursor])
	return r != utf8.RuneError && !unicode.IsSpace(r)
}

// view draws the bar, w cells wide.
func (b *searchBar) view(w int) string {
	b.prompt.SetSize(w, 1)
	line := b.prompt.View()
	if b.lines() < 2 {
		return line
	}
	hint := b.theme.Faint.Render(widget.Truncate("  "+widget.Clean(b.explain), w))
	if p, ok := b.problem(); ok {
		hint = b.theme.Warning.Render(widget.Truncate("! "+widget.Clean(problemText(p)), w))
	}
	return line + "\n" + widget.Fit(hint, w, 1)
}

// maxAdvised is how many possible words a problem lists.
const maxAdvised = 16

// problemText describes the problem and then a correction, which may be cut off in a short line.
func problemText(p query.Problem) string {
	wrong, advice, _ := strings.Cut(p.Message, ". ")
	wrong = strings.TrimSuffix(wrong, ".") + ". "
	switch {
	case p.Nearest != "":
		wrong += "Did you mean " + p.Nearest + "? "
	case len(p.Allowed) > 0 && len(p.Allowed) <= maxAdvised:
		wrong += "Use " + strings.Join(p.Allowed, ", ") + ". "
	}
	return strings.TrimSpace(wrong + advice)
}

// problem returns the problem to show. The word being typed is not checked yet.
func (b *searchBar) problem() (query.Problem, bool) {
	for _, p := range b.problems {
		if b.prompt.Focused() && len(b.completions) > 0 && p.To == b.cursor() {
			continue
		}
		return p, true
	}
	return query.Problem{}, false
}

// maxCompletions is how many completions are visible.
const maxCompletions = 8

// completionFrame is the width of the list's frame.
const completionFrame = 4

// dropdown draws the completions, at most w cells wide and h lines high, and returns their column. It is empty
// if there are none.
func (b *searchBar) dropdown(w, h int) (box string, x int) {
	n := min(b.list.Len(), maxCompletions, max(h-2, 0))
	if !b.prompt.Focused() || n == 0 {
		return "", 0
	}
	const sign, gap = 2, 2
	texts, labels := 0, 0
	for _, c := range b.completions {
		texts, labels = max(texts, widget.Width(widget.Clean(c.Text))), max(labels, widget.Width(completionLabel(c)))
	}
	if b.text() != "" {
		texts = max(texts, min(widget.Width(widget.Clean(b.text()))+widget.Width("Use “”"), 30))
	}
	width := min(sign+texts+gap+labels+completionFrame, max(w, completionFrame+1))
	panel := widget.NewPanel(b.theme, "")
	panel.Focused = true
	panel.SetSize(width, n+2)
	if text := b.text(); b.completions[0].From <= len(text) {
		x = widget.Width(widget.Clean(text[:b.completions[0].From]))
	}
	inner, _ := panel.Inner()
	return panel.View(strings.Join(b.list.Lines(b.theme, inner, n), "\n")), min(x, max(w-width, 0))
}

// completionLabel describes a completion and its number of campaigns.
func completionLabel(c query.Completion) string {
	label := widget.Clean(c.Label)
	if query.Same(label, c.Text) {
		label = ""
	}
	if c.Count >= 0 {
		label = strings.TrimSpace(label + " " + shortCount(c.Count))
	}
	return ansi.Strip(label)
}
