package viewas

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/assemble"
	"bugle/engine/message/resolve"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Chooser is a small box in which the user chooses a person: by name, by going through the audience, or nobody. It has
// the keyboard while it is open.
type Chooser struct {
	cfg    Config
	theme  *themes.Theme
	host   ChooserHost
	walker *walker

	prompt   widget.Prompt
	list     widget.List
	rows     []chooserRow
	users    []engine.User // that the newest search found
	searched string        // the text that users were searched for
	waiting  bool          // a search is under way
	enter    bool          // enter was pressed before the users were found
	note     string        // why the last step led nowhere
	values   []attribute   // those that can be typed; nil unless they are listed
	box      struct{ x, y, w, h int }
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
	// Close closes the chooser.
	Close func() tea.Cmd
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
	c := &Chooser{cfg: cfg, theme: t, host: host, walker: newWalker(cfg), prompt: widget.NewPrompt(t, "", ""), list: widget.NewList(t)}
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
	return func() tea.Cmd { return tea.Batch(c.host.Choose(to, u), c.host.Close()) }
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
	c.rows = c.rows[:0]
	if c.values != nil {
		c.fillValues()
	} else {
		c.fillPeople()
	}
	now, _ := c.host.Choice()
	items := make([]widget.Item, len(c.rows))
	for i, r := range c.rows {
		items[i] = widget.Item{Text: r.text, Info: r.info, InfoTone: themes.ToneMuted, Icon: " "}
		if r.user != nil && c.host.Preview && r.user.ID == now.ID {
			items[i].Icon, items[i].IconTone = "●", themes.ToneAccent
		}
	}
	at := c.list.Cursor
	c.list.SetItems(items)
	c.list.SelectItem(at)
}

func (c *Chooser) fillPeople() {
	text := strings.ToLower(c.text())
	add := func(r chooserRow) {
		if text == "" || strings.Contains(strings.ToLower(r.text), text) {
			c.rows = append(c.rows, r)
		}
	}
	if text == "" {
		c.fillCommands(add)
	}
	for i := range c.users {
		u := &c.users[i]
		if c.searched == c.text() || strings.Contains(strings.ToLower(u.ID+"\n"+u.DisplayName()), text) {
			info := u.ID
			if info == u.DisplayName() {
				info = ""
			}
			c.rows = append(c.rows, chooserRow{text: u.DisplayName(), info: info, user: u, run: c.choose(c.with(ChoiceOf(*u)), u)})
		}
	}
	if text != "" {
		c.fillCommands(add)
	}
	if _, ok := c.cfg.Users(); !ok && !c.host.Preview && c.text() != "" {
		typed := c.text()
		c.rows = append(c.rows, chooserRow{text: "Use “" + typed + "”", run: c.choose(Choice{Person: resolve.PersonNamed(typed)}, nil)})
	}
}

func (c *Chooser) fillCommands(add func(chooserRow)) {
	if _, ok := c.cfg.Audience(); ok {
		order := "off"
		if c.walker.MissingFirst {
			order = "on"
		}
		add(chooserRow{text: "Next user in the audience", info: "alt+n", run: c.step(Next)})
		add(chooserRow{text: "Previous user in the audience", info: "alt+p", run: c.step(Previous)})
		add(chooserRow{text: "Random user from the audience", info: "alt+r", run: c.step(Random)})
		add(chooserRow{text: "Missing values first: " + order, info: "alt+m", run: c.toggleMissingFirst})
	}
	if !c.host.Preview {
		return
	}
	add(chooserRow{text: "Nobody", info: "only defaults", run: c.choose(c.with(Nobody()), nil)})
	add(chooserRow{text: "As written", info: "with expressions", run: c.choose(Choice{}, nil)})
	typed := ""
	if now, _ := c.host.Choice(); len(now.Values) > 0 {
		typed = fmt.Sprintf("%d typed", len(now.Values))
	}
	add(chooserRow{text: "Type attribute values…", info: typed, run: c.listValues})
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
	}, func(list []attribute, err error) tea.Cmd {
		if err != nil {
			c.note = "Cannot read the messages: " + err.Error()
		} else {
			c.values = list
			c.list.SelectItem(0)
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

func (c *Chooser) fillValues() {
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
		c.rows = append(c.rows, chooserRow{text: name, info: info, run: func() tea.Cmd { return c.ask(a) }})
	}
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
	if i := c.list.Cursor; i >= 0 && i < len(c.rows) {
		return c.rows[i].run()
	}
	return nil
}

// Back goes back from the values to the people, or closes the chooser.
func (c *Chooser) Back() tea.Cmd {
	c.walker.Cancel()
	if c.values != nil {
		c.values = nil
		c.list.SelectItem(0)
		c.fill()
		return nil
	}
	return c.host.Close()
}

// Cancel ends the tasks of the chooser.
func (c *Chooser) Cancel() {
	c.walker.Cancel()
	c.cfg.Tasks.Drop(taskSearch)
	c.cfg.Tasks.Drop(taskValues)
}

// BackLabel returns what esc does.
func (c *Chooser) BackLabel() string {
	if c.values != nil {
		return "back"
	}
	return "close"
}

// Key handles a key. The screen has an action for esc.
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
		c.list.Down()
	case name == "shift+tab":
		c.list.Up()
	case c.values != nil || name == "up" || name == "down" || name == "pgup" || name == "pgdown":
		c.list.Update(msg)
	case c.prompt.Update(msg):
		c.enter, c.note = false, ""
		c.list.SelectItem(0)
		c.fill()
		return c.search()
	}
	return nil
}

// Bindings describes the keys, the most important first.
func (c *Chooser) Bindings() []key.Binding {
	bind := func(name, label string) key.Binding {
		return key.NewBinding(key.WithKeys(name), key.WithHelp(name, label))
	}
	out := []key.Binding{bind("enter", "choose")}
	if _, ok := c.cfg.Audience(); ok && c.values == nil {
		out = append(out, bind("alt+n", "next user"), bind("alt+r", "random user"), bind("alt+p", "previous user"), bind("alt+m", "missing first"))
	}
	return append(out, bind("↑/↓", "move"))
}

// Mouse handles the wheel and clicks, relative to the screen that the chooser was placed on. A click outside closes it.
func (c *Chooser) Mouse(msg tea.MouseMsg) tea.Cmd {
	x, y := msg.X-c.box.x, msg.Y-c.box.y
	press := widget.Pressed(msg)
	if x < 0 || y < 0 || x >= c.box.w || y >= c.box.h {
		if press {
			return c.Back()
		}
		return nil
	}
	head := 1 + len(c.head(c.box.w-4))
	if c.list.Mouse(msg, y-head) && press {
		return c.accept()
	}
	if press && y == 1 && c.values == nil {
		c.prompt.Click(x - 2)
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

// Place draws the chooser over a screen of that size, with its left border at column x and no wider than room.
func (c *Chooser) Place(base string, x, room, width, height int) string {
	w := min(chooserWidth, room)
	if w < 40 {
		w = min(chooserWidth, width)
		x = (width - w) / 2
	}
	head := c.head(w - 4)
	h := min(len(head)+max(len(c.rows), 1)+2, chooserRows+len(head), height)
	c.list.SetSize(w-4, max(h-2-len(head), 0))
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
	c.box.x, c.box.y, c.box.w, c.box.h = x, 0, w, h
	base = strings.ReplaceAll(base, themes.CaretMark, "") // the chooser has the keyboard
	return widget.Cover(base, panel.View(strings.Join(append(head, c.list.View()), "\n")), x, 0, width, height)
}
