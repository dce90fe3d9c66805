package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"bugle/engine/files"
	"bugle/engine/phrase"
	"bugle/ui/keymap"
)

// FileName is the name of the file in the folder of the user's settings.
const FileName = "commands.yaml"

// File is the user's file of commands.
type File struct{ Path string }

// Load parses the file; a missing file has no commands. keys are the user's key bindings.
func (f File) Load(keys keymap.Map) ([]Command, []keymap.Problem) {
	if f.Path == "" {
		return nil, nil
	}
	b, err := f.Read()
	if err != nil {
		return nil, []keymap.Problem{{Text: err.Error()}}
	}
	return Parse(b, keys)
}

// header begins a new file.
const header = `# Your own commands: a list of shell commands on keys, such as
#   - key: alt+j
#     name: Format HTML
#     screen: builder
#     command: prettier --parser html < "$BUGLE_FILE"
#     output: field
# The README describes the fields.
`

// Read returns the file's text; a comment that explains it if there is no file.
func (f File) Read() ([]byte, error) {
	b, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte(header), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the commands cannot be read: %w", err)
	}
	return b, nil
}

// Write replaces the file.
func (f File) Write(b []byte) error { return files.Save(f.Path, b) }

// defaultTimeout is how long a command may run if it does not say.
const defaultTimeout = time.Minute

// Parse parses the file's text. Invalid commands are reported and ignored, and so are those whose key the program
// uses with these bindings.
func Parse(b []byte, keys keymap.Map) ([]Command, []keymap.Problem) {
	var root yaml.Node
	if err := yaml.Unmarshal(b, &root); err != nil {
		return nil, []keymap.Problem{{Text: "the commands cannot be read: " + strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
		return nil, nil
	}
	list := root.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, []keymap.Problem{{Line: list.Line, Text: "write a list: - key: …, name: …, screen: …, command: …"}}
	}
	if runtime.GOOS == "windows" {
		return nil, []keymap.Problem{{Line: list.Line, Text: "your own commands need a Unix shell, which this system does not have"}}
	}
	var all []Command
	var problems []keymap.Problem
	for _, node := range list.Content {
		var e entry
		err := node.Decode(&e)
		var c Command
		if err == nil {
			c, err = e.command()
		}
		if err == nil {
			err = checkKey(c, keys, all)
		}
		if err == nil {
			all = append(all, c)
			continue
		}
		line, text := atLine(node.Line, err)
		problems = append(problems, keymap.Problem{Line: line, Name: e.Name, Text: text})
	}
	return all, problems
}

// entry is a command as it stands in the file.
type entry struct {
	Key, Name, Screen, Command, Confirm string
	Prompts                             []promptEntry
	Output                              Output
	Terminal                            bool
	Timeout                             time.Duration
	Unknown                             map[string]any `yaml:",inline"`
}

type promptEntry struct {
	Prompt  `yaml:",inline"`
	Unknown map[string]any `yaml:",inline"`
}

// unmarshalErrors matches errors of the YAML library about one value, and expected says what to write instead, by type.
var (
	unmarshalErrors = regexp.MustCompile(`^line (\d+): cannot unmarshal \S+ ?(.*) into (.*)$`)
	expected        = map[string]string{
		"bool": "write true or false", "time.Duration": "write a duration such as 90s or 5m", "string": "write a text",
		"commands.entry": "write the fields key, name, screen and command",
	}
)

// atLine returns the line and the text of an error in an entry that begins on a line.
func atLine(line int, err error) (int, string) {
	var values *yaml.TypeError
	if !errors.As(err, &values) {
		return line, err.Error()
	}
	text := values.Errors[0]
	if m := unmarshalErrors.FindStringSubmatch(text); m != nil {
		at, _ := strconv.Atoi(m[1])
		return at, fmt.Sprintf("%s is not possible here; %s", m[2], cmp.Or(expected[m[3]], "write a list: - name: …"))
	}
	return line, text
}

// unknownField returns an error about the first field that is not known.
func unknownField(unknown map[string]any, known ...string) error {
	if len(unknown) == 0 {
		return nil
	}
	name, also := slices.Min(slices.Collect(maps.Keys(unknown))), ""
	if meant := phrase.Nearest(name, known); meant != "" {
		also = "; did you mean " + meant + "?"
	}
	return fmt.Errorf("unknown field %s%s", name, also)
}

// command returns the command, or what is wrong with it.
func (e entry) command() (Command, error) {
	if err := unknownField(e.Unknown, "key", "name", "screen", "command", "prompts", "confirm", "output", "terminal", "timeout"); err != nil {
		return Command{}, err
	}
	for _, f := range [][2]string{{"key", e.Key}, {"name", e.Name}, {"screen", e.Screen}, {"command", e.Command}} {
		if strings.TrimSpace(f[1]) == "" {
			return Command{}, fmt.Errorf("%s is missing", f[0])
		}
	}
	if !slices.Contains(keymap.Screens(), e.Screen) {
		return Command{}, fmt.Errorf("there is no screen %s; use %s", e.Screen, strings.Join(keymap.Screens(), ", "))
	}
	switch {
	case e.Output != "" && !slices.Contains(outputs, e.Output):
		return Command{}, errors.New("output must be field, pane, toast or none")
	case e.Terminal && e.Output != "" && e.Output != OutputNone:
		return Command{}, errors.New("the output of a command that has the terminal goes there; remove output")
	case e.Timeout < 0:
		return Command{}, errors.New("timeout must be a duration such as 90s or 5m")
	}
	c := Command{Name: strings.TrimSpace(e.Name), Screen: e.Screen, Terminal: e.Terminal, Timeout: cmp.Or(e.Timeout, defaultTimeout)}
	if c.Output = cmp.Or(e.Output, OutputToast); e.Terminal {
		c.Output = OutputNone
	}
	var err error
	if c.Key, err = keymap.ParseKey(e.Key); err != nil {
		return c, err
	}
	if c.Prompts, err = prompts(e.Prompts); err != nil {
		return c, err
	}
	if c.script, err = parseScript(e.Command, c.Prompts); err != nil {
		return c, err
	}
	if c.confirm, err = parseScript(e.Confirm, c.Prompts); err != nil {
		return c, err
	}
	switch {
	case slices.Contains(c.confirm.names, "FILE"):
		return c, errors.New("a question cannot use $BUGLE_FILE")
	case c.UsesField() && c.Screen != "builder" && c.Screen != keymap.App: // the screens that have fields
		return c, errors.New("a command on a field needs screen builder or app")
	case c.UsesField() && keymap.IsPrintable(c.Key):
		return c, fmt.Errorf("%s is typed into the field; choose a key such as alt+j", keymap.Format(c.Key))
	}
	return c, nil
}

var promptName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func prompts(entries []promptEntry) ([]Prompt, error) {
	var out []Prompt
	for _, e := range entries {
		if err := unknownField(e.Unknown, "name", "title", "default"); err != nil {
			return nil, err
		}
		p := e.Prompt
		switch {
		case !promptName.MatchString(p.Name):
			return nil, errors.New("the name of a prompt can have letters, digits and underscores")
		case slices.ContainsFunc(out, func(o Prompt) bool { return o.Name == p.Name }):
			return nil, fmt.Errorf("there are two prompts named %s", p.Name)
		}
		p.Title = cmp.Or(p.Title, phrase.Capitalize(strings.ReplaceAll(p.Name, "_", " ")))
		out = append(out, p)
	}
	return out, nil
}

// checkKey refuses a key that the program or an earlier command uses.
func checkKey(c Command, keys keymap.Map, earlier []Command) error {
	if by := KeyUse(c.Screen, c.Key, keys); by != "" {
		return fmt.Errorf("%s %s; choose another, such as alt+j", keymap.Format(c.Key), by)
	}
	for _, o := range earlier {
		if o.Key == c.Key && (o.On(c.Screen) || c.On(o.Screen)) {
			return fmt.Errorf("%s is the key of your command %s", keymap.Format(c.Key), o.Name)
		}
	}
	return nil
}

// KeyUse returns what a screen uses a key for, as a clause without a subject; empty if the key is free.
func KeyUse(screen, key string, keys keymap.Map) string {
	if slices.Contains(editingKeys, key) {
		return "moves, selects or edits text"
	}
	inForm := func(e keymap.Entry) bool { return slices.Contains(e.Keys, key) }
	if (screen == "builder" || screen == keymap.App) && slices.ContainsFunc(keymap.Fixed(), inForm) {
		return "has a use in the builder"
	}
	if e, ok := keys.Use(screen, key); ok {
		return "is the key of " + e.Name
	}
	return ""
}

// editingKeys are the keys of lists and text fields.
var editingKeys = []string{
	"enter", "esc", "tab", "shift+tab", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "backspace", "delete", " ",
	"shift+up", "shift+down", "ctrl+left", "ctrl+right", "ctrl+up", "ctrl+down", "ctrl+home", "ctrl+end", "alt+left", "alt+right", "alt+up", "alt+down", "alt+enter", "alt+backspace", "alt+delete",
	"ctrl+a", "ctrl+b", "ctrl+d", "ctrl+e", "ctrl+f", "ctrl+h", "ctrl+j", "ctrl+k", "ctrl+n", "ctrl+o", "ctrl+p", "ctrl+u", "ctrl+v", "ctrl+w", "ctrl+x",
	"alt+b", "alt+d", "alt+f", "alt+esc",
}
