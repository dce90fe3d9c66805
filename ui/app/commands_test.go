//go:build unix

package app_test

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/app"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
)

// withCommands sets the user's commands and opens a campaign.
func withCommands(t *testing.T, yaml string) func(*app.Options) {
	t.Helper()
	all, problems := commands.Parse([]byte(yaml), keymap.Map{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return func(o *app.Options) { o.Commands, o.First = all, screen.Route{Name: screen.Builder, ID: "C1"} }
}

func TestCommandOutputs(t *testing.T) {
	d := newWorld(t, withCommands(t, `
- {key: Q, name: First line, screen: builder, command: 'echo one; echo two'}
- {key: R, name: Everything, screen: builder, command: 'seq 1 200', output: pane}
- {key: T, name: Silent, screen: builder, command: 'echo one', output: none}
- {key: Z, name: Empty, screen: builder, command: 'true', output: pane}
- {key: alt+j, name: Bad, screen: app, command: 'echo why >&2; exit 3'}
- {key: alt+k, name: Worse, screen: app, command: 'echo why >&2; echo because >&2; exit 3'}
- {key: alt+i, name: Escapes, screen: app, command: "printf '\\033[31mred\\007'"}
`))
	for _, c := range []struct{ key, want string }{
		{"Q", "✓ First line: one"}, {"T", "✓ Silent is done."}, {"Z", "✓ Empty printed nothing."}, {"R", "─ Everything ─"},
		{"alt+j", "✗ Bad failed: exit status 3: why"}, {"alt+k", "Worse failed: exit status 3"}, {"alt+i", "Escapes: red"},
	} {
		d.Press(c.key)
		d.Want(c.want)
		d.Script("!Running", "y esc")
	}
	if len(d.Copied) != 2 || !strings.HasPrefix(d.Copied[0], "1\n2\n") || !strings.HasSuffix(d.Copied[0], "\n200") || d.Copied[1] != "why\nbecause" {
		t.Errorf("copied %q", d.Copied)
	}
}

// Commands are in the help and the palette of their screen, not where letters are text, and not on the key of an action.
func TestCommandsAreListed(t *testing.T) {
	d := newWorld(t, withCommands(t, `
- {key: Q, name: Label all, screen: builder, command: echo labeled}
- {key: alt+j, name: Everywhere, screen: app, command: echo everywhere}
- {key: Z, name: Elsewhere, screen: outbox, command: echo elsewhere}
`))
	d.Press("?")
	d.Script("?Your commands", "?Label all", "?Everywhere", "!Elsewhere", "esc")
	d.FromPalette("label")
	d.Want("✓ Label all: labeled")
	d.home.typing = true
	d.Press("Q")
	d.wantReceived(d.home, "Q")
	d.Script("alt+j", "?Everywhere: everywhere")
	d.home.add("own", "alt+j").WhileTyping = true
	d.Press("alt+j")
	d.wantLog("own")

	d.Send(screen.SetCommandsMsg{})
	d.Script("f1", "!Your commands")
}

func TestPromptsAndQuestion(t *testing.T) {
	d := newWorld(t, withCommands(t, `
- key: Q
  name: Greet
  screen: builder
  prompts: [{name: whom, title: Person, default: Ann}, {name: how}]
  confirm: Greet $BUGLE_PROMPT_whom?
  command: echo "$BUGLE_PROMPT_how, $BUGLE_PROMPT_whom"
`))
	d.Script("Q", "?Greet · Person", "?Ann", "esc Q", ">'; false", "enter", "?Greet · How", ">Hi", "enter")
	d.Script("?Greet Ann'; false?", "?Run", "?Cancel", "c", "!Hi,", "Q enter enter r", "?✓ Greet: , Ann")
}

func TestCommandNeedsWhatItUses(t *testing.T) {
	d := newWorld(t, withCommands(t, `
- {key: alt+j, name: Field, screen: builder, command: 'echo "$BUGLE_VALUE"'}
- {key: Z, name: Label, screen: outbox, command: 'echo "$BUGLE_ID"'}
`))
	d.Script("alt+j", "?Go to a field first.")
	d.open(screen.Outbox, "")
	d.Script("Z", "?Select a campaign first.")
}

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
		d := newWorld(t, withCommands(t, "- key: alt+j\n  name: Mine\n  screen: builder\n  output: field\n  command: |\n    "+c.command+"\n"))
		d.home.field = &screen.Field{Name: "Body", Path: "a.b", Text: c.value, LockedReason: c.locked, Set: func(text string) (tea.Cmd, error) {
			got = text
			return nil, c.err
		}}
		d.Press("alt+j")
		if got != c.want {
			t.Errorf("%s: the field is set to %q, want %q", name, got, c.want)
		}
		d.Want(c.notice)
	}
}
