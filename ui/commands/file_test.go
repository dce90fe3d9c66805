package commands

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/ui/keymap"
)

func TestParse(t *testing.T) {
	all, problems := Parse([]byte(`
# mine
- key: alt+j
  name: Compile MJML
  screen: builder
  command: mjml --stdout "$BUGLE_FILE"
  output: field
  timeout: 5m
- key: Q
  name: Label
  screen: campaigns
  command: |
    for id in $BUGLE_IDS
    do echo "$BUGLE_PROMPT_label" "$id"
    done
  prompts:
    - {name: label, default: sale}
    - {name: send_to, title: Recipient}
  confirm: Label $BUGLE_NAME?
- {key: alt+k, name: Open, screen: app, command: 'less "$BUGLE_FILE"', terminal: true}
`), keymap.Map{})
	if len(problems) > 0 || len(all) != 3 {
		t.Fatalf("%d commands, problems %v", len(all), problems)
	}
	mjml, label, open := all[0], all[1], all[2]
	if !mjml.UsesField() || !mjml.UsesFile() || mjml.UsesCampaign() || mjml.Timeout != 5*time.Minute || mjml.Output != OutputField {
		t.Errorf("the first is %+v", mjml)
	}
	if !label.UsesCampaign() || label.UsesField() || !label.Confirms() || label.Output != OutputToast || label.Timeout != defaultTimeout {
		t.Errorf("the second is %+v", label)
	}
	if want := []Prompt{{"label", "Label", "sale"}, {"send_to", "Recipient", ""}}; !slices.Equal(label.Prompts, want) {
		t.Errorf("it asks %v", label.Prompts)
	}
	if _, problems := Parse([]byte("key: alt+j\n"), keymap.Map{}); len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "line 1: write a list") {
		t.Errorf("of what is no list it is told %v", problems)
	}
	if !open.Terminal || open.Output != OutputNone || !open.On("outbox") || mjml.On("outbox") {
		t.Errorf("the third is %+v", open)
	}
}

// Each problem has the line where it is, and the other commands hold.
func TestProblemsHaveLines(t *testing.T) {
	const good = "\n- {key: alt+j, name: Good, screen: builder, command: 'true'}\n"
	for text, want := range map[string]string{
		"- {key: alt+g, name: A, screen: builder}":                                                   "line 1, A: command is missing",
		"- {name: A, screen: builder, command: x}":                                                   "line 1, A: key is missing",
		"- key: alt+g\n  nmae: A\n  screen: builder\n  command: x":                                   "line 1: unknown field nmae; did you mean name?",
		"- key: alt+g\n  name: A\n  screen: bilder\n  command: x":                                    "line 1, A: there is no screen bilder",
		"- key: ctrl+ä\n  name: A\n  screen: builder\n  command: x":                                  "line 1, A: there is no key",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  output: filed":                  "line 1, A: output must be",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  timeout: 5":                     "line 5, A: `5` is not possible here; write a duration",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  terminal: maybe":                "line 5, A: `maybe` is not possible here; write true or false",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  terminal: true\n  output: pane": "line 1, A: the output of a command that has the terminal",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: echo $BUGLE_NMAE":                    "line 1, A: there is no $BUGLE_NMAE; use $BUGLE_ID, ",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: |\n    a\n    b ${BUGLE_NOPE}":       "line 1, A: there is no $BUGLE_NOPE",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: echo $BUGLE_PROMPT_x":                "line 1, A: there is no $BUGLE_PROMPT_x",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  prompts: [{name: a b}]":         "line 1, A: the name of a prompt",
		"- key: alt+g\n  name: A\n  screen: builder\n  command: x\n  confirm: $BUGLE_FILE?":          "line 1, A: a question cannot use $BUGLE_FILE",
		"- key: Q\n  name: A\n  screen: builder\n  command: echo $BUGLE_VALUE":                       "line 1, A: Q is typed into the field",
		"- key: alt+g\n  name: A\n  screen: outbox\n  command: echo $BUGLE_VALUE":                    "line 1, A: a command on a field needs screen builder",
		"- key: ctrl+s\n  name: A\n  screen: builder\n  command: x":                                  "line 1, A: ctrl+s is the key of builder.apply",
		"- key: f9\n  name: A\n  screen: outbox\n  command: x":                                       "line 1, A: f9 is the key of app.settings",
		"- key: enter\n  name: A\n  screen: outbox\n  command: x":                                    "line 1, A: enter moves, selects or edits text",
		"- key: f5\n  name: A\n  screen: app\n  command: x":                                          "line 1, A: f5 is the key of builder.next-locale; choose another, such as alt+j",
		"- {key: alt+j, name: A, screen: app, command: x}":                                           "line 2, Good: alt+j is the key of your command A",
		"- key: alt+g\n  nmae: A\n  name: A\n  screen: builder\n  command: x":                        "line 1, A: unknown field nmae; did you mean name?",
		"- a\n\tb": "the commands cannot be read: ",
	} {
		all, problems := Parse([]byte(text+good), keymap.Map{})
		if len(problems) == 0 || !strings.HasPrefix(problems[0].String(), want) {
			t.Errorf("%s\nproblems: %v\nwant: %s", text, problems, want)
		}
		if strings.HasPrefix(text, "- {key: alt+j") || strings.HasPrefix(want, "the commands") {
			continue
		}
		if len(all) != 1 || all[0].Name != "Good" {
			t.Errorf("%s: the other command is ignored, too: %v", text, all)
		}
	}
}

// A key that the user took from the program is free for a command.
func TestKeyTakenFromTheProgramIsFree(t *testing.T) {
	keys, problems := keymap.Parse([]byte("campaigns.workspace: []\ncampaigns.new: alt+g\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all, problems := Parse([]byte("- {key: m, name: A, screen: campaigns, command: x}\n- {key: alt+g, name: B, screen: campaigns, command: x}\n"), keys)
	if len(all) != 1 || all[0].Name != "A" || len(problems) != 1 || problems[0].Text != "alt+g is the key of campaigns.new; choose another, such as alt+j" {
		t.Errorf("%v, %v", all, problems)
	}
}

// A missing file has no commands. The example in a new one is a command without the comment signs.
func TestMissingFileHasNoCommands(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), FileName)}
	if all, problems := f.Load(keymap.Map{}); len(all)+len(problems) != 0 {
		t.Errorf("%v, %v", all, problems)
	}
	if err := f.Write([]byte(strings.ReplaceAll(header, "#   ", ""))); err != nil {
		t.Fatal(err)
	}
	if all, problems := f.Load(keymap.Map{}); len(all) != 1 || len(problems) != 0 {
		t.Errorf("the example: %v, %v", all, problems)
	}
}

// helpCommands returns the examples of `bugle help keys`.
func helpCommands(t *testing.T) []Command {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "cmd", "bugle", "help", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(b), "```yaml\n# ~/.config/bugle/"+FileName+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !ok || !closed {
		t.Fatalf("the help has no example of %s", FileName)
	}
	all, problems := Parse([]byte(text), keymap.Map{})
	if len(problems) > 0 || len(all) < 4 {
		t.Fatalf("%d commands in the help, problems %v", len(all), problems)
	}
	return all
}
