// Package plain runs the terminal program in lines, without cursor movement, colors or frames: for screen readers, pipes and
// terminals that can only print.
//
// It drives the same root model as the terminal does: it feeds messages to its Update, and prints what the top screen or
// overlay says in [screen.Reader]. At the prompt each line is a command; in a field each line is text, and commands begin with
// a colon.
package plain

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/app"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Options configure the program.
type Options struct {
	App app.Options // Say is set by New
	In  io.Reader
	Out io.Writer
	// Interactive reports whether In is a terminal, which echoes the end of each line.
	Interactive bool
}

// ErrUnanswered is the error of an input that ends inside a question.
var ErrUnanswered = errors.New("the input ended inside a question, which was not answered")

// Program runs the root model in lines.
type Program struct {
	*tea.Program
	driver *driver
}

// New returns the program. Run it, and then Close it.
func New(o Options) (*Program, error) {
	d := &driver{console: newConsole(o.In, o.Out, o.Interactive), heard: map[string]*memory{}, timed: -1}
	o.App.Say = d.notice
	model, err := app.New(o.App)
	if err != nil {
		return nil, err
	}
	d.model = model
	model.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return &Program{tea.NewProgram(d, tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithInput(strings.NewReader("")), tea.WithOutput(io.Discard)), d}, nil
}

// The size of the window that is never drawn: wide enough for all panes, and for most texts in one line.
const (
	width  = 200
	height = 60
)

// Close says goodbye after the program has ended. It returns why the program could not go on, if it could not.
func (p *Program) Close() error {
	d := p.driver
	d.console.cancel()
	if d.console.prompt != "" {
		d.console.answered(io.EOF)
	}
	if d.err == nil {
		d.console.say("Goodbye. Everything is saved.")
	}
	if d.console.err != nil {
		return fmt.Errorf("the lines cannot be written: %w", d.console.err)
	}
	return d.err
}

// driver is the model of the program: the root model, and where the user is in it.
type driver struct {
	model   *app.Model
	console *console
	pending int  // commands that have not ended
	reading bool // a line is waited for
	ending  bool
	turn    int  // counts the lines
	timed   int  // the turn whose time is taken
	slow    bool // the user knows that it takes longer
	err     error

	key     string // the page that was printed last
	heard   map[string]*memory
	asked   *question // nil while commands are typed
	paused  bool      // the user left the questions of a form
	todo    string    // the word of the action that goes from field to field
	lines   *[]string // a text of several lines that is being typed
	listing bool      // the rows are printed whether they changed or not
}

// lineMsg is a line of the input.
type lineMsg struct {
	text string
	err  error
}

// endedMsg reports that a command of the root model has ended, with all that it started.
type endedMsg struct{}

// slowMsg is sent some time after a line.
type slowMsg struct{ turn int }

// slowTime is after how long the user is told that something takes longer.
const slowTime = 500 * time.Millisecond

// Init starts the first screen.
func (d *driver) Init() tea.Cmd {
	d.console.say("bugle, in lines. ? lists the words; in a field, :? does.")
	return tea.Batch(d.track(d.model.Init()), d.next())
}

// View draws nothing.
func (d *driver) View() string { return "" }

// Update passes messages to the root model, and takes lines whenever its commands have ended.
func (d *driver) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case lineMsg:
		d.reading = false
		d.turn++
		d.console.answered(msg.err)
		cmd = d.line(msg)
	case endedMsg:
		d.pending--
	case slowMsg:
		if d.pending > 0 && msg.turn == d.turn && !d.reading && !d.ending {
			d.slow = true
			d.console.say("Working…")
		}
	case screen.LaterMsg: // nothing waits for it
		return d, msg.Start()
	case tea.WindowSizeMsg:
	case app.EndMsg:
		d.ending = true
		cmd = d.pass(msg)
	default:
		cmd = d.pass(msg)
	}
	return d, tea.Batch(d.track(cmd), d.next())
}

// pass passes a message to the root model.
func (d *driver) pass(msg tea.Msg) tea.Cmd {
	_, cmd := d.model.Update(msg)
	return cmd
}

// do runs what a key would run.
func (d *driver) do(run func() tea.Cmd) tea.Cmd {
	if run == nil {
		return nil
	}
	return d.pass(app.RunMsg{Run: run})
}

// back leaves the page as the key esc does.
func (d *driver) back() tea.Cmd { return d.pass(tea.KeyMsg{Type: tea.KeyEsc}) }

// track returns a command that reports when it has ended.
func (d *driver) track(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	d.pending++
	return tea.Sequence(cmd, func() tea.Msg { return endedMsg{} })
}

// next prints what has changed and asks for a line, once all commands have ended.
func (d *driver) next() tea.Cmd {
	switch {
	case d.ending:
		return nil
	case d.console.err != nil:
		return d.end(nil)
	case d.pending > 0 && !d.reading && d.timed != d.turn:
		d.timed = d.turn
		turn := d.turn
		return tea.Tick(slowTime, func(time.Time) tea.Msg { return slowMsg{turn} })
	case d.pending > 0:
		return nil
	}
	if d.slow {
		d.slow = false
		d.console.say("Done.")
	}
	page, key := d.page()
	if d.reading { // something came from outside
		if key == d.key {
			return nil
		}
		d.console.answered(io.EOF)
	}
	if cmd, moved := d.arrive(page, key); moved {
		return tea.Batch(d.track(cmd), d.next())
	}
	if d.reading {
		return nil
	}
	d.reading = true
	c := d.console
	return func() tea.Msg {
		text, err := c.read()
		return lineMsg{text, err}
	}
}

// page returns the current page and its key.
func (d *driver) page() (screen.Page, string) {
	p, at := d.model.Read()
	return p, fmt.Sprintf("%p %s", at, cmp.Or(p.At, p.Place))
}

// line handles a line, or the end of the input.
func (d *driver) line(msg lineMsg) tea.Cmd {
	page, _ := d.page()
	switch {
	case msg.err != nil && !errors.Is(msg.err, io.EOF):
		return d.end(fmt.Errorf("cannot read the next line: %w", msg.err))
	case msg.err != nil && (page.Question || page.Form && d.asked != nil || d.lines != nil):
		return d.end(ErrUnanswered)
	case msg.err != nil:
		return d.end(nil)
	}
	switch {
	case strings.ContainsRune(msg.text, '\x1b'):
		d.console.say("Arrow and other cursor keys do not work here.")
		return nil
	case d.lines != nil:
		return d.textLine(page, msg.text)
	case d.asked != nil:
		return d.answer(page, msg.text)
	}
	return d.command(page, msg.text)
}

// end saves everything and ends the program.
func (d *driver) end(err error) tea.Cmd {
	d.ending, d.err = true, errors.Join(d.err, err)
	return d.pass(app.EndMsg{Saved: make(chan struct{})})
}

// notice prints a notice of the root model.
func (d *driver) notice(_ widget.Level, text string) { d.console.say(d.spoken(text)) }
