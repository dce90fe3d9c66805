package settings

import (
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

// keyRow is an action, or the heading of a screen's actions.
type keyRow struct {
	keymap.Entry
	heading string
}

// showAllKeys clears the filter.
func (s *Screen) showAllKeys() tea.Cmd {
	s.keys.ClearFilter()
	s.listKeys()
	return nil
}

// keyActions returns what can be done with the selected action.
func (s *Screen) keyActions() []screen.Action {
	acts := []screen.Action{
		s.keys.On(screen.Action{Keys: []string{"enter"}, Label: "change key", Help: "change the key of the action", Group: group, BarPriority: 9}, nil, s.askKey(false)),
		s.keys.On(screen.Action{Keys: []string{"a"}, Label: "add key", Help: "add another key to the action", Group: group, BarPriority: 8}, nil, s.askKey(true)),
		s.keys.On(screen.Action{Name: "restore keys", Keys: []string{"R"}, Label: "default keys", Help: "give the action its default keys again", Group: group, BarPriority: 7}, s.resetDisabledReason, s.resetKeys),
		s.keys.On(screen.Action{Keys: []string{"x"}, Label: "delete keys", Help: "remove the keys of the action", Group: group}, nil, s.removeKeys),
		{Name: "filter", Keys: []string{"/"}, Label: "filter", Help: "find an action by name, key or description", Group: group, BarPriority: 6, Run: s.keys.TypeFilter},
		{Keys: []string{"e"}, Label: "edit file", Help: "edit the key file", Group: group, BarPriority: 4, Run: s.editKeys},
	}
	if s.keys.FilterText() != "" {
		acts = append(acts, screen.Action{Keys: []string{"esc"}, Label: "show all", Help: "show all actions", Group: group, BarPriority: 3, Run: s.showAllKeys})
	}
	return acts
}

// listKeys lists the actions that match the filter.
func (s *Screen) listKeys() {
	words := strings.Fields(strings.ToLower(s.keys.FilterText()))
	var rows []keyRow
	part := ""
	for _, e := range keymap.All() {
		text := strings.ToLower(screenName(e) + " " + e.Name + " " + e.Description + " " + keymap.FormatAll(s.now.keys.Keys(e)))
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if of := screenName(e); of != part {
			part = of
			rows = append(rows, keyRow{heading: part})
		}
		rows = append(rows, keyRow{Entry: e})
	}
	s.keys.Set(rows)
}

// keyItem returns the row of an action or heading.
func (s *Screen) keyItem(r keyRow) widget.Item {
	if r.heading != "" {
		return widget.Item{Text: r.heading, Heading: true}
	}
	item := widget.Item{Icon: " ", Text: entryName(r.Entry), Info: keymap.FormatAll(s.now.keys.Keys(r.Entry)), InfoTone: themes.ToneMuted}
	if _, other := s.now.keys.Lookup(r.Name); other {
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

// selectKey moves the cursor to an action.
func (s *Screen) selectKey(name string) {
	is := func(r keyRow) bool { return r.Name == name }
	if !s.keys.Select(is) {
		s.showAllKeys()
		s.keys.Select(is)
	}
}

// askKey returns what asks for a key and binds an action to it, replacing or adding to its keys.
func (s *Screen) askKey(more bool) func(keyRow) tea.Cmd {
	return func(r keyRow) tea.Cmd {
		have := s.now.keys.Keys(r.Entry)
		body := fmt.Sprintf("%s: %s. Now: %s.", screenName(r.Entry), r.Description, keymap.FormatAll(have))
		return screen.Send(screen.CaptureKeyMsg{Title: "Change key", Body: body, Then: func(pressed string) tea.Cmd {
			key, err := keymap.ParseKey(pressed)
			if err != nil {
				return screen.Notify(widget.LevelError, err.Error())
			}
			next := []string{key}
			if more {
				next = append(slices.Clone(have), key)
			}
			return s.setKeys(r.Entry, next, fmt.Sprintf("“%s” now has the key %s.", entryName(r.Entry), keymap.FormatAll(next)))
		}})
	}
}

func (s *Screen) resetKeys(e keyRow) tea.Cmd {
	return s.setKeys(e.Entry, nil, fmt.Sprintf("“%s” has its default keys again: %s.", entryName(e.Entry), keymap.FormatAll(e.Keys)))
}

func (s *Screen) removeKeys(e keyRow) tea.Cmd {
	return s.setKeys(e.Entry, []string{}, "“"+entryName(e.Entry)+"” has no key now. You can still run it from the palette.")
}

// setKeys binds an action to other keys; nil restores its own.
func (s *Screen) setKeys(e keymap.Entry, next []string, said string) tea.Cmd {
	return s.change(func() error {
		if _, err := s.src.Keys.Set(e.Name, next); err != nil {
			return fmt.Errorf("“%s” keeps its keys: %w", entryName(e), err)
		}
		return nil
	}, func() tea.Cmd {
		s.selectKey(e.Name)
		return told(said)()
	})
}

// editKeys opens the file in the editor.
func (s *Screen) editKeys() tea.Cmd {
	file := s.src.Keys
	return s.editFile(file.Path, "the key file", file.Read, func() []keymap.Problem { return s.now.keyProblems })
}

// resetDisabledReason returns why an action cannot be reset.
func (s *Screen) resetDisabledReason(e keyRow) string {
	if _, other := s.now.keys.Lookup(e.Name); !other {
		return "It already has its default keys."
	}
	return ""
}

// keysHead returns the filter, and the problems of the file.
func (s *Screen) keysHead(w int) []string {
	lines := []string{s.keys.FilterView(), ""}
	problems := s.now.keyProblems
	if len(problems) == 0 {
		return lines
	}
	told := widget.Wrap(widget.Clean("✗ "+problems[0].String()), w)
	told = told[:min(len(told), 2)]
	if more := len(problems) - 1; more > 0 {
		told = append(told, fmt.Sprintf("✗ and %d more. Press e to open the file.", more))
	}
	return append(lines, widget.Styled(s.theme.Danger, told)...)
}

// keysFoot describes the selected action.
func (s *Screen) keysFoot(w int) []string {
	e, ok := s.keys.Selected()
	if !ok {
		return nil
	}
	own := "Default keys: " + keymap.FormatAll(e.Keys)
	if _, other := s.now.keys.Lookup(e.Name); !other {
		own = "These are its default keys."
	}
	t := s.theme
	return []string{"", t.Text.Render(widget.Truncate(entryName(e.Entry), w)), t.Muted.Render(widget.Truncate(own, w)), t.Muted.Render(widget.Truncate("It is "+e.Name+" in "+s.src.Keys.Path, w))}
}

func (s *Screen) keysInfo() string { return fmt.Sprintf("%d changed", len(s.now.keys.Names())) }
