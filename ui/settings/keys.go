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
	list     widget.List
	filter   widget.Prompt
	saved    func(keysSaved) tea.Cmd // applies the file that was written
	keymap   keymap.Map
	problems []keymap.Problem
	shown    []keymap.Entry
}

func newKeysTab(t *themes.Theme, file keymap.File, of tabHost) *keysTab {
	k := &keysTab{tabHost: of, theme: t, file: file, list: widget.NewList(t), filter: widget.NewPrompt(t, "/", "name, key or description")}
	k.list.Focused, k.list.Empty = true, "No action matches. Press esc to clear the filter."
	k.fill()
	return k
}

func (k *keysTab) setSize(w, h int) {
	k.list.SetSize(w, max(h-k.headerHeight(w)-footerHeight, 1))
	k.filter.SetSize(w, 1)
}

// showAll clears the filter.
func (k *keysTab) showAll() tea.Cmd {
	k.filter.SetValue("")
	k.filter.Blur()
	k.fill()
	return nil
}

// actions returns what can be done with the selected action.
func (k *keysTab) actions() []screen.Action {
	none := ""
	if _, ok := k.selected(); !ok {
		none = "No action is selected."
	}
	acts := []screen.Action{
		{Keys: []string{"enter"}, Label: "change key", Help: "change the key of the action", Group: group, BarPriority: 9, DisabledReason: none, Run: func() tea.Cmd { return k.askKey(false) }},
		{Keys: []string{"a"}, Label: "add key", Help: "add another key to the action", Group: group, BarPriority: 8, DisabledReason: none, Run: func() tea.Cmd { return k.askKey(true) }},
		{Name: "own keys", Keys: []string{"d"}, Label: "default keys", Help: "give the action its default keys again", Group: group, BarPriority: 7, DisabledReason: k.resetDisabledReason(), Run: k.resetKeys},
		{Keys: []string{"x"}, Label: "no key", Help: "remove the keys of the action", Group: group, DisabledReason: none, Run: k.removeKeys},
		{Keys: []string{"/"}, Label: "find", Help: "find an action by name, key or description", Group: group, BarPriority: 6, Run: func() tea.Cmd { k.filter.Focus(); return nil }},
		{Keys: []string{"e"}, Label: "edit file", Help: "edit the key file", Group: group, BarPriority: 4, Run: k.editKeys},
	}
	if k.filter.Value() != "" {
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
	words := strings.Fields(strings.ToLower(k.filter.Value()))
	k.shown = k.shown[:0]
	var items []widget.Item
	part := ""
	for _, e := range keymap.All() {
		have := k.keymap.Keys(e)
		text := strings.ToLower(screenName(e) + " " + e.Name + " " + e.Description + " " + keymap.FormatAll(have))
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if of := screenName(e); of != part {
			part = of
			k.shown, items = append(k.shown, keymap.Entry{}), append(items, widget.Item{Text: part, Heading: true})
		}
		item := widget.Item{Icon: " ", Text: entryName(e), Info: keymap.FormatAll(have), InfoTone: themes.ToneMuted}
		if _, other := k.keymap.Lookup(e.Name); other {
			item.Icon, item.IconTone, item.InfoTone = "●", themes.ToneAccent, themes.ToneAccent
		}
		k.shown = append(k.shown, e)
		items = append(items, item)
	}
	k.list.SetItems(items)
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
	if !slices.ContainsFunc(k.shown, func(e keymap.Entry) bool { return e.Name == name }) {
		k.filter.SetValue("")
		k.fill()
	}
	k.list.SelectItem(max(slices.IndexFunc(k.shown, func(e keymap.Entry) bool { return e.Name == name }), 0))
}

func (k *keysTab) key(msg tea.KeyMsg) {
	if k.filter.Focused() && !isListKey(msg) {
		if k.filter.Update(msg) {
			k.fill()
			k.list.Home()
		}
		return
	}
	k.list.Update(msg)
}

// isListKey reports whether a key moves in the list even while the filter is typed.
func isListKey(msg tea.KeyMsg) bool {
	return slices.Contains([]tea.KeyType{tea.KeyUp, tea.KeyDown, tea.KeyPgUp, tea.KeyPgDown}, msg.Type)
}

func (k *keysTab) selected() (keymap.Entry, bool) {
	if at := k.list.Cursor; at < len(k.shown) && k.shown[at].Name != "" {
		return k.shown[at], true
	}
	return keymap.Entry{}, false
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

// askKey asks for a key and binds the selected action to it, replacing or adding to its keys.
func (k *keysTab) askKey(more bool) tea.Cmd {
	e, ok := k.selected()
	if !ok {
		return nil
	}
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

func (k *keysTab) resetKeys() tea.Cmd {
	e, ok := k.selected()
	if !ok {
		return nil
	}
	return k.setKeys(e.Name, nil, fmt.Sprintf("“%s” has its default keys again: %s.", entryName(e), keymap.FormatAll(e.Keys)))
}

func (k *keysTab) removeKeys() tea.Cmd {
	e, ok := k.selected()
	if !ok {
		return nil
	}
	return k.setKeys(e.Name, []string{}, "“"+entryName(e)+"” has no key now. You can still run it from the palette.")
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

// resetDisabledReason returns why the selected action cannot be reset.
func (k *keysTab) resetDisabledReason() string {
	e, ok := k.selected()
	if !ok {
		return "No action is selected."
	}
	if _, other := k.keymap.Lookup(e.Name); !other {
		return "It already has its default keys."
	}
	return ""
}

// headerHeight returns the number of lines above the list.
func (k *keysTab) headerHeight(w int) int { return len(k.header(w)) }

// header returns the lines above the list: the filter, and the problems of the file.
func (k *keysTab) header(w int) []string {
	lines := []string{k.filter.View(), ""}
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
	if e, ok := k.selected(); ok {
		lines = append(lines, "", k.theme.Text.Render(widget.Truncate(entryName(e), w)))
		own := "Default keys: " + keymap.FormatAll(e.Keys)
		if _, other := k.keymap.Lookup(e.Name); !other {
			own = "These are its default keys."
		}
		lines = append(lines, k.theme.Muted.Render(widget.Truncate(own, w)), k.theme.Muted.Render(widget.Truncate("It is "+e.Name+" in "+k.file.Path, w)))
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}
