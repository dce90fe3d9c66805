package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
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
	if !supported {
		return nil, []keymap.Problem{{Line: list.Line, Text: "your own commands need a Unix shell, which this system does not have"}}
	}
	var all []Command
	var problems []keymap.Problem
	for _, entry := range list.Content {
		r := reader{line: entry.Line}
		c := r.command(entry)
		if len(r.problems) == 0 {
			r.checkKey(c, r.lines["key"], keys, all)
		}
		if len(r.problems) == 0 {
			all = append(all, c)
		}
		for _, p := range r.problems {
			p.Name = c.Name
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(a, b keymap.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return all, problems
}

// reader reads one command and collects its problems.
type reader struct {
	line     int
	lines    map[string]int // of the fields
	problems []keymap.Problem
}

func (r *reader) fail(line int, format string, args ...any) {
	r.problems = append(r.problems, keymap.Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

var commandFields = []string{"key", "name", "screen", "command", "prompts", "confirm", "output", "terminal", "timeout"}

// fields returns the values of a mapping by name.
func (r *reader) fields(n *yaml.Node, known []string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "write the fields %s", strings.Join(known, ", "))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case !slices.Contains(known, name.Value):
			also := ""
			if meant := phrase.Nearest(name.Value, known); meant != "" {
				also = "; did you mean " + meant + "?"
			}
			r.fail(name.Line, "unknown field %s%s", name.Value, also)
		case out[name.Value] != nil:
			r.fail(name.Line, "%s is set twice", name.Value)
		default:
			out[name.Value] = n.Content[i+1]
		}
	}
	return out
}

// text returns the text of a field.
func (r *reader) text(fields map[string]*yaml.Node, name string, required bool) string {
	n := fields[name]
	switch {
	case n == nil && required:
		r.fail(r.line, "%s is missing", name)
	case n == nil:
	case n.Kind != yaml.ScalarNode:
		r.fail(n.Line, "%s must be a text", name)
	case required && strings.TrimSpace(n.Value) == "":
		r.fail(n.Line, "%s is empty", name)
	default:
		return n.Value
	}
	return ""
}

func (r *reader) command(n *yaml.Node) Command {
	fields := r.fields(n, commandFields)
	r.lines = map[string]int{}
	for name, value := range fields {
		r.lines[name] = value.Line
	}
	c := Command{Name: strings.TrimSpace(r.text(fields, "name", true)), Screen: r.text(fields, "screen", true), Output: OutputToast, Timeout: defaultTimeout}
	if c.Screen != "" && !slices.Contains(keymap.Screens(), c.Screen) {
		r.fail(r.lines["screen"], "there is no screen %s; use %s", c.Screen, strings.Join(keymap.Screens(), ", "))
	}
	if key := r.text(fields, "key", true); key != "" {
		var err error
		if c.Key, err = keymap.ParseKey(key); err != nil {
			r.fail(r.lines["key"], "%s", err)
		}
	}
	if n := fields["prompts"]; n != nil {
		c.Prompts = r.prompts(n)
	}
	c.Terminal = r.flag(fields["terminal"])
	if text := r.text(fields, "output", false); text != "" {
		c.Output = Output(text)
		switch {
		case !slices.Contains(outputs, c.Output):
			r.fail(r.lines["output"], "output must be field, pane, toast or none")
		case c.Terminal && c.Output != OutputNone:
			r.fail(r.lines["output"], "the output of a command that has the terminal goes there; remove output")
		}
	}
	if c.Terminal {
		c.Output = OutputNone
	}
	if text := r.text(fields, "timeout", false); text != "" {
		var err error
		if c.Timeout, err = time.ParseDuration(text); err != nil || c.Timeout <= 0 {
			r.fail(r.lines["timeout"], "timeout must be a duration such as 90s or 5m")
		}
	}
	if text := r.text(fields, "command", true); text != "" {
		c.script = r.script(fields["command"], c.Prompts)
	}
	if text := r.text(fields, "confirm", false); text != "" {
		c.confirm = r.script(fields["confirm"], c.Prompts)
		if slices.Contains(c.confirm.names, "FILE") {
			r.fail(r.lines["confirm"], "a question cannot use $BUGLE_FILE")
		}
	}
	if c.UsesField() && len(r.problems) == 0 {
		r.checkField(c)
	}
	return c
}

// checkField checks that a command on a field can be used where there are fields, while one has the keyboard.
func (r *reader) checkField(c Command) {
	switch {
	case !slices.Contains(fieldScreens, c.Screen):
		r.fail(r.lines["screen"], "a command on a field needs screen %s", strings.Join(fieldScreens, " or "))
	case keymap.IsPrintable(c.Key):
		r.fail(r.lines["key"], "%s is typed into the field; choose a key such as alt+j", keymap.Format(c.Key))
	}
}

// fieldScreens are the screens that have fields.
var fieldScreens = []string{"builder", keymap.App}

func (r *reader) flag(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	var on bool
	if n.Decode(&on) != nil {
		r.fail(n.Line, "write true or false")
	}
	return on
}

var promptName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (r *reader) prompts(n *yaml.Node) []Prompt {
	if n.Kind != yaml.SequenceNode {
		r.fail(n.Line, "prompts must be a list: - name: …, default: …")
		return nil
	}
	var out []Prompt
	for _, entry := range n.Content {
		fields := r.fields(entry, []string{"name", "title", "default"})
		p := Prompt{Name: r.text(fields, "name", true), Title: r.text(fields, "title", false), Default: r.text(fields, "default", false)}
		switch {
		case p.Name == "":
			continue
		case !promptName.MatchString(p.Name):
			r.fail(entry.Line, "the name of a prompt can have letters, digits and underscores")
			continue
		case slices.ContainsFunc(out, func(o Prompt) bool { return o.Name == p.Name }):
			r.fail(entry.Line, "there are two prompts named %s", p.Name)
			continue
		}
		p.Title = cmp.Or(p.Title, phrase.Capitalize(strings.ReplaceAll(p.Name, "_", " ")))
		out = append(out, p)
	}
	return out
}

// script parses a script and reports its error on the right line.
func (r *reader) script(n *yaml.Node, prompts []Prompt) script {
	s, err := parseScript(n.Value, prompts)
	var at *scriptError
	if !errors.As(err, &at) {
		return s
	}
	line := n.Line
	if n.Style&yaml.LiteralStyle != 0 {
		line += 1 + strings.Count(n.Value[:at.offset], "\n")
	}
	r.fail(line, "%s", at.text)
	return script{}
}

// checkKey refuses a key that the program or an earlier command uses.
func (r *reader) checkKey(c Command, line int, keys keymap.Map, earlier []Command) {
	if by := KeyUse(c.Screen, c.Key, keys); by != "" {
		r.fail(line, "%s %s; choose another, such as alt+j", keymap.Format(c.Key), by)
		return
	}
	for _, o := range earlier {
		if o.Key == c.Key && (o.On(c.Screen) || c.On(o.Screen)) {
			r.fail(line, "%s is the key of your command %s", keymap.Format(c.Key), o.Name)
			return
		}
	}
}

// KeyUse returns what a screen uses a key for, as a clause without a subject; empty if the key is free.
func KeyUse(screen, key string, keys keymap.Map) string {
	if slices.Contains(editingKeys, key) {
		return "moves, selects or edits text"
	}
	inForm := func(e keymap.Entry) bool { return slices.Contains(e.Keys, key) }
	if (screen == "builder" || screen == keymap.App) && (slices.Contains(builderKeys, key) || slices.ContainsFunc(keymap.Fixed(), inForm)) {
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

// builderKeys are the keys of the builder that are in no table: that of zooming while one types.
var builderKeys = []string{"alt+z"}
