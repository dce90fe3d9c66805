package app

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// command is one entry of the palette.
type command struct {
	name string // by which it is remembered
	text string
	key  string
	why  string // why it is not allowed now
	run  func() tea.Cmd
}

// section is a heading of the palette and what stands under it.
type section struct {
	title    string
	commands []command
}

// paletteBox finds an action or a screen by its name.
type paletteBox struct {
	theme    themes.Theme
	prompt   widget.Prompt
	list     widget.List
	sections []section
	all      []command
	shown    []int // the number of the command on each line, -1 for a heading
	ran      func(name string) tea.Cmd
	closes   []string // the keys that opened it
}

func (m *Model) palette() tea.Cmd {
	p := &paletteBox{theme: m.theme, prompt: widget.NewPrompt(m.theme, "›", "find an action or a screen"), list: widget.NewList(m.theme), ran: m.ran, closes: m.keysOf(namePalette)}
	p.sections = m.sections()
	for _, s := range p.sections {
		p.all = append(p.all, s.commands...)
	}
	p.prompt.Focus()
	p.list.Focused, p.list.Empty = true, "Nothing here has these letters."
	p.filter()
	m.lay(p)
	return nil
}

// ran remembers what the palette ran.
func (m *Model) ran(name string) tea.Cmd {
	m.recent = paletteMemory{m.recent}.ran(name).Recent
	return keep(m.opts.Deps.Prefs, prefPalette, func(p paletteMemory) paletteMemory { return p.ran(name) })
}

// sections gathers what the palette offers: what was run of it lately, what the screen can do, the other
// screens, and what works everywhere.
func (m *Model) sections() []section {
	here, always := section{title: m.top().Title()}, section{title: everywhere}
	typing := m.top().Typing()
	live := m.live()
	if typing && m.opts.Suspend { // its key is undo there, but it can be done
		live = append(live, m.suspending())
	}
	for _, a := range live {
		if _, ok := pressable(a, typing); a.Group == "" || a.Name == namePalette || a.Info && !ok {
			continue
		}
		to, part := &here, m.route().Name
		if a.Group == everywhere {
			to, part = &always, keymap.App
		}
		to.commands = append(to.commands, m.command(part, a))
	}
	goTo := section{"Go to", m.places()}
	all := slices.Concat(here.commands, goTo.commands, always.commands)
	recent := section{title: "Lately"}
	for _, name := range m.recent {
		if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
			recent.commands = append(recent.commands, all[i])
		}
	}
	lately := func(c command) bool { return slices.Contains(m.recent, c.name) }
	out := []section{recent}
	for _, s := range []section{here, goTo, always} {
		out = append(out, section{s.title, slices.DeleteFunc(s.commands, lately)})
	}
	return out
}

func (m *Model) command(part string, a screen.Action) command {
	c := command{name: actionName(part, a), text: a.Label, why: a.Why, run: func() tea.Cmd { return m.press(a) }}
	if a.Help != "" && a.Help != a.Label {
		c.text = strings.TrimPrefix(a.Label+" — "+a.Help, " — ")
	}
	if len(a.Keys) > 0 {
		c.key = keymap.Show(a.Keys[0])
	}
	return c
}

// places are the screens that can be gone to from anywhere.
func (m *Model) places() []command {
	var out []command
	add := func(text string, r screen.Route) {
		if top := m.route(); top.Name != r.Name || top.ID != r.ID {
			out = append(out, command{name: "go." + r.Name, text: text, run: func() tea.Cmd { return m.goTo(r) }})
		}
	}
	if m.opts.Deps.Service == nil {
		return nil
	}
	if id := m.route().ID; id != "" {
		add("builder — this campaign", screen.Route{Name: screen.Builder, ID: id})
		add("problems — of this campaign", screen.Route{Name: screen.Validate, ID: id})
		add("test send — of this campaign", screen.Route{Name: screen.TestSend, ID: id})
		add("history — of this campaign", screen.Route{Name: screen.History, ID: id})
	}
	add("campaigns — the list of all", screen.Route{Name: screen.Campaigns})
	add("new draft — begin a campaign", screen.Route{Name: screen.NewDraft})
	add("outbox — what test sends delivered", screen.Route{Name: screen.Outbox})
	add("workspace — users, segments, carriers, content, keys", screen.Route{Name: screen.Workspace})
	add("activity — the calls that were made", screen.Route{Name: screen.Activity})
	return out
}

// goTo goes back to a screen where it is open already, and opens it otherwise.
func (m *Model) goTo(r screen.Route) tea.Cmd {
	for i, l := range m.stack {
		if l.route.Name == r.Name && l.route.ID == r.ID {
			return m.leaveTo(i)
		}
	}
	return m.open(r)
}

func (p *paletteBox) filter() {
	p.shown = p.shown[:0]
	var items []widget.Item
	add := func(at int) {
		c := p.all[at]
		p.shown = append(p.shown, at)
		items = append(items, widget.Item{Text: c.text, Info: c.key, InfoTone: themes.ToneMuted, Dim: c.why != "", Why: c.why})
	}
	if q := strings.TrimSpace(p.prompt.Value()); q != "" {
		for _, match := range fuzzy.FindFrom(q, p) {
			add(match.Index)
		}
	} else {
		at := 0
		for _, s := range p.sections {
			if len(s.commands) == 0 {
				continue
			}
			p.shown = append(p.shown, -1)
			items = append(items, widget.Item{Text: s.title, Heading: true})
			for range s.commands {
				add(at)
				at++
			}
		}
	}
	p.list.SetItems(items)
	p.list.Home()
}

// String and Len make the commands a source for fuzzy search.
func (p *paletteBox) String(i int) string { return p.all[i].text }

func (p *paletteBox) Len() int { return len(p.all) }

func (p *paletteBox) key(msg tea.KeyMsg) (tea.Cmd, bool) {
	if slices.Contains(p.closes, msg.String()) {
		return nil, true
	}
	switch msg.String() {
	case "esc":
		return nil, true
	case "up", "ctrl+p", "shift+tab":
		p.list.Up()
	case "down", "ctrl+n", "tab":
		p.list.Down()
	case "pgup":
		p.list.PageUp()
	case "pgdown":
		p.list.PageDown()
	case "enter":
		return p.take()
	default:
		if p.prompt.Update(msg) {
			p.filter()
		}
	}
	return nil, false
}

// take runs the command under the cursor, once the palette is gone: it may lay something over the screen
// itself.
func (p *paletteBox) take() (tea.Cmd, bool) {
	at := p.list.Cursor
	if at >= len(p.shown) || p.shown[at] < 0 {
		return nil, false
	}
	c := p.all[p.shown[at]]
	if c.why != "" {
		return c.run(), true
	}
	return tea.Batch(p.ran(c.name), c.run()), true
}

func (p *paletteBox) mouse(msg tea.MouseMsg, width, height int) (tea.Cmd, bool) {
	_, y := widget.CenterAt(p.view(width, height), width, height)
	if p.list.Mouse(msg, msg.Y-y-2) && clicked(msg) {
		return p.take()
	}
	return nil, false
}

func (p *paletteBox) view(width, height int) string {
	panel := widget.NewPanel(p.theme, "Palette")
	panel.Focused, panel.Footer = true, "enter run · esc close"
	panel.SetSize(min(width-4, 76), min(height-4, 24))
	w, h := panel.Inner()
	p.prompt.SetSize(w, 1)
	p.list.SetSize(w, max(h-1, 1))
	return panel.View(p.prompt.View() + "\n" + p.list.View())
}
