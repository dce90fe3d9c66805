package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// question is the field that is asked.
type question struct {
	at    int    // its row
	name  string // the text of the row
	alone bool   // it is asked alone: the prompt follows
	done  bool   // it was answered, or passed
	given bool   // something was answered
	wrong string // the problem that was printed for an answer
	told  bool   // what is to know about it was printed
}

// ask asks the field of a row.
func (d *driver) ask(page screen.Page, rows screen.Rows, at int) (tea.Cmd, bool) {
	d.asked = &question{at: at}
	d.askField(page, rows)
	return nil, false
}

// begin asks the fields of a form, from the row under the cursor.
func (d *driver) begin(page screen.Page, rows screen.Rows) (tea.Cmd, bool) {
	at := max(page.Cursor-1, 0)
	if m := d.heard[d.key]; m.opened != "" && at < rows.Len() && rows.Row(at).Text == m.opened { // back from what was opened there
		m.opened = ""
		d.asked = &question{at: at, name: rows.Row(at).Text, done: true}
		return d.goOn(page, rows)
	}
	if d.todo != "" {
		at = missingRow(page, rows, at)
	}
	return d.ask(page, rows, at)
}

// missingRow returns the row to fill in: the one at the cursor or, if nothing is wrong with it, one that is named by what is
// wrong with the whole form.
func missingRow(page screen.Page, rows screen.Rows, at int) int {
	if at < rows.Len() && rows.Row(at).Problem != "" {
		return at
	}
	for i := range rows.Len() {
		if r := rows.Row(i); r.State == "" && strings.Contains(page.Summary, r.Text) {
			return i
		}
	}
	return at
}

// goOn asks what follows an answer: the field again if the answer is not valid, the next one, or none.
func (d *driver) goOn(page screen.Page, rows screen.Rows) (tea.Cmd, bool) {
	q := d.asked
	q.at = rowNamed(rows, q)
	row, field := screen.Row{}, &screen.FormField{}
	if q.at < rows.Len() {
		row = rows.Row(q.at)
		field = cmp.Or(row.Field, field)
	}
	switch {
	case q.given && row.Problem != "" && row.Problem != q.wrong:
		q.done, q.given, q.told, q.wrong = false, false, false, row.Problem
		d.askField(page, rows)
	case q.given && field.AddsRow && page.Cursor > 0 && page.Cursor <= rows.Len():
		return d.ask(page, rows, page.Cursor-1)
	case q.given && field.Again:
		d.asked = &question{at: q.at, alone: q.alone}
		d.askField(page, rows)
	case d.todo != "" && q.given:
		return d.nextTodo()
	case q.alone:
		d.asked = nil
		d.console.ask(promptOf(page))
	case q.at+1 < rows.Len():
		return d.ask(page, rows, q.at+1)
	default:
		return d.finish(page, rows), true
	}
	return nil, false
}

// rowNamed returns the row of a question after the rows may have changed: the nearest one of its name.
func rowNamed(rows screen.Rows, q *question) int {
	found := rows.Len()
	for i := range rows.Len() {
		if rows.Row(i).Text == q.name && (found == rows.Len() || distance(i, q.at) < distance(found, q.at)) {
			found = i
		}
	}
	if found == rows.Len() {
		return min(q.at, found)
	}
	return found
}

func distance(a, b int) int { return max(a-b, b-a) }

// nextTodo goes to the next field that is missing or wrong, or back to the page before the form.
func (d *driver) nextTodo() (tea.Cmd, bool) {
	d.asked = nil
	if a, ok := d.find(d.todo); ok && a.DisabledReason == "" {
		d.key = "" // the place may be the same
		return d.do(a.Run), true
	}
	d.todo = ""
	return d.leaveForms(), true
}

// maxNested is how many forms are open at most, one in the other.
const maxNested = 10

// leaveForms goes back until no form is open.
func (d *driver) leaveForms() tea.Cmd {
	var cmds []tea.Cmd
	for range maxNested {
		if page, _ := d.page(); !page.Form {
			break
		}
		cmds = append(cmds, d.back())
	}
	return tea.Batch(cmds...)
}

// finish ends a form after its last question.
func (d *driver) finish(page screen.Page, rows screen.Rows) tea.Cmd {
	d.asked, d.todo = nil, ""
	for i := range rows.Len() {
		if r := rows.Row(i); r.Problem != "" {
			d.console.say("Still to do: " + r.Text + ". " + phrase.Sentence(r.Problem))
		}
	}
	for _, line := range page.After {
		d.console.say(line)
	}
	if page.Done != nil {
		return d.do(page.Done)
	}
	return d.back()
}

// askField prints what is to know about a field, and asks for it.
func (d *driver) askField(page screen.Page, rows screen.Rows) {
	q := d.asked
	q.at = max(min(q.at, rows.Len()-1), 0)
	row := rows.Row(q.at)
	q.name = row.Text
	if d.lines != nil {
		d.console.ask(fmt.Sprintf("Line %d>", len(*d.lines)+1))
		return
	}
	if !q.told {
		q.told = true
		d.console.say(fieldLine(row, q.wrong))
	}
	d.console.ask(row.Text + ">")
}

// maxListed is how many suggestions are printed.
const maxListed = 12

// fieldLine describes a field before its prompt.
func fieldLine(row screen.Row, wrong string) string {
	var out []string
	add := func(text string) { out = append(out, phrase.Sentence(text)) }
	f := row.Field
	missing := f != nil && f.Required && row.State == ""
	if missing {
		add("required")
	}
	if row.State != "" {
		add("now " + row.State)
	}
	if row.Problem != "" && !missing {
		add(row.Problem)
	}
	switch {
	case wrong != "" && wrong == row.Problem:
		return "Not valid: " + phrase.Sentence(row.Problem)
	case f == nil || row.Open != nil:
	case f.Locked != "":
		add(f.Locked)
	case len(f.Options) > 0:
		var words []string
		for i, o := range f.Options {
			text := fmt.Sprintf("%d %s", i+1, o.Label)
			if o.On && f.Several {
				text += " (on)"
			}
			words = append(words, text)
		}
		add(strings.Join(words, ", "))
	case row.State != "" || len(f.Names) == 0:
	case len(f.Names) <= maxListed:
		add("known: " + strings.Join(f.Names, ", "))
	default:
		add(fmt.Sprintf("%d are known; part of a name is enough", len(f.Names)))
	}
	return strings.Join(out, " ")
}

// answer handles a line in a field.
func (d *driver) answer(page screen.Page, line string) tea.Cmd {
	rows := page.AllRows()
	if d.asked.at >= rows.Len() {
		d.asked = nil
		return nil
	}
	row := rows.Row(d.asked.at)
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), ":"); ok {
		if !strings.HasPrefix(rest, ":") {
			return d.fieldCommand(page, row, strings.ToLower(strings.TrimSpace(rest)))
		}
		line = strings.Replace(line, ":", "", 1)
	}
	switch {
	case strings.TrimSpace(line) == "":
		d.asked.done = true
		if d.todo != "" {
			d.asked.given, d.asked.wrong = true, row.Problem
		}
	case row.Field == nil || row.Open != nil:
		d.console.say("This is not typed here. :open opens it.")
	case row.Field.Locked != "":
		d.console.say(phrase.Sentence(row.Field.Locked))
	default:
		return d.set(row.Field, line)
	}
	return nil
}

// promptCommands are commands of the prompt that are hardly meant as the text of a field.
var promptCommands = []string{"..", ".", "?", "quit", "back"}

// set takes the answer of a field.
func (d *driver) set(f *screen.FormField, line string) tea.Cmd {
	values, err := values(f, line)
	if err != nil {
		d.console.say(err.Error())
		return nil
	}
	var cmds []tea.Cmd
	for _, v := range values {
		cmds = append(cmds, d.do(func() tea.Cmd {
			said, cmd, refused := f.Set(v)
			if err = refused; err == nil {
				d.console.say(said)
			}
			return cmd
		}))
		if err != nil {
			d.console.say(phrase.Sentence(err.Error()))
			return tea.Batch(cmds...)
		}
	}
	if slices.Contains(promptCommands, strings.TrimSpace(line)) && len(f.Options) == 0 {
		d.console.say(fmt.Sprintf("“%s” is the text now. In a field, :back goes back, and :undo undoes.",
			strings.TrimSpace(line)))
	}
	if d.asked != nil {
		d.asked.done, d.asked.given, d.asked.told = !f.Several, true, false
	}
	return tea.Batch(cmds...)
}

// fieldCommand handles a command in a field.
func (d *driver) fieldCommand(page screen.Page, row screen.Row, word string) tea.Cmd {
	q, f := d.asked, row.Field
	if n, err := strconv.Atoi(word); err == nil {
		q.at, q.wrong, q.told = n-1, "", false
		return nil
	}
	switch word {
	case "?", "help":
		if f != nil {
			d.console.say(strings.Join(f.Help, "\n"))
			for i, o := range f.Options {
				if o.Help != "" {
					d.console.say(fmt.Sprintf("%d %s: %s", i+1, o.Label, o.Help))
				}
			}
			if f.Example != "" {
				d.console.say("Such as " + f.Example)
			}
		}
		d.console.say(fieldGrammar)
	case "prev":
		q.at, q.wrong, q.told = max(q.at-1, 0), "", false
	case "next", "skip":
		q.done = true
	case "back":
		d.asked, d.todo = nil, ""
		if q.alone {
			return nil
		}
		return d.back()
	case "list":
		d.asked, d.todo, d.paused, d.listing = nil, "", true, true
	case "open":
		if row.Open == nil {
			d.console.say("There is nothing to open.")
			return nil
		}
		d.heard[d.key].opened = row.Text
		return d.do(row.Open)
	case ".":
		d.where(page)
	case "quit":
		d.asked, d.todo = nil, ""
		return d.quit()
	case "clear":
		if f == nil || f.Clear == nil || f.Locked != "" {
			d.console.say("It cannot be emptied.")
			return nil
		}
		return d.do(f.Clear)
	case "read", "lines", "edit":
		return d.longCommand(f, word)
	default:
		return d.leaveFor(word)
	}
	return nil
}

// fieldGrammar describes the commands in a field.
const fieldGrammar = "Each line is text. An empty line keeps the value and goes on. Commands begin with a colon: " +
	":prev, :back, :clear, :list, a number such as :4, :open, " +
	":read, :lines for several lines, :edit for your editor, or a word of the page. Two colons begin a text with one."

// leaveFor leaves the field and runs the action with that word.
func (d *driver) leaveFor(word string) tea.Cmd {
	if _, ok := d.find(word); !ok {
		d.console.say(fmt.Sprintf(":%s is not a command here. :? lists them. Two colons begin a text with one.", word))
		return nil
	}
	d.asked, d.todo, d.paused = nil, "", true
	return d.word(word)
}

// longCommand reads a text aloud, takes several lines, or opens the editor.
func (d *driver) longCommand(f *screen.FormField, word string) tea.Cmd {
	switch {
	case f == nil || f.Locked != "" && word != "read" || len(f.Options) > 0:
		d.console.say("There is no text to " + word + " here.")
	case word == "read" && f.Value == "":
		d.console.say("It is empty.")
	case word == "read":
		d.console.say(f.Value + "\nEnd of the text.")
	case word == "lines":
		d.console.say("A line that is only a dot ends the text. Nothing is kept before that.")
		d.lines = &[]string{}
	default:
		return d.pass(screen.OpenEditorMsg{Text: f.Value, Suffix: f.Suffix, Then: func(text string, changed bool) tea.Cmd {
			switch {
			case !changed:
				d.console.say("Not changed.")
				return nil
			case text == "" && f.Clear != nil:
				return f.Clear()
			case !strings.HasSuffix(f.Value, "\n"):
				text = strings.TrimSuffix(text, "\n") // editors end the last line with a newline
			}
			said, cmd, err := f.Set(text)
			if err != nil {
				said = phrase.Sentence(err.Error())
			}
			d.console.say(said)
			return cmd
		}})
	}
	return nil
}

// textLine takes a line of a text of several lines. A line that begins with two dots loses one.
func (d *driver) textLine(page screen.Page, line string) tea.Cmd {
	if line != "." {
		if strings.HasPrefix(line, "..") {
			line = line[1:]
		}
		*d.lines = append(*d.lines, line)
		return nil
	}
	text := strings.Join(*d.lines, "\n")
	d.lines = nil
	rows := page.AllRows()
	if text == "" || d.asked == nil || d.asked.at >= rows.Len() || rows.Row(d.asked.at).Field == nil {
		d.console.say("Nothing was typed. The text is as it was.")
		return nil
	}
	return d.set(rows.Row(d.asked.at).Field, text)
}

// values returns what an answer means: the text itself, a name that it begins, or options by their numbers and names.
func values(f *screen.FormField, text string) ([]string, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case len(f.Options) > 0 && f.Several:
		var out []string
		for word := range strings.FieldsFuncSeq(trimmed, func(c rune) bool { return c == ',' || c == ';' }) {
			for _, one := range optionWords(word) {
				v, err := optionNamed(f, one)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
		}
		return out, nil
	case len(f.Options) > 0:
		v, err := optionNamed(f, trimmed)
		return []string{v}, err
	}
	found := match(f.Names, text)
	switch {
	case len(found) == 1 && (f.Closed || strings.EqualFold(f.Names[found[0]], trimmed)): // part of a name is enough
		return []string{f.Names[found[0]]}, nil
	case f.Closed && len(found) > 1:
		return nil, ambiguous(f.Names, found, text)
	}
	return []string{text}, nil
}

// optionWords splits numbers that are separated by blanks.
func optionWords(text string) []string {
	words := strings.Fields(text)
	if slices.ContainsFunc(words, func(w string) bool { _, err := strconv.Atoi(w); return err != nil }) {
		return []string{strings.TrimSpace(text)}
	}
	return words
}

// optionNamed returns the option with that number or name, or the only one whose name has the text.
func optionNamed(f *screen.FormField, text string) (string, error) {
	var labels []string
	for i, o := range f.Options {
		if labels = append(labels, o.Label); o.Value == text && o.DisabledReason == "" {
			return o.Value, nil
		}
		if text == strconv.Itoa(i+1) {
			text = o.Label
		}
	}
	switch found := match(labels, text); {
	case len(found) > 1:
		return "", ambiguous(labels, found, text)
	case len(found) == 1 && f.Options[found[0]].DisabledReason != "":
		o := f.Options[found[0]]
		return "", screen.Refused(o.Label + " is not available: " + phrase.Sentence(o.DisabledReason))
	case len(found) == 1:
		return f.Options[found[0]].Value, nil
	}
	why := fmt.Sprintf("%q is none of the %d options.", text, len(f.Options))
	if slices.Contains(promptCommands, text) {
		why += " In a field, :back goes back, and :? helps."
	}
	return "", screen.Refused(why)
}

// ambiguous returns the error of a text that can mean several names.
func ambiguous(names []string, found []int, text string) error {
	var all []string
	for _, i := range found[:min(len(found), maxListed)] {
		all = append(all, names[i])
	}
	return screen.Refused(fmt.Sprintf("%s can mean %s.", strings.TrimSpace(text), strings.Join(all, " or ")))
}

// match returns the names that a text can mean: the equal one, or else those that begin with it, or else those that have it.
func match(names []string, text string) []int {
	low := strings.ToLower(strings.TrimSpace(text))
	var starts, holds []int
	for i, name := range names {
		switch l := strings.ToLower(name); {
		case l == low:
			return []int{i}
		case strings.HasPrefix(l, low):
			starts = append(starts, i)
		case utf8.RuneCountInString(low) > 2 && strings.Contains(l, low):
			holds = append(holds, i)
		}
	}
	if len(starts) > 0 {
		return starts
	}
	return holds
}
