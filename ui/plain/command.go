package plain

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/keymap"
	"bugle/ui/screen"
)

// grammar describes the commands that do not depend on the page.
const grammar = "A number opens that row; a number and a word do that with the row. /words searches. " +
	"more prints more rows, list all from the first. " +
	". says where you are, .. goes back, quit ends."

// command handles a line at the prompt.
func (d *driver) command(page screen.Page, line string) tea.Cmd {
	text := strings.TrimSpace(line)
	if words, ok := strings.CutPrefix(text, "/"); ok {
		return d.search(page, strings.TrimSpace(words))
	}
	text = strings.ToLower(strings.TrimPrefix(text, ":"))
	first, rest, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(first)
	switch m := d.heard[d.key]; {
	case text == "":
	case text == "?" || text == "help":
		d.help(page)
	case text == "quit":
		return d.quit()
	case text == ".":
		d.where(page)
	case text == ".." || text == "back":
		if d.model.AtStart() {
			d.console.say("This is the first page. quit ends.")
			return nil
		}
		return d.back()
	case text == "more" && m.top+windowRows >= m.count:
		d.console.say("That is all.")
	case text == "more":
		m.top += windowRows
		d.listing = true
	case text == "list":
		m.top, m.lines, m.summary, d.listing = 0, nil, "", true
	case err == nil:
		return d.number(page, n, strings.TrimSpace(rest))
	case page.Question:
		return d.choice(page, text)
	default:
		return d.word(text)
	}
	return nil
}

// quit ends the program, after the questions of what is open.
func (d *driver) quit() tea.Cmd { return d.pass(tea.KeyMsg{Type: tea.KeyCtrlC}) }

// search narrows the rows of the page.
func (d *driver) search(page screen.Page, words string) tea.Cmd {
	if page.Search == nil {
		d.console.say("There is nothing to search here.")
		return nil
	}
	d.heard[d.key].top, d.listing = 0, true
	return d.do(func() tea.Cmd { return page.Search(words) })
}

// number chooses a row, or does something with it.
func (d *driver) number(page screen.Page, n int, word string) tea.Cmd {
	rows := page.AllRows()
	switch {
	case rows.Len() == 0:
		d.console.say("There are no rows here.")
		return nil
	case n < 1 || n > rows.Len():
		d.console.say(fmt.Sprintf("There is no row %d. They end at %d.", n, rows.Len()))
		return nil
	}
	row := rows.Row(n - 1)
	if row.DisabledReason != "" {
		d.console.say(row.Text + " is not available: " + phrase.Sentence(d.spoken(row.DisabledReason)))
		return nil
	}
	selected := d.do(row.Select)
	if word != "" {
		return tea.Sequence(selected, d.word(word))
	}
	return tea.Sequence(selected, d.openRow(page, n-1, row))
}

// openRow opens a row, or asks for its field.
func (d *driver) openRow(page screen.Page, at int, row screen.Row) tea.Cmd {
	if row.Field != nil && row.Open == nil {
		d.paused = false
		d.asked = &question{at: at, name: row.Text, alone: !page.Form}
		return nil
	}
	switch {
	case row.Open != nil:
		d.heard[d.key].opened = row.Text
		return d.do(row.Open)
	case row.Select != nil:
		d.heard[d.key].opened = row.Text
		return d.pass(tea.KeyMsg{Type: tea.KeyEnter})
	}
	d.console.say(rowLine(at, row))
	return nil
}

// choice answers a question by the name of an answer.
func (d *driver) choice(page screen.Page, text string) tea.Cmd {
	rows := page.AllRows()
	var names []string
	for i := range rows.Len() {
		names = append(names, rows.Row(i).Text)
	}
	found := match(names, text)
	if len(found) == 1 && (len(names) > 2 || strings.EqualFold(names[found[0]], text)) { // a button is named in full
		return d.number(page, found[0]+1, "")
	}
	if last := rows.Len(); last == 2 || last == 1 { // buttons: the first one means yes
		switch text {
		case "yes", "y":
			return d.number(page, 1, "")
		case "no", "n":
			return d.number(page, last, "")
		}
	}
	if _, ok := d.find(text); ok {
		return d.word(text)
	}
	d.console.say(fmt.Sprintf("%q is not one of the answers.", text))
	return nil
}

// find returns the action with that word.
func (d *driver) find(word string) (screen.Action, bool) {
	word = strings.ReplaceAll(word, "-", " ")
	all := d.model.Words()
	for _, a := range all {
		if a.Word() == word {
			return a, true
		}
	}
	for _, a := range all {
		if strings.ToLower(a.Label) == word {
			return a, true
		}
	}
	return screen.Action{}, false
}

// word runs the action with that word.
func (d *driver) word(word string) tea.Cmd {
	a, ok := d.find(word)
	if !ok {
		d.console.say(fmt.Sprintf("%q is not a word here. ? lists them.", word))
		return nil
	}
	if a.DisabledReason == "" && a.Word() == wordTodo {
		d.todo = wordTodo
	}
	return d.do(func() tea.Cmd { return d.model.Choose(a) })
}

// wordTodo is the word of the action that goes to the next field that is missing or wrong.
const wordTodo = "next to do"

// help lists the words.
func (d *driver) help(page screen.Page) {
	var plain []string // the words that say all
	for _, a := range d.model.Words() {
		word, help := a.Word(), strings.TrimSuffix(d.spoken(cmp.Or(a.Help, a.Label)), ".")
		switch {
		case a.DisabledReason != "":
			d.console.say(word + ": " + help + ". Not now: " + phrase.Sentence(d.spoken(a.DisabledReason)))
		case strings.EqualFold(word, help):
			plain = append(plain, word)
		default:
			d.console.say(word + ": " + help + ".")
		}
	}
	if len(plain) > 0 {
		d.console.say("Also: " + strings.Join(plain, ", ") + ".")
	}
	if page.Question {
		d.console.say("Type the number or the name of an answer. .. cancels.")
		return
	}
	d.console.say(grammar)
}

var (
	pressKey  = regexp.MustCompile(`\b[Pp]ress ([^ .,;]+)`)
	parentKey = regexp.MustCompile(`\(((?:ctrl|alt)\+[^ )]+|f\d+)\)`)
)

// spoken returns a text of the program as it is said: where it mentions keys, with the words for them.
func (d *driver) spoken(text string) string {
	text = strings.NewReplacer(" › ", ", ", " · ", ", ", "\n\n", "\n").Replace(text)
	text = pressKey.ReplaceAllStringFunc(text, func(s string) string {
		verb, key, _ := strings.Cut(s, " ")
		word, ok := d.wordOf(key)
		if !ok {
			return s
		}
		if verb == "Press" {
			return "Type " + word
		}
		return "type " + word
	})
	return parentKey.ReplaceAllStringFunc(text, func(s string) string {
		if word, ok := d.wordOf(strings.Trim(s, "()")); ok {
			return "(" + word + ")"
		}
		return s
	})
}

// wordOf returns the word for a key as texts mention it.
func (d *driver) wordOf(key string) (string, bool) {
	switch key {
	case "esc":
		return "..", true
	case "enter":
		return "its number", true
	case "/":
		return "/ and words", true
	}
	for _, a := range d.model.Words() {
		for _, k := range a.Keys {
			if k == key || keymap.Format(k) == key {
				return a.Word(), true
			}
		}
	}
	return "", false
}
