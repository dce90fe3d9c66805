package app

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// RunMsg makes the root model run a function in its Update. Plain mode does with it what a key would do.
type RunMsg struct{ Run func() tea.Cmd }

// Read returns what the top overlay or else the top screen says in plain mode. at identifies what was read.
func (m *Model) Read() (page screen.Page, at any) {
	if o := m.topOverlay(); o != nil {
		if r, ok := o.(screen.Reader); ok {
			page := r.Read()
			_, acts := o.(screen.Actor)
			page.Question = !acts
			return page, o
		}
		return screen.Page{Place: "Box", Summary: widget.CleanLines(o.View(m.width, m.height)), Question: true}, o
	}
	if r, ok := m.top().(screen.Reader); ok {
		page = r.Read()
	}
	page.Place = cmp.Or(page.Place, m.top().Title())
	if notice := m.link.notice().long; notice != "" {
		page.Summary = strings.TrimSpace(page.Summary + " " + widget.Clean(notice) + ".")
	}
	return page, m.top().ID()
}

// Words returns the actions that can be chosen by a word now. Those that only change what is drawn are left out.
func (m *Model) Words() []screen.Action {
	if o := m.topOverlay(); o != nil {
		if _, acts := o.(screen.Actor); !acts {
			return nil
		}
	}
	var out []screen.Action
	seen := map[string]bool{}
	for _, a := range m.allActions() {
		word := a.Word()
		_, key := keymap.KeyMsg(firstKey(a))
		if onlyDrawn[word] || seen[word] || a.Run == nil && !key || a.Group == groupEverywhere && !plainEverywhere[word] {
			continue
		}
		seen[word] = true
		out = append(out, a)
	}
	return out
}

// plainEverywhere are the words of the actions that work everywhere and mean something in lines.
var plainEverywhere = map[string]bool{"undo": true, "redo": true, "settings": true, "cancel requests": true}

// onlyDrawn are the words of actions that change only what is drawn, or where the cursor is.
var onlyDrawn = map[string]bool{
	"zoom": true, "next tab": true, "previous tab": true, "next view": true, "previous view": true, "next pane": true,
	"previous pane": true, "filters": true, "columns": true, "details": true, "list": true, "changes": true,
	"page up": true, "next platform": true, "grid": true, "form": true, "preview pane": true, "scroll": true,
	"scroll back": true,
	"move":        true, "next row": true, "previous row": true, "next section": true, "previous section": true,
	"first field": true, "last field": true, "page down": true, "search": true,
	"filter": true, "find": true, "clear": true, "back": true, "close": true, "leave field": true, "read": true,
	"open": true, "edit": true, "sections": true, "records": true, "choose": true,
}

func firstKey(a screen.Action) string {
	switch {
	case len(a.Keys) == 0:
		return ""
	case a.Keys[0] == "space": // as the keys of an editor are shown
		return " "
	}
	return a.Keys[0]
}

// Choose runs an action that was chosen by its word, or says why it cannot run.
func (m *Model) Choose(a screen.Action) tea.Cmd {
	if a.Run != nil {
		return m.runAction(a)
	}
	if msg, ok := keymap.KeyMsg(firstKey(a)); ok {
		return m.sendKey(msg)
	}
	return nil
}

// AtStart reports whether there is nothing to go back to.
func (m *Model) AtStart() bool {
	return len(m.stack) == 1 && m.topOverlay() == nil && !slices.ContainsFunc(m.allActions(),
		func(a screen.Action) bool { return a.HasKey("esc") })
}

// Read says the question and its answers.
func (c *choiceBox) Read() screen.Page {
	body := strings.NewReplacer("\n! ", "\nWarning: ", "\n· ", "\n").Replace("\n" + widget.CleanLines(c.text))
	page := screen.Page{Place: widget.Clean(c.title), Summary: strings.TrimSpace(body)}
	var rows screen.RowSlice
	for i, o := range c.msg.Options {
		row := screen.Row{Text: widget.Clean(o.Label), State: widget.Clean(o.Help), Open: func() tea.Cmd { return c.choose(i) }}
		if o.Dim {
			row.Open, row.DisabledReason = nil, cmp.Or(o.DisabledReason, "It is not available now.")
		}
		rows = append(rows, row)
	}
	page.Parts = []screen.Part{{Rows: rows}}
	return page
}

// Read asks for the text.
func (in *inputBox) Read() screen.Page {
	field := &screen.FormField{Value: in.prompt.Value(), Example: in.msg.Placeholder, Set: func(text string) (string,
		tea.Cmd, error) {
		in.prompt.SetValue(text)
		cmd := in.accept()
		if in.wrong != "" {
			return "", nil, screen.Refused(in.wrong)
		}
		return "", cmd, nil
	}}
	if in.msg.Suggest != nil {
		for _, item := range in.msg.Suggest("") {
			field.Names = append(field.Names, item.Value)
		}
	}
	return askOne(widget.Clean(in.title), widget.CleanLines(in.text), field, in.accept)
}

// Read asks for the name of a key.
func (c *keyCapture) Read() screen.Page {
	field := &screen.FormField{Example: "ctrl+e", Set: func(text string) (string, tea.Cmd, error) {
		key, err := keymap.ParseKey(strings.TrimSpace(text))
		if err != nil {
			return "", nil, err
		}
		c.Close()
		return "", c.then(key), nil
	}}
	return askOne(widget.Clean(c.title), widget.CleanLines(c.text), field, nil)
}

// askOne returns the page of a box that asks for one text.
func askOne(title, body string, field *screen.FormField, done func() tea.Cmd) screen.Page {
	return screen.Page{Place: title, Summary: body, Form: true, Cursor: 1, Done: done,
		Parts: []screen.Part{{Rows: screen.RowSlice{{Text: title, State: widget.Clean(field.Value), Field: field}}}}}
}

// Read reads the text.
func (b *textBox) Read() screen.Page {
	return screen.Page{Place: widget.Clean(b.title),
		Parts: []screen.Part{{Lines: strings.Split(widget.CleanLines(b.text), "\n")}}}
}
