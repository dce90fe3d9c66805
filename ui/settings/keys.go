package settings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// tabHost is what a tab needs from the screen.
type tabHost struct {
	tasks    *screen.Base
	pushUndo func(screen.UndoStep)
	open     func() tea.Cmd // opens the tab
}

// keysTab is the tab with the key bindings.
type keysTab struct {
	tabHost
	theme    *themes.Theme
	file     keymap.File
	list     *list.List[keyRow]
	saved    func(keysSaved) tea.Cmd // applies the file that was written
	keymap   keymap.Map
	problems []keymap.Problem
}

// keyRow is an action, or the heading of a screen's actions.
type keyRow struct {
	keymap.Entry
	heading string
}

func newKeysTab(t *themes.Theme, file keymap.File, of tabHost) *keysTab {
	k := &keysTab{tabHost: of, theme: t, file: file}
	k.list = list.Items(t, "action", k.item)
	k.list.Filter("name, key or description", nil)
	k.list.Focused, k.list.Empty = true, "No action matches. Press esc to clear the filter."
	k.fill()
	return k
}

func (k *keysTab) setSize(w, h int) {
	k.list.SetSize(w, max(h-k.headerHeight(w)-footerHeight, 1))
}

// showAll clears the filter.
func (k *keysTab) showAll() tea.Cmd {
	k.list.ClearFilter()
	k.fill()
	return nil
}

// actions returns what can be done with the selected action.
func (k *keysTab) actions() []screen.Action {
	acts := []screen.Action{
		k.list.On(screen.Action{Keys: []string{"enter"}, Label: "change key", Help: "change the key of the action", Group: group, BarPriority: 9}, nil, k.askKey(false)),
		k.list.On(screen.Action{Keys: []string{"a"}, Label: "add key", Help: "add another key to the action", Group: group, BarPriority: 8}, nil, k.askKey(true)),
		k.list.On(screen.Action{Name: "own keys", Keys: []string{"d"}, Label: "default keys", Help: "give the action its default keys again", Group: group, BarPriority: 7}, k.resetDisabledReason, k.resetKeys),
		k.list.On(screen.Action{Keys: []string{"x"}, Label: "no key", Help: "remove the keys of the action", Group: group}, nil, k.removeKeys),
		{Keys: []string{"/"}, Label: "find", Help: "find an action by name, key or description", Group: group, BarPriority: 6, Run: k.list.TypeFilter},
		{Keys: []string{"e"}, Label: "edit file", Help: "edit the key file", Group: group, BarPriority: 4, Run: k.editKeys},
	}
	if k.list.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show all actions", Group: group, BarPriority: 3, Run: k.showAll})
	}
	return acts
}

func (k *keysTab) set(m keymap.Map, problems []keymap.Problem) {
	k.keymap, k.problems = m, problems
	k.fill()
}

// fill lists the actions that match the filter.
func (k *keysTab) fill() {
	words := strings.Fields(strings.ToLower(k.list.FilterText()))
	var rows []keyRow
	part := ""
	for _, e := range keymap.All() {
		text := strings.ToLower(screenName(e) + " " + e.Name + " " + e.Description + " " + keymap.FormatAll(k.keymap.Keys(e)))
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if of := screenName(e); of != part {
			part = of
			rows = append(rows, keyRow{heading: part})
		}
		rows = append(rows, keyRow{Entry: e})
	}
	k.list.Set(rows)
}

// item returns the row of an action or heading.
func (k *keysTab) item(r keyRow) widget.Item {
	if r.heading != "" {
		return widget.Item{Text: r.heading, Heading: true}
	}
	item := widget.Item{Icon: " ", Text: entryName(r.Entry), Info: keymap.FormatAll(k.keymap.Keys(r.Entry)), InfoTone: themes.ToneMuted}
	if _, other := k.keymap.Lookup(r.Name); other {
		item.Icon, item.IconTone, item.InfoTone = "●", themes.ToneAccent, themes.ToneAccent
	}
	return item
}

// screenNames are the headings of the list, where they differ from the route's name.
var screenNames = map[string]string{keymap.App: "Everywhere", screen.NewDraft: "New draft", screen.TestSend: "Test send"}

func screenName(e keymap.Entry) string {
	part, _, _ := strings.Cut(e.Name, ".")
	if name, ok := screenNames[part]; ok {
		return name
	}
	return phrase.Capitalize(part)
}

// entryName returns the display name of an action, as in the help.
func entryName(e keymap.Entry) string { return phrase.Capitalize(e.Description) }

// goTo moves the cursor to an action.
func (k *keysTab) goTo(name string) {
	if name == "" {
		return
	}
	is := func(r keyRow) bool { return r.Name == name }
	if !k.list.Select(is) {
		k.showAll()
		k.list.Select(is)
	}
}

func (k *keysTab) key(msg tea.KeyMsg) {
	if k.list.Key(msg) == list.Filtered {
		k.fill()
		k.list.SelectIndex(0)
	}
}

// keysSaved reports that the file was written.
type keysSaved struct {
	keys     keymap.Map
	problems []keymap.Problem
	notice   string
	edited   bool   // the user edited the whole file, so that any part may have changed
	name     string // of the action; empty if several changed
	before   []byte // the file before
	after    []byte // the file after
	undo     bool   // from undo or redo, which must not be recorded again
}

// askKey returns what asks for a key and binds an action to it, replacing or adding to its keys.
func (k *keysTab) askKey(more bool) func(keyRow) tea.Cmd {
	return func(r keyRow) tea.Cmd { return k.ask(r.Entry, more) }
}

func (k *keysTab) ask(e keymap.Entry, more bool) tea.Cmd {
	have := k.keymap.Keys(e)
	body := fmt.Sprintf("%s: %s. Now: %s.", screenName(e), e.Description, keymap.FormatAll(have))
	return screen.Send(screen.CaptureKeyMsg{Title: "Change key", Body: body, Then: func(pressed string) tea.Cmd {
		key, err := keymap.ParseKey(pressed)
		if err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		next := []string{key}
		if more {
			next = append(slices.Clone(have), key)
		}
		return k.setKeys(e.Name, next, fmt.Sprintf("“%s” now has the key %s.", entryName(e), keymap.FormatAll(next)))
	}})
}

func (k *keysTab) resetKeys(e keyRow) tea.Cmd {
	return k.setKeys(e.Name, nil, fmt.Sprintf("“%s” has its default keys again: %s.", entryName(e.Entry), keymap.FormatAll(e.Keys)))
}

func (k *keysTab) removeKeys(e keyRow) tea.Cmd {
	return k.setKeys(e.Name, []string{}, "“"+entryName(e.Entry)+"” has no key now. You can still run it from the palette.")
}

func (k *keysTab) setKeys(name string, next []string, said string) tea.Cmd {
	file := k.file
	return k.write(func() (keysSaved, error) {
		before, err := file.Read()
		if err != nil {
			return keysSaved{}, err
		}
		if _, err := file.Set(name, next); err != nil {
			return keysSaved{}, fmt.Errorf("%s keeps its keys: %w", actionTitle(name), err)
		}
		after, err := file.Read()
		m, problems := file.Load()
		return keysSaved{keys: m, problems: problems, notice: said, name: name, before: before, after: after}, err
	})
}

// write changes the file, and applies it to the running program.
func (k *keysTab) write(change func() (keysSaved, error)) tea.Cmd {
	return screen.Write(k.tasks, taskKeys, func(context.Context) (keysSaved, error) { return change() }, orNotify(k.saved))
}

// actionTitle returns the display name of an action by its name.
func actionTitle(name string) string {
	for _, e := range keymap.All() {
		if e.Name == name {
			return "“" + entryName(e) + "”"
		}
	}
	return name
}

// restoreFile writes an earlier or later version of the file and moves to the action that changed.
func (k *keysTab) restoreFile(c keysSaved, text []byte, said string) tea.Cmd {
	file := k.file
	return tea.Batch(k.open(), k.write(func() (keysSaved, error) {
		if err := file.Write(text); err != nil {
			return keysSaved{}, err
		}
		m, problems := keymap.Parse(text)
		return keysSaved{keys: m, problems: problems, notice: said, name: c.name, undo: true}, nil
	}))
}

// applyKeys applies the file to the running program.
func (k *keysTab) applyKeys(c keysSaved) tea.Cmd {
	k.set(c.keys, c.problems)
	if c.undo {
		k.goTo(c.name)
	} else {
		what := "keys of " + actionTitle(c.name)
		if c.name == "" {
			what = "edit of the key file"
		}
		k.pushUndo(screen.UndoStep{
			Label: what, OwnNotice: true,
			Undo: func() tea.Cmd { return k.restoreFile(c, c.before, "Undone: "+what) },
			Redo: func() tea.Cmd { return k.restoreFile(c, c.after, "Redone: "+what) },
		})
	}
	level := widget.LevelSuccess
	if c.edited && len(c.problems) > 0 {
		level, c.notice = widget.LevelError, fmt.Sprintf("Some of the key file was ignored: %s", c.problems[0])
	}
	return tea.Batch(screen.Send(screen.SetKeymapMsg{Keys: c.keys}), screen.NotifyAbout(screen.TopicEdit, level, c.notice))
}

// editKeys opens the file in the editor.
func (k *keysTab) editKeys() tea.Cmd {
	file := k.file
	return editFile(k.tasks, func() (screen.OpenEditorMsg, error) {
		b, err := file.Read()
		return screen.OpenEditorMsg{Text: string(b), Suffix: ".yaml", Then: func(text string, changed bool) tea.Cmd {
			if !changed {
				return nil
			}
			return k.write(func() (keysSaved, error) {
				if err := file.Write([]byte(text)); err != nil {
					return keysSaved{}, err
				}
				m, problems := keymap.Parse([]byte(text))
				return keysSaved{keys: m, problems: problems, notice: "Loaded the key file.", edited: true, before: b, after: []byte(text)}, nil
			})
		}}, err
	})
}

// resetDisabledReason returns why an action cannot be reset.
func (k *keysTab) resetDisabledReason(e keyRow) string {
	if _, other := k.keymap.Lookup(e.Name); !other {
		return "It already has its default keys."
	}
	return ""
}

// headerHeight returns the number of lines above the list.
func (k *keysTab) headerHeight(w int) int { return len(k.header(w)) }

// header returns the lines above the list: the filter, and the problems of the file.
func (k *keysTab) header(w int) []string {
	lines := []string{k.list.FilterView(), ""}
	if len(k.problems) == 0 {
		return lines
	}
	told := widget.Wrap(widget.Clean("✗ "+k.problems[0].String()), w)
	told = told[:min(len(told), 2)]
	if more := len(k.problems) - 1; more > 0 {
		told = append(told, fmt.Sprintf("✗ and %d more. Press e to open the file.", more))
	}
	for _, l := range told {
		lines = append(lines, k.theme.Danger.Render(l))
	}
	return lines
}

// view draws the tab.
func (k *keysTab) view(w, h int) string {
	lines := k.header(w)
	lines = append(lines, strings.Split(k.list.View(), "\n")...)
	if e, ok := k.list.Selected(); ok {
		lines = append(lines, "", k.theme.Text.Render(widget.Truncate(entryName(e.Entry), w)))
		own := "Default keys: " + keymap.FormatAll(e.Keys)
		if _, other := k.keymap.Lookup(e.Name); !other {
			own = "These are its default keys."
		}
		lines = append(lines, k.theme.Muted.Render(widget.Truncate(own, w)), k.theme.Muted.Render(widget.Truncate("It is "+e.Name+" in "+k.file.Path, w)))
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}
