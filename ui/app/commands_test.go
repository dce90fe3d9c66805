//go:build unix

package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
)

// withCommands sets the user's commands. The pages of the harness pose as screens of the program.
func withCommands(t *testing.T, yaml string) func(*Options) {
	t.Helper()
	all, problems := commands.Parse([]byte(yaml), keymap.Map{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return func(o *Options) {
		o.Commands, o.First = all, screen.Route{Name: screen.Builder, ID: "C1"}
	}
}

func TestCommandOutputs(t *testing.T) {
	d := newHarness(t, withCommands(t, `
- {key: Q, name: First line, screen: builder, command: 'echo one; echo two'}
- {key: R, name: Everything, screen: builder, command: 'seq 1 200', output: pane}
- {key: T, name: Silent, screen: builder, command: 'echo one', output: none}
- {key: Z, name: Empty, screen: builder, command: 'true', output: pane}
- {key: alt+j, name: Bad, screen: app, command: 'echo why >&2; exit 3'}
- {key: alt+k, name: Worse, screen: app, command: 'echo why >&2; echo because >&2; exit 3'}
- {key: alt+i, name: Escapes, screen: app, command: "printf '\\033[31mred\\007'"}
`))
	d.press("Q")
	d.want("✓ First line: one")
	d.press("T")
	d.want("✓ Silent is done.")
	d.press("Z")
	d.want("✓ Empty printed nothing.")
	d.press("R")
	d.want("─ Everything ─", "esc close")
	d.wantNot("Running Everything")
	d.press("y", "esc")
	if !strings.HasPrefix(d.copied, "1\n2\n") || !strings.HasSuffix(d.copied, "\n200") {
		t.Errorf("copied %q", d.copied)
	}
	d.wantNot("─ Everything ─")
	d.press("alt+j")
	d.want("✗ Bad failed: exit status 3: why")
	d.press("alt+k")
	d.want("Worse failed: exit status 3", "because")
	d.press("esc", "alt+i")
	d.want("Escapes: red")
	if !d.model.Idle() {
		t.Error("a command is still running")
	}
}

// Commands are in the help and the palette of their screen, and not where letters are text.
func TestCommandsAreListed(t *testing.T) {
	d := newHarness(t, withCommands(t, `
- {key: Q, name: Label all, screen: builder, command: echo labeled}
- {key: alt+j, name: Everywhere, screen: app, command: echo everywhere}
- {key: Z, name: Elsewhere, screen: outbox, command: echo elsewhere}
`))
	d.press("?")
	d.want("Your commands", "Label all", "Everywhere")
	d.wantNot("Elsewhere")
	d.press("esc", "ctrl+k")
	d.typed("label")
	d.press("enter")
	d.want("✓ Label all: labeled")
	p := d.pages[screen.Builder]
	p.typing = true
	d.press("Q")
	if len(p.received) != 1 || p.received[0] != "Q" {
		t.Errorf("the page received %q", p.received)
	}
	d.press("alt+j")
	d.want("Everywhere: everywhere")

	d.send(screen.SetCommandsMsg{})
	d.press("?")
	d.wantNot("Your commands")
}

// An action of the screen keeps its key.
func TestCommandDoesNotTakeTheKeyOfAnAction(t *testing.T) {
	d := newHarness(t, withCommands(t, "- {key: Q, name: Mine, screen: builder, command: echo mine}"))
	d.pages[screen.Builder].actions = []screen.Action{d.pages[screen.Builder].action("own", "Q")}
	d.log = nil
	d.press("Q")
	d.wantLog("own")
	d.wantNot("Mine")
}

func TestPromptsAndQuestion(t *testing.T) {
	d := newHarness(t, withCommands(t, `
- key: Q
  name: Greet
  screen: builder
  prompts: [{name: whom, title: Person, default: Ann}, {name: how}]
  confirm: Greet $BUGLE_PROMPT_whom?
  command: echo "$BUGLE_PROMPT_how, $BUGLE_PROMPT_whom"
`))
	d.press("Q")
	d.want("Greet · Person", "Ann")
	d.press("esc")
	d.wantNot("Greet ·")
	d.press("Q")
	d.typed("'; false")
	d.press("enter")
	d.want("Greet · How")
	d.typed("Hi")
	d.press("enter")
	d.want("Greet Ann'; false?", "Run", "Cancel")
	d.press("c")
	d.wantNot("Hi,")
	d.press("Q", "enter", "enter", "r")
	d.want("✓ Greet: , Ann")
}

func TestCommandNeedsWhatItUses(t *testing.T) {
	d := newHarness(t, withCommands(t, `
- {key: alt+j, name: Field, screen: builder, command: 'echo "$BUGLE_VALUE"'}
- {key: Z, name: Label, screen: outbox, command: 'echo "$BUGLE_ID"'}
`))
	d.press("alt+j")
	d.want("Go to a field first.")
	d.open(screen.Outbox)
	d.press("Z")
	d.want("Select a campaign first.")
}

// slowRun starts a command that has told that it runs, without waiting for its end.
type slowRun struct {
	*harness
	done chan tea.Msg
}

func newSlowRun(t *testing.T) *slowRun {
	t.Helper()
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STARTED", started)
	d := &slowRun{newHarness(t, withCommands(t, `
- {key: Q, name: Slow, screen: builder, command: 'echo x > "$STARTED"; sleep 600'}
- {key: alt+j, name: Other, screen: builder, command: echo other}
`)), make(chan tea.Msg, 1)}
	at := slices.IndexFunc(d.model.activeActions(), func(a screen.Action) bool { return a.HasKey("Q") })
	batch, ok := d.model.activeActions()[at].Run()().(tea.BatchMsg)
	if !ok {
		t.Fatal("the command is not a batch")
	}
	go func() { d.done <- batch[0]() }()
	if _, err := os.ReadFile(started); err != nil { // waits until it runs
		t.Fatal(err)
	}
	for _, c := range batch[1:] {
		d.run(c)
	}
	return d
}

func TestCancelCommand(t *testing.T) {
	d := newSlowRun(t)
	d.want("Running Slow… (esc cancels)", "esc cancel Slow")
	if d.model.Idle() {
		t.Error("the program says that nothing runs")
	}
	d.press("alt+j")
	d.want("Slow is still running. Press esc to cancel it.")
	d.now = d.now.Add(3 * time.Second)
	d.send(RunMsg{d.model.commands.progress})
	d.want("Running Slow… 3 s (esc cancels)")
	d.press("esc")
	d.send(<-d.done)
	d.want("Canceled Slow.")
	d.wantNot("esc cancel Slow")
	if !d.model.Idle() {
		t.Error("it still runs")
	}
}

// The program ends the command when it ends.
func TestQuitEndsCommand(t *testing.T) {
	d := newSlowRun(t)
	d.press("q")
	if !d.quit {
		t.Error("the program did not end")
	}
	d.send(<-d.done)
	d.model.quitting = false
	d.want("Canceled Slow.")
}

// fieldPage is a page with a field.
type fieldPage struct {
	*page
	field screen.Field
}

func (p *fieldPage) FocusedField() (screen.Field, bool) { return p.field, true }

func TestOutputReplacesField(t *testing.T) {
	for name, c := range map[string]struct {
		value, command, want, notice string
		err                          error
		locked                       string
	}{
		"changed":        {"it's", `tr a-z A-Z < "$BUGLE_FILE"`, "IT'S", "Mine changed Body.", nil, ""},
		"value":          {"it's", `printf '%s, %s' "$BUGLE_VALUE" "$BUGLE_FIELD"`, "it's, a.b", "Mine changed Body.", nil, ""},
		"last newline":   {"x", "echo y", "y", "Mine changed Body.", nil, ""},
		"had a newline":  {"x\n", "echo y", "y\n", "Mine changed Body.", nil, ""},
		"nothing":        {"x", "true", "", "it printed nothing, so the field is", nil, ""},
		"not text":       {"x", `printf '\377'`, "", "not UTF-8 text, so", nil, ""},
		"too long":       {"x", "head -c 9000000 /dev/zero", "", "too long, so the field", nil, ""},
		"failed":         {"x", "echo y; exit 1", "", "Mine failed: exit status 1", nil, ""},
		"refused":        {"x", "echo y", "y", "Mine failed: no such value", errors.New("no such value"), ""},
		"locked":         {"x", "echo y", "", "This is locked.", nil, "This is locked."},
		"standard error": {"x", "echo warning >&2; echo y", "y", "Mine changed Body.", nil, ""},
	} {
		var got string
		p := &fieldPage{field: screen.Field{Name: "Body", Path: "a.b", Text: c.value, LockedReason: c.locked, Set: func(text string) (tea.Cmd, error) {
			got = text
			return nil, c.err
		}}}
		use := withCommands(t, "- {key: alt+j, name: Mine, screen: builder, output: field, command: \"x\"}")
		d := newHarness(t, use, func(o *Options) {
			all, problems := commands.Parse([]byte("- key: alt+j\n  name: Mine\n  screen: builder\n  output: field\n  command: |\n    "+c.command+"\n"), keymap.Map{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			o.Commands = all
			pages := o.Factory
			o.Factory = func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
				s, err := pages(deps, r)
				p.page = s.(*page)
				return p, err
			}
		})
		d.press("alt+j")
		if got != c.want {
			t.Errorf("%s: the field is set to %q, want %q", name, got, c.want)
		}
		d.want(c.notice)
	}
}
