package viewas

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Chooser is an overlay in which the user chooses a person: by name, by going through the audience, or nobody.
type Chooser struct {
	screen.Box
	cfg   Config
	theme *themes.Theme
	host  ChooserHost

	list     *list.List[chooserRow]
	users    []engine.User // that the newest search found
	searched string        // the text that users were searched for
	enter    bool          // enter was pressed before the users were found
	note     string        // why the last step led nowhere
	listTop  int           // line of the box at which the list begins

	walk walk
}

// walk is a way through the audience, and what it was made for.
type walk struct {
	cursor   *resolve.Cursor
	prepared *resolve.Campaign
}

// ChooserHost is what a chooser needs of the screen that it is over.
type ChooserHost struct {
	Title string
	// Group is the help heading of the chooser's keys.
	Group string
	// Choice returns the current choice, and the user if it is one that is known.
	Choice func() (Choice, *engine.User)
	Source func() Source
	// Choose takes a choice. The user is nil where it is none, or only the service knows it.
	Choose func(Choice, *engine.User) tea.Cmd
	// Preview offers what only a preview can show: messages as written, and as nobody.
	Preview bool
}

// chooserRow is a row of the list.
type chooserRow struct {
	text, info string
	user       *engine.User // nil for a row that is not a user
	run        func() tea.Cmd
}

// mostUsers is how many users are listed.
const mostUsers = 50

// NewChooser returns a chooser. Open starts it.
func NewChooser(cfg Config, t *themes.Theme, host ChooserHost) *Chooser {
	c := &Chooser{cfg: cfg, theme: t, host: host}
	c.list = list.Items(t, "row", c.item)
	c.list.Filter("name, email address or ID", nil)
	c.list.TypeFilter()
	c.list.Focused = true
	return c
}

// Open lists the first users.
func (c *Chooser) Open() tea.Cmd {
	c.fill()
	return c.search()
}

// Typing returns true: letters are text.
func (c *Chooser) Typing() bool { return true }

func (c *Chooser) text() string { return strings.TrimSpace(c.list.FilterText()) }

// search looks for users with the typed text. A newer search cancels it.
func (c *Chooser) search() tea.Cmd {
	users, ok := c.cfg.Users()
	if !ok {
		return nil
	}
	text := c.text()
	work := screen.Settled(c.cfg.Tasks, taskSearch, func(ctx context.Context) ([]engine.User, error) { return users.Users(ctx, text, mostUsers) })
	return screen.Go(c.cfg.Tasks, taskSearch, work, func(found []engine.User, err error) tea.Cmd {
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

// choose returns what takes a choice and closes the chooser.
func (c *Chooser) choose(to Choice, u *engine.User) func() tea.Cmd {
	return func() tea.Cmd { return tea.Batch(c.host.Choose(to, u), c.Close()) }
}

// fill lists what can be chosen for the typed text: users first once something is typed.
func (c *Chooser) fill() {
	text := strings.ToLower(c.text())
	var users, others []chooserRow
	for _, r := range c.otherRows() {
		if strings.Contains(strings.ToLower(r.text), text) {
			others = append(others, r)
		}
	}
	for i := range c.users {
		u := &c.users[i]
		name, info := u.DisplayName(), u.ID
		if info == name {
			info = ""
		}
		if c.searched == c.text() || strings.Contains(strings.ToLower(u.ID+"\n"+name), text) {
			users = append(users, chooserRow{name, info, u, c.choose(ChoiceOf(*u), u)})
		}
	}
	rows := append(users, others...)
	if text == "" {
		rows = append(others, users...)
	} else if _, ok := c.cfg.Users(); !ok && !c.host.Preview {
		typed := c.text()
		rows = append(rows, chooserRow{text: "Use “" + typed + "”", run: c.choose(Choice{Person: resolve.PersonNamed(typed)}, nil)})
	}
	c.list.Set(rows)
}

// otherRows returns the rows that are not users.
func (c *Chooser) otherRows() []chooserRow {
	if !c.host.Preview {
		return nil
	}
	return []chooserRow{
		{text: "Nobody", info: "only defaults", run: c.choose(Nobody(), nil)},
		{text: "As written", info: "with expressions", run: c.choose(Choice{}, nil)},
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

// accept runs the highlighted row. Users that are still searched for are waited for.
func (c *Chooser) accept() tea.Cmd {
	if c.cfg.Tasks.Running(taskSearch) && c.searched != c.text() && c.text() != "" {
		c.enter = true
		return nil
	}
	if r, ok := c.list.Selected(); ok {
		return r.run()
	}
	return nil
}

// step returns what goes from the user who is shown to another one of the audience. end says why there is none.
func (c *Chooser) step(move func(*resolve.Cursor, context.Context) (engine.User, bool, error), end string) func() tea.Cmd {
	return func() tea.Cmd {
		reader, _ := c.cfg.Audience()
		_, from := c.host.Choice()
		src, service, before := c.host.Source(), c.cfg.Service, c.walk
		var next walk
		c.note = ""
		return screen.Go(c.cfg.Tasks, taskStep, func(ctx context.Context) (found *engine.User, err error) {
			if next.prepared, err = prepare(ctx, service, before.prepared, src); err != nil {
				return nil, err
			}
			if next.cursor = before.cursor; next.prepared != before.prepared {
				next.cursor = next.prepared.Cursor(reader)
			}
			if from != nil && next.cursor.At() != from.ID {
				next.cursor.Seek(from.ID)
			}
			u, ok, err := move(next.cursor, ctx)
			if !ok {
				return nil, err
			}
			return &u, err
		}, func(u *engine.User, err error) tea.Cmd {
			switch {
			case err != nil:
				c.note = phrase.Capitalize("cannot go through the audience: " + err.Error())
				return nil
			case u == nil && next.cursor.At() != "" && end != "":
				c.note = end
				return nil
			case u == nil:
				c.note = "Nobody is in the audience."
				return nil
			}
			c.walk = next
			cmd := c.host.Choose(ChoiceOf(*u), u)
			c.fill()
			return cmd
		})
	}
}

// Close closes the chooser and ends its tasks.
func (c *Chooser) Close() tea.Cmd {
	for _, task := range []string{taskSearch, taskStep} {
		c.cfg.Tasks.Drop(task)
	}
	return c.Box.Close()
}

// Key handles a key that is not an action.
func (c *Chooser) Key(msg tea.KeyMsg) tea.Cmd {
	switch msg.String() {
	case "tab":
		msg = tea.KeyMsg{Type: tea.KeyDown}
	case "shift+tab":
		msg = tea.KeyMsg{Type: tea.KeyUp}
	}
	if c.list.Key(msg) == list.Filtered {
		return c.filtered()
	}
	return nil
}

// filtered lists the users for another text.
func (c *Chooser) filtered() tea.Cmd {
	c.enter, c.note = false, ""
	c.fill()
	c.list.SelectIndex(0)
	return c.search()
}

// Actions returns what the user can do.
func (c *Chooser) Actions() []screen.Action {
	group := c.host.Group
	acts := []screen.Action{
		{Keys: []string{"enter"}, Label: "choose", Group: group, BarPriority: 10, WhileTyping: true, Run: c.accept},
		{Name: "close", Keys: []string{"esc"}, Label: "close", Help: "close the chooser", Group: group, BarPriority: 7, WhileTyping: true, Run: c.Close},
	}
	if _, ok := c.cfg.Audience(); !ok {
		return acts
	}
	return append(acts, []screen.Action{
		{Keys: []string{"alt+."}, Label: "next user", Help: "next user in the audience", Group: group, BarPriority: 9, WhileTyping: true, Run: c.step((*resolve.Cursor).Next, "This is the last user in the audience.")},
		{Keys: []string{"alt+,"}, Label: "previous user", Help: "previous user in the audience", Group: group, BarPriority: 6, WhileTyping: true, Run: c.step((*resolve.Cursor).Previous, "This is the first user in the audience.")},
		{Keys: []string{"ctrl+r"}, Label: "random user", Help: "random user from the audience", Group: group, BarPriority: 8, WhileTyping: true, Run: c.step((*resolve.Cursor).Random, "")},
	}...)
}

// Mouse handles the wheel and clicks.
func (c *Chooser) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y -= c.listTop
	hit, _ := c.list.Mouse(msg)
	c.list.TypeFilter()
	if hit && widget.Pressed(msg) {
		return c.accept()
	}
	return nil
}

// head returns the lines above the list.
func (c *Chooser) head(w int) []string {
	var lines []string
	_, known := c.cfg.Users()
	now, _ := c.host.Choice()
	if known || !c.host.Preview {
		lines = append(lines, c.list.FilterView())
	}
	note, style := "Now: "+now.Label(), c.theme.Muted
	switch {
	case c.cfg.Tasks.Running(taskStep):
		note = "Looking through the audience…"
	case c.note != "":
		note, style = c.note, c.theme.Warning
	case !known && c.host.Preview:
		note = "This service does not show its users. You can see the message with defaults only."
	case !known:
		note = "This service does not show its users. Type the ID or email address of one."
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

// At returns where the box goes: below the header, at the left, so that the message beside or below it is seen.
func (c *Chooser) At(string, int, int) (x, y int) { return 0, 1 }

// View draws the box.
func (c *Chooser) View(width, height int) string {
	w := min(chooserWidth, width)
	c.list.SetSize(w-4, 0) // the width of the filter
	head := c.head(w - 4)
	c.listTop = 1 + len(head)
	h := min(len(head)+max(c.list.Len(), 1)+2, chooserRows+len(head), height-2)
	c.list.SetSize(w-4, h-2-len(head))
	c.list.Empty = "No user matches."
	if c.cfg.Tasks.Running(taskSearch) {
		c.list.Empty = "Searching…"
	}
	panel := widget.NewPanel(c.theme, c.host.Title)
	panel.Focused = true
	panel.SetSize(w, h)
	return panel.View(strings.Join(append(head, c.list.View()), "\n"))
}

// Read says who can be chosen.
func (c *Chooser) Read() screen.Page {
	now, _ := c.host.Choice()
	search := func(words string) tea.Cmd {
		c.list.Search(words)
		c.list.TypeFilter()
		return c.filtered()
	}
	open := func(r chooserRow) tea.Cmd { return r.run() }
	return screen.Page{Place: c.host.Title, Summary: "Now: " + phrase.Sentence(now.Label()), Warning: c.note,
		Cursor: c.list.At(), Search: search, Parts: []screen.Part{{Rows: c.list.Rows(nil, open)}}}
}
