package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// groupCommands is the help heading of the user's own commands.
const groupCommands = "Your commands"

// topicCommand is the topic of notices about a command.
const topicCommand = "command"

// userCommands are the user's own commands, of which one runs at a time.
type userCommands struct {
	list    []commands.Command
	running *commandRun // nil if none is running
}

// commandTarget is what a command is about.
type commandTarget struct {
	screen   screen.ID
	service  engine.Service
	id       string          // of the campaign; empty if there is none
	subject  string          // names the campaigns in questions; empty if there is none
	campaign engine.Campaign // without a body if it has to be read
	ids      []string
	field    *screen.Field // nil if none has the keyboard
}

// commandRun is one run of a command.
type commandRun struct {
	commands.Command
	target commandTarget
	data   commands.Data
	cancel context.CancelFunc
	done   chan struct{} // closed when the process has ended
}

// commandTarget returns what a command on the top screen is about.
func (m *Model) commandTarget() commandTarget {
	s, top := m.top().Subject(), m.top()
	t := commandTarget{screen: top.ID(), service: m.opts.Deps.Service, id: m.route().ID}
	if c := s.Campaign; c.ID != "" {
		t.id, t.campaign, t.subject = c.ID, c, "For “"+widget.Clean(cmp.Or(s.Label, engine.Summarize(c).Title()))+"”."
	}
	if t.ids = s.Selected; len(t.ids) > 0 {
		t.subject += fmt.Sprintf(" %d selected.", len(t.ids))
	}
	if len(t.ids) == 0 && t.id != "" {
		t.ids = []string{t.id}
	}
	if f, ok := top.FocusedField(); ok {
		t.field = &f
	}
	return t
}

// disabledReason returns why a command cannot run on the target.
func (t commandTarget) disabledReason(c commands.Command) string {
	switch {
	case c.UsesField() && t.field == nil:
		return "Go to a field first. This command works on the field that has the keyboard."
	case c.Output == commands.OutputField && t.field.LockedReason != "":
		return t.field.LockedReason
	case (c.UsesCampaign() || c.UsesFile() && t.field == nil) && t.id == "":
		return "Select a campaign first. This command works on one."
	}
	return ""
}

// withCommands adds the commands of the top screen to the actions that work now and, while one runs, the action that cancels it.
func (m *Model) withCommands(acts []screen.Action, typing bool) []screen.Action {
	if m.commands.running != nil {
		acts = slices.DeleteFunc(acts, func(a screen.Action) bool { return a.HasKey(cancelCommandKey) })
		acts = append([]screen.Action{m.commands.running.cancelAction()}, acts...)
	}
	var own []screen.Action
	for _, c := range m.commands.list {
		if !c.On(m.route().Name) || typing && keymap.IsPrintable(c.Key) {
			continue
		}
		if slices.ContainsFunc(acts, func(a screen.Action) bool { return a.HasKey(c.Key) }) {
			continue // the key is free on this screen, but not now
		}
		on := m.commandTarget()
		own = append(own, screen.Action{
			Name: "own " + c.Name, Keys: []string{c.Key}, Label: widget.Clean(c.Name), Group: groupCommands, WhileTyping: !keymap.IsPrintable(c.Key),
			DisabledReason: on.disabledReason(c), Run: func() tea.Cmd { return m.startCommand(c, on) },
		})
	}
	if len(own) == 0 {
		return acts
	}
	at := slices.IndexFunc(acts, func(a screen.Action) bool { return a.Group == groupEverywhere })
	if at < 0 {
		at = len(acts)
	}
	return slices.Insert(acts, at, own...)
}

// cancelCommandKey cancels the running command. It cannot be rebound.
const cancelCommandKey = "esc"

func (run *commandRun) cancelAction() screen.Action {
	return screen.Action{
		Name: "cancel command", Keys: []string{cancelCommandKey}, Label: "cancel " + widget.Clean(run.Name), Group: groupCommands, BarPriority: 100, WhileTyping: true,
		Run: func() tea.Cmd { run.cancel(); return nil },
	}
}

// startCommand reads the campaign if the command needs it, asks the prompts and the question, and runs the command.
func (m *Model) startCommand(c commands.Command, on commandTarget) tea.Cmd {
	run := &commandRun{Command: c, target: on, data: commands.Data{ID: on.id, IDs: on.ids, Prompt: map[string]string{}}}
	if on.field != nil {
		run.data.Field, run.data.Value = on.field.Path, on.field.Text
	}
	needed := c.UsesCampaign() || c.UsesFile() && on.field == nil
	if !needed || on.campaign.Body.Exists() || on.id == "" {
		return m.askPrompts(run, 0)
	}
	return func() tea.Msg {
		var err error
		if run.target.campaign, err = on.service.Get(context.Background(), on.id); err != nil {
			return screen.NotifyMsg{Level: widget.LevelError, Text: "Can't read the campaign: " + err.Error()}
		}
		return RunMsg{func() tea.Cmd { return m.askPrompts(run, 0) }}
	}
}

// askPrompts asks the prompts from at on, then the question, and then runs the command.
func (m *Model) askPrompts(run *commandRun, at int) tea.Cmd {
	if at < len(run.Prompts) {
		p := run.Prompts[at]
		return screen.Send(screen.InputMsg{Title: widget.Clean(run.Name + " · " + p.Title), Body: run.target.subject, Value: p.Default, Then: func(text string) tea.Cmd {
			run.data.Prompt[p.Name] = text
			return m.askPrompts(run, at+1)
		}})
	}
	if c := run.target.campaign; c.ID != "" {
		run.data.Name, run.data.Channel, run.data.Status = engine.Summarize(c).Title(), string(c.Channel), string(c.Status)
	}
	if !run.Confirms() {
		return m.runCommand(run)
	}
	question := run.Question(run.data)
	return screen.Ask(screen.Question{
		Title: widget.Clean(run.Name), Body: strings.TrimSpace(run.target.subject + "\n\n" + widget.CleanLines(question)), Buttons: []widget.Option{{Label: "Run", Key: "r"}, {Label: "Cancel", Key: "c"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return m.runCommand(run)
		},
	})
}

// document returns the text of the file that the command reads.
func (run *commandRun) document() commands.Document {
	if f := run.target.field; f != nil {
		return commands.Document{Text: f.Text, Suffix: f.Suffix}
	}
	return commands.Document{Text: string(run.target.campaign.Record().Indent()) + "\n", Suffix: ".json"}
}

// runCommand runs the command.
func (m *Model) runCommand(run *commandRun) tea.Cmd {
	if other := m.commands.running; other != nil {
		return screen.Notify(widget.LevelWarning, fmt.Sprintf("%s is still running. Press esc to cancel it.", widget.Clean(other.Name)))
	}
	doc := commands.Document{}
	if run.UsesFile() {
		doc = run.document()
	}
	if run.Terminal {
		job, err := run.Prepare(run.data, doc)
		if err != nil {
			return screen.Notify(widget.LevelError, failedText(run, err))
		}
		return screen.Send(inTerminalMsg{job.Terminal, func(err error) tea.Cmd {
			job.Close()
			return m.finishCommand(run, commands.Result{}, err)
		}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	run.cancel, run.done = cancel, make(chan struct{})
	m.commands.running = run
	work := func() tea.Msg {
		defer close(run.done)
		defer cancel()
		job, err := run.Prepare(run.data, doc)
		var result commands.Result
		if err == nil {
			defer job.Close()
			result, err = job.Run(ctx)
		}
		return RunMsg{func() tea.Cmd { return m.finishCommand(run, result, err) }}
	}
	// It is shown at once, so that it never replaces the result.
	running := m.notifyAbout(topicCommand, widget.LevelInfo, fmt.Sprintf("Running %s… (esc cancels)", widget.Clean(run.Name)))
	return tea.Batch(work, running)
}

// endCommand cancels the running command and waits until its process has ended.
func (m *Model) endCommand() tea.Cmd {
	run := m.commands.running
	if run == nil {
		return nil
	}
	run.cancel()
	return func() tea.Msg {
		<-run.done
		return nil
	}
}

func failedText(run *commandRun, err error) string {
	return fmt.Sprintf("%s failed: %s", widget.Clean(run.Name), widget.Clean(err.Error()))
}

// finishCommand shows what a command printed, or why it failed.
func (m *Model) finishCommand(run *commandRun, result commands.Result, err error) tea.Cmd {
	if m.commands.running == run {
		m.commands.running = nil
	}
	say := func(level widget.Level, text string) tea.Cmd { return m.notifyAbout(topicCommand, level, text) }
	name := widget.Clean(run.Name)
	errs := strings.TrimSpace(result.Errors)
	switch {
	case screen.Canceled(err):
		return say(widget.LevelInfo, "Canceled "+name+".")
	case err != nil && strings.Contains(errs, "\n"):
		m.pushOverlay(newTextBox(m.theme, failedText(run, err), errs))
		return nil
	case err != nil && errs != "":
		return say(widget.LevelError, failedText(run, fmt.Errorf("%w: %s", err, errs)))
	case err != nil:
		return say(widget.LevelError, failedText(run, err))
	}
	out := strings.TrimSpace(result.Output)
	switch run.Output {
	case commands.OutputField:
		cmd, err := setCommandField(m, run, result)
		if err != nil {
			return say(widget.LevelError, failedText(run, err))
		}
		return tea.Batch(say(widget.LevelSuccess, name+" changed "+widget.Clean(run.target.field.Name)+"."), cmd)
	case commands.OutputPane:
		if out == "" {
			return say(widget.LevelSuccess, name+" printed nothing.")
		}
		if result.Cut {
			out += "\n\nThe rest is not shown, because it is too long."
		}
		m.pushOverlay(newTextBox(m.theme, name, out))
		return nil
	case commands.OutputToast:
		if line := firstLine(out); line != "" {
			return say(widget.LevelSuccess, name+": "+widget.Clean(line))
		}
	case commands.OutputNone:
	}
	return say(widget.LevelSuccess, name+" is done.")
}

// setCommandField replaces the value of the field with the output.
func setCommandField(m *Model, run *commandRun, r commands.Result) (tea.Cmd, error) {
	open := slices.ContainsFunc(m.stack, func(s stackEntry) bool { return s.ID() == run.target.screen })
	switch {
	case !open:
		return nil, errors.New("the campaign was closed meanwhile, so the field is unchanged")
	case r.Cut:
		return nil, errors.New("its output is too long, so the field is unchanged")
	case !utf8.ValidString(r.Output):
		return nil, errors.New("its output is not UTF-8 text, so the field is unchanged")
	}
	text := r.Output
	if before := run.target.field.Text; !strings.HasSuffix(before, "\n") { // commands end the last line with a newline
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it printed nothing, so the field is unchanged")
	}
	return run.target.field.Set(text)
}
