package viewas

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/message/resolve"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Chooser is an overlay in which the user chooses a person: by name, by going through the audience, or nobody.
type Chooser struct {
	screen.Box
	cfg    Config
	theme  *themes.Theme
	host   ChooserHost
	walker *walker

	prompt   widget.Prompt
	list     *list.List[chooserRow]
	users    []engine.User // that the newest search found
	searched string        // the text that users were searched for
	waiting  bool          // a search is under way
	enter    bool          // enter was pressed before the users were found
	note     string        // why the last step led nowhere
	values   []attribute   // those that can be typed; nil unless they are listed
	listTop  int           // line of the box at which the list begins
}

// attribute is an attribute of the messages whose value can be typed.
type attribute struct {
	assemble.Attribute
	dataType string
	own      string // the person's own value, for display
}

// ChooserHost is what a chooser needs of the screen that it is over.
type ChooserHost struct {
	Title string
	// Choice returns the current choice, and the user if it is one that is known.
	Choice func() (Choice, *engine.User)
	Source func() Source
	// Choose takes a choice. The user is nil where it is none, or only the service knows it.
	Choose func(Choice, *engine.User) tea.Cmd
	// Room returns the column of the screen at which the chooser begins, and how wide it may be.
	Room func() (x, width int)
	// Back is the action of esc; the chooser sets what it does.
	Back screen.Action
	// Preview offers what only a preview can show: messages as written, nobody, and typed values.
	Preview bool
}

// chooserRow is a row of the list.
type chooserRow struct {
	text, info string
	user       *engine.User
	run        func() tea.Cmd
}

// mostUsers is how many users are listed.
const mostUsers = 50

// NewChooser returns a chooser. Open starts it.
func NewChooser(cfg Config, t *themes.Theme, host ChooserHost) *Chooser {
	c := &Chooser{cfg: cfg, theme: t, host: host, walker: newWalker(cfg), prompt: widget.NewPrompt(t, "", "")}
	c.list = list.Items(t, "row", c.item)
	c.prompt.Placeholder = "name, email address or ID"
	c.prompt.Focus()
	c.list.Focused = true
	return c
}

// Open lists the first users.
func (c *Chooser) Open() tea.Cmd {
	c.fill()
	return c.search()
}

// Typing reports whether letters are text.
func (c *Chooser) Typing() bool { return c.values == nil }

func (c *Chooser) text() string { return strings.TrimSpace(c.prompt.Value()) }

// search looks for users with the typed text. A newer search cancels it.
func (c *Chooser) search() tea.Cmd {
	users, ok := c.cfg.Users()
	if !ok {
		return nil
	}
	text := c.text()
	c.waiting = true
	work := screen.Settled(c.cfg.Tasks, taskSearch, func(ctx context.Context) ([]engine.User, error) { return users.Users(ctx, text, mostUsers) })
	return screen.Go(c.cfg.Tasks, taskSearch, work, func(found []engine.User, err error) tea.Cmd {
		c.waiting = false
		if err != nil && !screen.Canceled(err) {
			c.note = "Cannot search users: " + err.Error()
		}
		c.users, c.searched = found, text
		c.fill()
		accept := c.enter && err == nil
		c.enter = false
		if !accept {
			return nil
		}
		return c.accept()
	})
}

// with returns a choice with the values that were typed before: they are of the campaign, not of the person.
func (c *Chooser) with(to Choice) Choice {
	now, _ := c.host.Choice()
	to.Values = now.Values
	return to
}

// choose takes a choice and closes the chooser.
func (c *Chooser) choose(to Choice, u *engine.User) func() tea.Cmd {
	return func() tea.Cmd { return tea.Batch(c.host.Choose(to, u), c.Close()) }
}

func (c *Chooser) step(s Step) func() tea.Cmd {
	return func() tea.Cmd {
		c.note = ""
		_, u := c.host.Choice()
		return c.walker.Step(s, c.host.Source(), u, func(u *engine.User, why string) (cmd tea.Cmd) {
			c.note = why
			if u != nil {
				cmd = c.host.Choose(c.with(ChoiceOf(*u)), u)
			}
			c.fill()
			return cmd
		})
	}
}

// toggleMissingFirst changes the order of the audience.
func (c *Chooser) toggleMissingFirst() tea.Cmd {
	c.walker.MissingFirst = !c.walker.MissingFirst
	c.fill()
	return nil
}

// fill lists what can be chosen for the typed text, and keeps the cursor.
func (c *Chooser) fill() {
	if c.values != nil {
		c.list.Set(c.valueRows())
	} else {
		c.list.Set(c.personRows())
	}
}

// item returns the row, with a mark on the current choice.
func (c *Chooser) item(r chooserRow) widget.Item {
	item := widget.Item{Text: r.text, Info: r.info, InfoTone: themes.ToneMuted, Icon: " "}
	if now, _ := c.host.Choice(); r.user != nil && c.host.Preview && r.user.ID == now.ID {
		item.Icon, item.IconTone = "●", themes.ToneAccent
	}
	return item
}

// personRows returns the commands and users that match the typed text: users first once something is typed.
func (c *Chooser) personRows() []chooserRow {
	text := strings.ToLower(c.text())
	var users, commands []chooserRow
	for _, r := range c.commandRows() {
		if text == "" || strings.Contains(strings.ToLower(r.text), text) {
			commands = append(commands, r)
		}
	}
	for i := range c.users {
		u := &c.users[i]
		if c.searched == c.text() || strings.Contains(strings.ToLower(u.ID+"\n"+u.DisplayName()), text) {
			info := u.ID
			if info == u.DisplayName() {
				info = ""
			}
			users = append(users, chooserRow{text: u.DisplayName(), info: info, user: u, run: c.choose(c.with(ChoiceOf(*u)), u)})
		}
	}
	if text == "" {
		return append(commands, users...)
	}
	rows := append(users, commands...)
	if _, ok := c.cfg.Users(); !ok && !c.host.Preview {
		typed := c.text()
		rows = append(rows, chooserRow{text: "Use “" + typed + "”", run: c.choose(Choice{Person: resolve.PersonNamed(typed)}, nil)})
	}
	return rows
}

// commandRows returns the rows that are not users.
func (c *Chooser) commandRows() []chooserRow {
	var rows []chooserRow
	if _, ok := c.cfg.Audience(); ok {
		order := "off"
		if c.walker.MissingFirst {
			order = "on"
		}
		rows = append(rows,
			chooserRow{text: "Next user in the audience", info: "alt+n", run: c.step(Next)},
			chooserRow{text: "Previous user in the audience", info: "alt+p", run: c.step(Previous)},
			chooserRow{text: "Random user from the audience", info: "alt+r", run: c.step(Random)},
			chooserRow{text: "Missing values first: " + order, info: "alt+m", run: c.toggleMissingFirst})
	}
	if !c.host.Preview {
		return rows
	}
	typed := ""
	if now, _ := c.host.Choice(); len(now.Values) > 0 {
		typed = fmt.Sprintf("%d typed", len(now.Values))
	}
	return append(rows,
		chooserRow{text: "Nobody", info: "only defaults", run: c.choose(c.with(Nobody()), nil)},
		chooserRow{text: "As written", info: "with expressions", run: c.choose(Choice{}, nil)},
		chooserRow{text: "Type attribute values…", info: typed, run: c.listValues})
}

// listValues lists the attributes of the messages.
func (c *Chooser) listValues() tea.Cmd {
	src, service := c.host.Source(), c.cfg.Service
	_, u := c.host.Choice()
	return screen.Go(c.cfg.Tasks, taskValues, func(ctx context.Context) ([]attribute, error) {
		prepared, err := resolve.Prepare(ctx, service, src.Workspace, src.Channel, src.Document)
		if err != nil {
			return nil, err
		}
		out := []attribute{}
		for _, a := range attributes(prepared) {
			out = append(out, attribute{a, a.DataType(src.Workspace), ownValue(src, a, u)})
		}
		return out, nil
	}, func(all []attribute, err error) tea.Cmd {
		if err != nil {
			c.note = "Cannot read the messages: " + err.Error()
		} else {
			c.values = all
			c.list.SelectIndex(0)
		}
		c.fill()
		return nil
	})
}

// ownValue returns the user's value of an attribute, or that of the user's newest event of the trigger's kind.
func ownValue(src Source, a assemble.Attribute, u *engine.User) string {
	if u == nil {
		return ""
	}
	from := u.Attributes
	if a.Event {
		from = engine.TriggerAttributes(src.Document, *u)
	}
	switch v := from[a.Name]; {
	case v == nil:
		return "missing"
	case a.Event:
		return fmt.Sprintf("%v, last seen", v)
	default:
		return fmt.Sprint(v)
	}
}

// valueRows returns the attributes of the messages.
func (c *Chooser) valueRows() []chooserRow {
	var rows []chooserRow
	now, _ := c.host.Choice()
	for _, a := range c.values {
		name := a.Name
		if a.Event {
			name += " (of the event)"
		}
		info := a.own
		if typed := now.Typed(a.Attribute); typed != "" {
			info = typed + ", typed"
		}
		rows = append(rows, chooserRow{text: name, info: info, run: func() tea.Cmd { return c.ask(a) }})
	}
	return rows
}

// ask asks for the value of an attribute.
func (c *Chooser) ask(a attribute) tea.Cmd {
	now, _ := c.host.Choice()
	return screen.Send(screen.InputMsg{
		Title: "Value of " + widget.Clean(a.Name), Placeholder: "empty for the person's own", Value: now.Typed(a.Attribute),
		Validate: func(text string) string {
			if _, err := engine.ParseOverride(a.dataType, text); err != nil && text != "" {
				return "The value " + err.Error() + "."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			now, u := c.host.Choice()
			cmd := c.host.Choose(now.With(a.Attribute, text), u)
			c.fill()
			return cmd
		},
	})
}

// accept runs the highlighted row. Users that are still searched for are waited for.
func (c *Chooser) accept() tea.Cmd {
	if c.waiting && c.values == nil && c.searched != c.text() && c.text() != "" {
		c.enter = true
		return nil
	}
	if r, ok := c.list.Selected(); ok {
		return r.run()
	}
	return nil
}

// Back goes back from the values to the people, or closes the chooser.
func (c *Chooser) Back() tea.Cmd {
	c.walker.Cancel()
	if c.values != nil {
		c.values = nil
		c.list.SelectIndex(0)
		c.fill()
		return nil
	}
	return c.Close()
}

// Close closes the chooser and ends its tasks.
func (c *Chooser) Close() tea.Cmd {
	c.walker.Cancel()
	c.cfg.Tasks.Drop(taskSearch)
	c.cfg.Tasks.Drop(taskValues)
	return c.Box.Close()
}

// Key handles a key that is not an action.
func (c *Chooser) Key(msg tea.KeyMsg) tea.Cmd {
	steps, audience := map[string]func() tea.Cmd{"alt+n": c.step(Next), "alt+p": c.step(Previous), "alt+r": c.step(Random), "alt+m": c.toggleMissingFirst}, false
	if _, audience = c.cfg.Audience(); audience && c.values == nil {
		if run, ok := steps[msg.String()]; ok {
			return run()
		}
	}
	switch name := msg.String(); {
	case name == "enter":
		return c.accept()
	case name == "tab":
		c.list.Key(tea.KeyMsg{Type: tea.KeyDown})
	case name == "shift+tab":
		c.list.Key(tea.KeyMsg{Type: tea.KeyUp})
	case c.values != nil || name == "up" || name == "down" || name == "pgup" || name == "pgdown":
		c.list.Key(msg)
	case c.prompt.Update(msg):
		c.enter, c.note = false, ""
		c.list.SelectIndex(0)
		c.fill()
		return c.search()
	}
	return nil
}

// Actions describes the keys, the most important first, and has the action of esc.
func (c *Chooser) Actions() []screen.Action {
	acts := []screen.Action{{Keys: []string{"enter"}, Label: "choose"}}
	if _, ok := c.cfg.Audience(); ok && c.values == nil {
		acts = append(acts, []screen.Action{
			{Keys: []string{"alt+n"}, Label: "next user"}, {Keys: []string{"alt+r"}, Label: "random user"},
			{Keys: []string{"alt+p"}, Label: "previous user"}, {Keys: []string{"alt+m"}, Label: "missing first"},
		}...)
	}
	back := c.host.Back
	back.Run = c.Back
	if c.values != nil {
		back.Label = "back"
	}
	return boxActions(append(acts, screen.Action{Keys: []string{"↑/↓"}, Label: "move"}), back)
}

// boxActions returns entries of the help for keys that a box handles, the first three in the status bar too, and the action
// that leaves it.
func boxActions(keys []screen.Action, back screen.Action) []screen.Action {
	for i := range keys {
		keys[i].Group, keys[i].WhileTyping, keys[i].HelpOnly = back.Group, true, true
		if i < 3 {
			keys[i].BarPriority = 10 - i
		}
	}
	return append(keys, back)
}

// Mouse handles the wheel and clicks.
func (c *Chooser) Mouse(msg tea.MouseMsg) tea.Cmd {
	if widget.Pressed(msg) && msg.Y == 1 && c.values == nil {
		c.prompt.Click(msg.X - 2)
		return nil
	}
	msg.Y -= c.listTop
	if hit, _ := c.list.Mouse(msg); hit && widget.Pressed(msg) {
		return c.accept()
	}
	return nil
}

// head returns the lines above the list.
func (c *Chooser) head(w int) []string {
	var lines []string
	_, known := c.cfg.Users()
	now, _ := c.host.Choice()
	if c.values == nil && (known || !c.host.Preview) {
		c.prompt.SetSize(w, 1)
		lines = append(lines, c.prompt.View())
	}
	note, style := "Now: "+now.Label(), c.theme.Muted
	switch {
	case c.walker.Busy:
		note = "Looking through the audience…"
	case c.note != "":
		note, style = c.note, c.theme.Warning
	case !known && c.host.Preview && c.values == nil:
		note = "This service does not show its users. You can see the message with defaults only, or with values that you type."
	case !known && c.values == nil:
		note = "This service does not show its users. Type the ID or email address of one."
	case c.values != nil && len(c.values) == 0:
		note = "The messages use no attributes."
	case !c.host.Preview && now.AsWritten():
		return lines
	}
	for _, l := range widget.WrapMax(widget.Clean(note), max(w, 1), 3) {
		lines = append(lines, style.Render(l))
	}
	return lines
}

// chooserWidth and chooserRows are the most that the box takes.
const (
	chooserWidth = 60
	chooserRows  = 14
)

// width returns the column of the window at which the box begins, and its width.
func (c *Chooser) width(window int) (x, w int) {
	x, room := c.host.Room()
	if w = min(chooserWidth, room); w < 40 {
		w = min(chooserWidth, window)
		x = (window - w) / 2
	}
	return x, w
}

// At returns where the box goes: below the header.
func (c *Chooser) At(_ string, width, _ int) (x, y int) {
	x, _ = c.width(width)
	return x, 1
}

// View draws the box.
func (c *Chooser) View(width, height int) string {
	_, w := c.width(width)
	head := c.head(w - 4)
	c.listTop = 1 + len(head)
	h := min(len(head)+max(c.list.Len(), 1)+2, chooserRows+len(head), height-2)
	c.list.SetSize(w-4, h-2-len(head))
	c.list.Empty = "No user matches."
	if c.waiting {
		c.list.Empty = "Searching…"
	}
	panel := widget.NewPanel(c.theme, c.host.Title)
	if c.values != nil {
		panel.Title += " › Values"
	}
	panel.Focused = true
	panel.SetSize(w, h)
	return panel.View(strings.Join(append(head, c.list.View()), "\n"))
}
