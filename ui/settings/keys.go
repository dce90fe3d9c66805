package settings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// keys is the tab of the keys.
type keys struct {
	list     widget.List
	filter   widget.Prompt
	of       keymap.Map
	problems []keymap.Problem
	shown    []keymap.Entry
}

func newKeys(t themes.Theme) keys {
	k := keys{list: widget.NewList(t), filter: widget.NewPrompt(t, "/", "name, key or description")}
	k.list.Focused, k.list.Empty = true, "No action matches. Press esc to clear the filter."
	k.list.SetTheme(t)
	k.fill()
	return k
}

func (k *keys) set(m keymap.Map, problems []keymap.Problem) {
	k.of, k.problems = m, problems
	k.fill()
}

// fill lists the actions that the filter leaves.
func (k *keys) fill() {
	words := strings.Fields(strings.ToLower(k.filter.Value()))
	k.shown = k.shown[:0]
	var items []widget.Item
	part := ""
	for _, e := range keymap.All() {
		have := k.of.Keys(e)
		text := strings.ToLower(partOf(e) + " " + e.Name + " " + e.Does + " " + keymap.ShowAll(have))
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if of := partOf(e); of != part {
			part = of
			k.shown, items = append(k.shown, keymap.Entry{}), append(items, widget.Item{Text: part, Heading: true})
		}
		item := widget.Item{Icon: " ", Text: does(e), Info: keymap.ShowAll(have), InfoTone: themes.ToneMuted}
		if _, other := k.of.For(e.Name); other {
			item.Icon, item.IconTone, item.InfoTone = "●", themes.ToneAccent, themes.ToneAccent
		}
		k.shown = append(k.shown, e)
		items = append(items, item)
	}
	k.list.SetItems(items)
}

// parts are the headings of the list: what people call the screens that actions belong to.
var parts = map[string]string{keymap.App: "Everywhere", screen.NewDraft: "New draft", screen.TestSend: "Test send"}

func partOf(e keymap.Entry) string {
	part, _, _ := strings.Cut(e.Name, ".")
	if name, ok := parts[part]; ok {
		return name
	}
	return strings.ToUpper(part[:1]) + part[1:]
}

// does names an action as its help does.
func does(e keymap.Entry) string { return strings.ToUpper(e.Does[:1]) + e.Does[1:] }

// goTo moves the cursor to an action.
func (k *keys) goTo(name string) {
	if name == "" {
		return
	}
	if !slices.ContainsFunc(k.shown, func(e keymap.Entry) bool { return e.Name == name }) {
		k.filter.SetValue("")
		k.fill()
	}
	k.list.Choose(max(slices.IndexFunc(k.shown, func(e keymap.Entry) bool { return e.Name == name }), 0))
}

func (k *keys) key(msg tea.KeyMsg) {
	if k.filter.Focused() && !vertical(msg) {
		if k.filter.Update(msg) {
			k.fill()
			k.list.Home()
		}
		return
	}
	k.list.Update(msg)
}

// vertical reports whether a key moves in the list also while the filter is typed.
func vertical(msg tea.KeyMsg) bool {
	return slices.Contains([]tea.KeyType{tea.KeyUp, tea.KeyDown, tea.KeyPgUp, tea.KeyPgDown}, msg.Type)
}

func (k *keys) selected() (keymap.Entry, bool) {
	if at := k.list.Cursor; at < len(k.shown) && k.shown[at].Name != "" {
		return k.shown[at], true
	}
	return keymap.Entry{}, false
}

// keysChanged is the keys after the file was written.
type keysChanged struct {
	keys     keymap.Map
	problems []keymap.Problem
	said     string
	byHand   bool   // the whole file was, so that all of it is news
	name     string // of the action; empty where it is more than one
	before   []byte // the file as it was
	after    []byte // and as it is
	known    bool   // it was undone or redone
}

// askKey asks for a key and gives it to the action under the cursor, in the place of those it has or
// besides them.
func (s *Screen) askKey(more bool) tea.Cmd {
	e, ok := s.keys.selected()
	if !ok {
		return nil
	}
	have := s.keys.of.Keys(e)
	body := fmt.Sprintf("%s: %s. Now: %s.", partOf(e), e.Does, keymap.ShowAll(have))
	return screen.Send(screen.KeyMsg{Title: "Change key", Body: body, Then: func(pressed string) tea.Cmd {
		key, err := keymap.Key(pressed)
		if err != nil {
			return screen.Notify(widget.LevelError, err.Error())
		}
		next := []string{key}
		if more {
			next = append(slices.Clone(have), key)
		}
		return s.setKeys(e.Name, next, fmt.Sprintf("“%s” now has the key %s.", does(e), keymap.ShowAll(next)))
	}})
}

func (s *Screen) ownKeys() tea.Cmd {
	e, ok := s.keys.selected()
	if !ok {
		return nil
	}
	return s.setKeys(e.Name, nil, fmt.Sprintf("“%s” has its default keys again: %s.", does(e), keymap.ShowAll(e.Keys)))
}

func (s *Screen) noKeys() tea.Cmd {
	e, ok := s.keys.selected()
	if !ok {
		return nil
	}
	return s.setKeys(e.Name, []string{}, "“"+does(e)+"” has no key now. You can still run it from the palette.")
}

func (s *Screen) setKeys(name string, next []string, said string) tea.Cmd {
	file := s.src.Keys
	return s.Run(taskKeys, func(context.Context) (any, error) {
		before, err := file.Read()
		if err != nil {
			return nil, err
		}
		if _, err := file.Set(name, next); err != nil {
			return nil, fmt.Errorf("%s keeps its keys: %w", named(name), err)
		}
		after, err := file.Read()
		m, problems := file.Load()
		return keysChanged{keys: m, problems: problems, said: said, name: name, before: before, after: after}, err
	})
}

// named returns what people call the action of that name.
func named(name string) string {
	for _, e := range keymap.All() {
		if e.Name == name {
			return "“" + does(e) + "”"
		}
	}
	return name
}

// putKeys writes the file as it was before or after a change, and goes to the action that it was about.
func (s *Screen) putKeys(k keysChanged, text []byte, said string) tea.Cmd {
	file := s.src.Keys
	return tea.Batch(s.turnTo(tabKeys), s.Run(taskKeys, func(context.Context) (any, error) {
		if err := file.Write(text); err != nil {
			return nil, err
		}
		m, problems := keymap.Parse(text)
		return keysChanged{keys: m, problems: problems, said: said, name: k.name, known: true}, nil
	}))
}

// keysAre has the program follow the file.
func (s *Screen) keysAre(k keysChanged) tea.Cmd {
	s.keys.set(k.keys, k.problems)
	if k.known {
		s.keys.goTo(k.name)
	} else {
		what := "keys of " + named(k.name)
		if k.name == "" {
			what = "edit of the key file"
		}
		s.Did(screen.Step{
			What: what, Told: true,
			Undo: func() tea.Cmd { return s.putKeys(k, k.before, "Undone: "+what) },
			Redo: func() tea.Cmd { return s.putKeys(k, k.after, "Redone: "+what) },
		})
	}
	level := widget.LevelSuccess
	if k.byHand && len(k.problems) > 0 {
		level, k.said = widget.LevelError, fmt.Sprintf("Some of the key file was ignored: %s", k.problems[0])
	}
	return tea.Batch(screen.Send(screen.KeymapMsg{Keys: k.keys}), screen.NotifyAbout(screen.AboutEdit, level, k.said))
}

// editKeys opens the file in the editor.
func (s *Screen) editKeys() tea.Cmd {
	file := s.src.Keys
	return s.Run(taskEdit, func(context.Context) (any, error) {
		b, err := file.Read()
		return opened{string(b), ".yaml", func(text string, changed bool) tea.Cmd {
			if !changed {
				return nil
			}
			return s.Run(taskKeys, func(context.Context) (any, error) {
				if err := file.Write([]byte(text)); err != nil {
					return nil, err
				}
				m, problems := keymap.Parse([]byte(text))
				return keysChanged{keys: m, problems: problems, said: "Loaded the key file.", byHand: true, before: b, after: []byte(text)}, nil
			})
		}}, err
	})
}

// whyNotChanged says why there is nothing to give back to the action under the cursor.
func (s *Screen) whyNotChanged() string {
	e, ok := s.keys.selected()
	if !ok {
		return "No action is selected."
	}
	if _, other := s.keys.of.For(e.Name); !other {
		return "It already has its default keys."
	}
	return ""
}
