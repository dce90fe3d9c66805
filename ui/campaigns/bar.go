package campaigns

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine/search/query"
	"bugle/forms/typeahead"
	"bugle/themes"
	"bugle/ui/widget"
)

// searchBar is the line that searches are typed in: with ways to go on below it, and what it means or
// what is wrong with it.
type searchBar struct {
	theme  themes.Theme
	prompt widget.Prompt

	completions []query.Completion
	list   typeahead.List // the offers, and the text as it is
	moved  bool           // the person chose a row

	recent  []string // searches made before, the newest first
	recentIndex  int      // how far back in them the person has gone; 0: not at all
	draft string   // what was there before going back

	explain  string
	problems []query.Problem
}

func newSearchBar(t themes.Theme) searchBar {
	return searchBar{theme: t, prompt: widget.NewPrompt(t, "/", "words, or status:draft tag:sale updated:<7d · ↑ earlier searches")}
}

func (b *searchBar) setTheme(t themes.Theme) {
	b.theme = t
	b.prompt.SetTheme(t)
}

func (b *searchBar) text() string { return b.prompt.Value() }

// set puts a text in the line.
func (b *searchBar) set(text string) {
	b.prompt.SetValue(text)
	b.close()
}

// close takes the offers away.
func (b *searchBar) close() {
	b.completions, b.moved = nil, false
	b.list.Clear()
}

// visible reports whether the line is in sight.
func (b *searchBar) visible() bool { return b.prompt.Focused() || b.text() != "" }

// lines is how many lines the bar takes: the search, and what it means while it is typed or wrong.
func (b *searchBar) lines() int {
	switch {
	case !b.visible():
		return 0
	case b.prompt.Focused() || len(b.problems) > 0:
		return 2
	}
	return 1
}

func (b *searchBar) focus() { b.prompt.Focus() }

func (b *searchBar) blur() {
	b.prompt.Blur()
	b.recentIndex = 0
	b.close()
}

// key takes a key, and says whether the text changed and whether the key was one of the bar's.
func (b *searchBar) key(msg tea.KeyMsg) (changed, took bool) {
	switch msg.String() {
	case "tab":
		return b.applyCompletion(b.highlighted()), true
	case "right", "ctrl+f":
		if b.cursor() == len(b.text()) {
			return b.applyCompletion(b.highlighted()), true
		}
	case "up", "ctrl+p":
		return b.up(), true
	case "down", "ctrl+n":
		return b.down(), true
	case "pgup", "pgdown":
		return false, false
	}
	if b.prompt.Update(msg) {
		b.recentIndex = 0
		return true, true
	}
	return false, false
}

// highlighted returns the offer that is highlighted, else the first.
func (b *searchBar) highlighted() int {
	row, _ := b.list.Highlighted()
	return max(row.Ref, 0)
}

// acceptIndex returns the offer that enter takes; false where it keeps the text as it is.
func (b *searchBar) acceptIndex() (int, bool) {
	row, ok := b.list.Highlighted()
	return row.Ref, ok && !row.Free
}

// up goes up in the offers, and from the first of them to earlier searches.
func (b *searchBar) up() bool {
	if b.recentIndex == 0 && b.list.Key("up") {
		b.moved = b.list.At() >= 0
		return false
	}
	if b.recentIndex >= len(b.recent) {
		return false
	}
	if b.recentIndex == 0 {
		b.draft = b.text()
	}
	b.recentIndex++
	if b.recent[b.recentIndex-1] == b.draft && b.recentIndex < len(b.recent) {
		b.recentIndex++
	}
	b.prompt.SetValue(b.recent[b.recentIndex-1])
	return true
}

// down goes back to later searches, and then down in the offers.
func (b *searchBar) down() bool {
	switch {
	case b.recentIndex > 1:
		b.recentIndex--
		b.prompt.SetValue(b.recent[b.recentIndex-1])
		return true
	case b.recentIndex == 1:
		b.recentIndex = 0
		b.prompt.SetValue(b.draft)
		return true
	}
	b.moved = b.list.Key("down") || b.moved
	return false
}

// applyCompletion goes on with an offer.
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
	for b.cursor() > c.From+len(put) {
		before := b.cursor()
		if b.prompt.Update(tea.KeyMsg{Type: tea.KeyLeft}); b.cursor() == before {
			break
		}
	}
	b.moved, b.recentIndex = false, 0
	return true
}

// cursor returns the position of the text cursor, in bytes: what a copy of the line loses where all
// before the cursor is deleted.
func (b *searchBar) cursor() int {
	p := b.prompt
	p.Focus()
	p.Update(tea.KeyMsg{Type: tea.KeyCtrlU})
	return len(b.text()) - len(p.Value())
}

// complete makes the offers for what is typed now. Where no word is begun they would lie over what was
// found; tab asks for them.
func (b *searchBar) complete(k knownValues, now time.Time) {
	b.completions = nil
	text, cursor := b.text(), b.cursor()
	if b.prompt.Focused() && (text == "" || inWord(text, cursor)) {
		b.completions = b.completionsFor(k, now)
	}
	b.setCompletions(text != "", b.wordIsComplete(k, now))
}

// setCompletions lists the offers. Where a person typed, the text as it is comes first; it is highlighted where it is right.
func (b *searchBar) setCompletions(typed, right bool) {
	if len(b.completions) == 0 {
		b.close()
		return
	}
	items := make([]typeahead.Item, len(b.completions))
	for i, c := range b.completions {
		items[i] = typeahead.Item{Value: c.Text, Info: completionLabel(c), Ref: i}
	}
	b.list.Show(typeahead.Offer{Items: items, Text: strings.TrimSpace(b.text()), Typed: typed, Free: typed, Lead: true, Right: right})
}

// wordIsComplete reports whether the word at the cursor can be searched for as it is: it is no value that was only begun.
func (b *searchBar) wordIsComplete(k knownValues, now time.Time) bool {
	text, cursor := b.text(), b.cursor()
	word := text[strings.LastIndexByte(text[:cursor], ' ')+1 : cursor]
	return !strings.Contains(word, ":") || slices.ContainsFunc(query.Complete(text, cursor, k.env(now)), func(c query.Completion) bool { return alreadyPresent(text, c) })
}

// alreadyPresent reports whether a completion is in the text already.
func alreadyPresent(text string, c query.Completion) bool {
	return c.To <= len(text) && query.Same(text[c.From:c.To], c.Text)
}

// completionsFor returns every offer. What is there already is none.
func (b *searchBar) completionsFor(k knownValues, now time.Time) []query.Completion {
	text := b.text()
	return slices.DeleteFunc(query.Complete(text, b.cursor(), k.env(now)), func(c query.Completion) bool { return alreadyPresent(text, c) })
}

// inWord reports whether a word stands before the cursor.
func inWord(text string, cursor int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:cursor])
	return r != utf8.RuneError && !unicode.IsSpace(r)
}

// addRecent puts a search first among the earlier ones.
func addRecent(past []string, text string) []string {
	if text = strings.TrimSpace(text); text == "" {
		return past
	}
	out := append([]string{text}, slices.DeleteFunc(slices.Clone(past), func(p string) bool { return p == text })...)
	return out[:min(len(out), maxRecent)]
}

// maxRecent is how many searches are remembered.
const maxRecent = 50

// view draws the bar, w cells wide.
func (b *searchBar) view(w int) string {
	b.prompt.SetSize(w, 1)
	line := b.prompt.View()
	if len(b.problems) > 0 && widget.Width(b.text())+3 < w {
		line = b.underlineProblems(line, w)
	}
	if b.lines() < 2 {
		return line
	}
	hint := b.theme.Faint.Render(widget.Truncate("  "+widget.Clean(b.explain), w))
	if p, ok := b.problem(); ok {
		hint = b.theme.Warning.Render(widget.Truncate("! "+widget.Clean(problemText(p)), w))
	}
	return line + "\n" + widget.Fit(hint, w, 1)
}

// problemText says what is wrong and then what was probably meant; advice comes last, for the line may be too short.
func problemText(p query.Problem) string {
	if p.Nearest == "" {
		return p.Message
	}
	wrong, advice, _ := strings.Cut(p.Message, ". ")
	return strings.TrimSpace(strings.TrimSuffix(wrong, ".") + ". Did you mean " + p.Nearest + "? " + advice)
}

// problem returns the problem to tell of. Of the word that is still being typed there is none.
func (b *searchBar) problem() (query.Problem, bool) {
	for _, p := range b.problems {
		if b.prompt.Focused() && len(b.completions) > 0 && p.To == b.cursor() {
			continue
		}
		return p, true
	}
	return query.Problem{}, false
}

// underlineProblems underlines the words that are wrong.
func (b *searchBar) underlineProblems(line string, w int) string {
	text := b.text()
	for _, p := range b.problems {
		if p.To > len(text) || p.From >= p.To || b.prompt.Focused() && p.To == b.cursor() {
			continue
		}
		piece := b.theme.Danger.Underline(true).Render(widget.Clean(text[p.From:p.To]))
		line = widget.Overlay(line, piece, 2+widget.Width(widget.Clean(text[:p.From])), 0, w, 1)
	}
	return line
}

// maxCompletions is how many offers are in sight.
const maxCompletions = 8

// completionFrame are the cells that the frame of the offers takes at both sides.
const completionFrame = 4

// dropdown draws the offers, at most w cells wide and h lines high, and returns the column that they belong
// at. Empty where there are none.
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

// completionLabel says what an offer means, and how many campaigns have it.
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
