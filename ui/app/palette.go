package app

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// command is one entry of the palette.
type command struct {
	name           string // identifies it among the recent commands
	label          string
	detail         string // shown after the label
	campaign       string // the campaign that it belongs to, shown after the detail and not searched
	info           string // its key, or its kind
	disabledReason string // why it is disabled
	rank           rank
	run            func() tea.Cmd
}

// item returns the row of a command, or a heading.
func (c command) item() widget.Item {
	if c.run == nil {
		return widget.Item{Text: c.label, Heading: true}
	}
	return widget.Item{Text: c.text(), Info: c.info, InfoTone: themes.ToneMuted, Dim: c.disabledReason != "", DisabledReason: c.disabledReason}
}

func (c command) text() string {
	after := c.detail
	switch {
	case after == "":
		after = c.campaign
	case c.campaign != "":
		after += " · " + c.campaign
	}
	if after == "" {
		return c.label
	}
	return c.label + " — " + after
}

// section is a heading of the palette with its commands.
type section struct {
	title    string
	commands []command
}

// paletteBox finds actions and destinations by name.
type paletteBox struct {
	screen.Box
	theme    *themes.Theme
	prompt   widget.Prompt
	list     *list.List[command] // a command that does nothing is a heading
	sections []section
	all      []command        // of all sections
	more     func() []command // the commands found only by typing
	searched []command        // more, computed when the user types
	finders  []screen.Screen
	campaign []command // found by the finders
	words    string
	route    func(screen.Route) tea.Cmd
	ran      func(name string)
	closes   []string // the keys that opened it
}

func (m *Model) palette() tea.Cmd {
	p := &paletteBox{theme: m.theme, prompt: widget.NewPrompt(m.theme, "›", "action, section, field, value, campaign or setting"), list: list.Items(m.theme, "entry", command.item), ran: m.recordRun, closes: keysFor(m.activeActions(), namePalette)}
	p.sections = m.paletteSections()
	for _, s := range p.sections {
		p.all = append(p.all, s.commands...)
	}
	p.more, p.route = m.searchOnlyCommands, m.goTo
	for _, l := range m.stack {
		p.finders = append(p.finders, l.Screen)
	}
	p.prompt.Focus()
	p.list.Focused, p.list.Empty = true, "Nothing found."
	p.filter()
	m.pushOverlay(p)
	return nil
}

// maxRecent is how many recent actions the palette lists.
const maxRecent = 5

// recordRun puts an action first among the recent ones.
func (m *Model) recordRun(name string) {
	rest := slices.DeleteFunc(m.recent, func(n string) bool { return n == name })
	m.recent = append([]string{name}, rest[:min(len(rest), maxRecent-1)]...)
}

// paletteSections returns the recent actions, the actions of the screen, the other screens, and the global actions.
func (m *Model) paletteSections() []section {
	here, always := section{title: m.top().Title()}, section{title: groupEverywhere}
	typing := m.actor().Typing()
	for _, a := range m.activeActions() {
		if _, ok := helpEntryKey(a, typing); a.Group == "" || a.Name == namePalette || a.HelpOnly && !ok {
			continue
		}
		to, part, rank := &here, m.route().Name, rankScreenAction
		if a.Group == groupEverywhere {
			to, part, rank = &always, keymap.App, rankGlobal
		}
		c := m.actionCommand(part, a)
		if c.rank = rank; a.Name == nameSuspend {
			c.rank = rankPrefixOnly
		}
		to.commands = append(to.commands, c)
	}
	goTo := section{"Go to", m.screenCommands()}
	all := slices.Concat(here.commands, goTo.commands, always.commands)
	recent := section{title: "Recent"}
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

func (m *Model) actionCommand(part string, a screen.Action) command {
	c := command{name: actionName(part, a), label: a.Label, disabledReason: a.DisabledReason, run: func() tea.Cmd { return m.pressAction(a) }}
	if a.Help != a.Label {
		c.detail = a.Help
	}
	if len(a.Keys) > 0 {
		c.info = keymap.Format(a.Keys[0])
	}
	return c
}

// screenCommands are the screens that can be opened from anywhere.
func (m *Model) screenCommands() []command {
	var out []command
	add := func(label, detail string, r screen.Route) {
		if top := m.route(); top.Name != r.Name || top.ID != r.ID {
			out = append(out, command{name: "go." + r.Name, label: label, detail: detail, rank: rankScreen, run: func() tea.Cmd { return m.goTo(r) }})
		}
	}
	if m.opts.Deps.Service == nil {
		return nil
	}
	if id := m.route().ID; id != "" {
		add("builder", "edit this campaign", screen.Route{Name: screen.Builder, ID: id})
		add("problems", "check this campaign", screen.Route{Name: screen.Validate, ID: id})
		add("test send", "send this campaign to a few people", screen.Route{Name: screen.TestSend, ID: id})
		add("history", "earlier versions of this campaign", screen.Route{Name: screen.History, ID: id})
	}
	add("campaigns", "the list of all campaigns", screen.Route{Name: screen.Campaigns})
	add("new draft", "start a campaign", screen.Route{Name: screen.NewDraft})
	add("outbox", "messages that test sends delivered", screen.Route{Name: screen.Outbox})
	add("workspace", "users, segments, connectors, content, API keys", screen.Route{Name: screen.Workspace})
	add("activity", "calls to the service", screen.Route{Name: screen.Activity})
	return out
}

// goTo returns to a screen if it is open, and opens it otherwise.
func (m *Model) goTo(r screen.Route) tea.Cmd {
	for i, l := range m.stack {
		if l.route.Name == r.Name && l.route.ID == r.ID {
			return m.leaveTo(i)
		}
	}
	return m.open(r)
}

// filter lists the matches of the typed words and returns the command that searches for more.
func (p *paletteBox) filter() tea.Cmd {
	p.words = strings.TrimSpace(p.prompt.Value())
	find := p.find()
	p.list.Set(p.rows())
	p.list.SelectIndex(0)
	return find
}

// rows returns everything under headings or, once words are typed, the matches, the best first.
func (p *paletteBox) rows() []command {
	if p.words != "" {
		if p.searched == nil {
			p.searched = p.more()
		}
		return matchCommands(p.words, slices.Concat(p.all, p.searched, p.campaign))
	}
	var rows []command
	for _, s := range p.sections {
		if len(s.commands) > 0 {
			rows = append(append(rows, command{label: s.title}), s.commands...)
		}
	}
	return rows
}

// find starts the finders.
func (p *paletteBox) find() tea.Cmd {
	p.campaign = nil
	if p.words == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, s := range p.finders {
		if words, find := p.words, s.Find(p.words); find != nil {
			cmds = append(cmds, func() tea.Msg {
				items := find(context.Background())
				return RunMsg{func() tea.Cmd { p.found(words, items); return nil }}
			})
		}
	}
	return tea.Batch(cmds...)
}

// found adds what a screen has found for some words. The cursor stays on its entry unless it is on the first line.
func (p *paletteBox) found(words string, items []screen.PaletteItem) {
	if words != p.words {
		return
	}
	for _, x := range items {
		p.campaign = append(p.campaign, p.itemCommand(x, rankCampaign))
	}
	var at command
	if p.list.Index() > 0 {
		at, _ = p.list.Selected()
	}
	p.list.Set(p.rows())
	if !p.list.Select(func(c command) bool { return c.text() == at.text() }) {
		p.list.SelectIndex(0)
	}
}

func (p *paletteBox) itemCommand(f screen.PaletteItem, r rank) command {
	return command{name: "place." + f.Text, label: widget.Clean(f.Text), detail: widget.Clean(f.Detail), info: f.Kind, rank: r, run: func() tea.Cmd { return p.route(f.Route) }}
}

func (p *paletteBox) typing() bool { return true }

func (p *paletteBox) hints() []hint {
	return []hint{{Key: "enter", Label: "choose"}, {Key: "esc", Label: "close"}}
}

// Key edits the words, moves, or runs the command under the cursor.
func (p *paletteBox) Key(msg tea.KeyMsg) tea.Cmd {
	if slices.Contains(p.closes, msg.String()) {
		return p.Close()
	}
	switch msg.String() {
	case "esc":
		return p.Close()
	case "up", "ctrl+p", "shift+tab":
		p.list.Key(tea.KeyMsg{Type: tea.KeyUp})
	case "down", "ctrl+n", "tab":
		p.list.Key(tea.KeyMsg{Type: tea.KeyDown})
	case "pgup", "pgdown":
		p.list.Key(msg)
	case "enter":
		return p.runSelected()
	default:
		if p.prompt.Update(msg) {
			return p.filter()
		}
	}
	return nil
}

// runSelected closes the palette and runs the command under the cursor, which may open another overlay.
func (p *paletteBox) runSelected() tea.Cmd {
	c, ok := p.list.Selected()
	if !ok {
		return nil
	}
	p.Close()
	if c.disabledReason == "" {
		p.ran(c.name)
	}
	return c.run()
}

// Mouse scrolls, and runs the command that is clicked.
func (p *paletteBox) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y -= 2 // the frame and the prompt
	if hit, _ := p.list.Mouse(msg); hit && widget.Pressed(msg) {
		return p.runSelected()
	}
	return nil
}

// View draws the box.
func (p *paletteBox) View(width, height int) string {
	panel := widget.NewPanel(p.theme, "Palette")
	panel.Focused, panel.Footer = true, hintLine(p.hints())
	panel.SetSize(min(width-4, 76), min(height-4, 24))
	w, h := panel.Inner()
	p.prompt.SetSize(w, 1)
	p.list.SetSize(w, max(h-1, 1))
	return panel.View(p.prompt.View() + "\n" + p.list.View())
}
