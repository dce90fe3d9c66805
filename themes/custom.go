package themes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	yaml "go.yaml.in/yaml/v3"
)

// custom is a user's theme: a built-in theme with some of its colors changed.
type custom struct {
	name string // its file name without the extension
	base string // the built-in theme that it changes

	changes map[int]lipgloss.Color // by the index of the field in Tokens
}

// customFile is the content of a custom theme's file, in YAML or JSON.
type customFile struct {
	Base   string    `yaml:"base"`
	Tokens yaml.Node `yaml:"tokens"`
}

// TokenNames returns the names of the colors in custom themes: text, border-focus, selection-bg and so on.
func TokenNames() []string {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Tokens]()) {
		names = append(names, strings.ToLower(wordBoundary.ReplaceAllString(f.Name, "$1-$2")))
	}
	return names
}

var wordBoundary = regexp.MustCompile(`([a-z])([A-Z])`)

// parseCustom parses the file of a custom theme. All errors in it are reported together, with their lines.
func parseCustom(name string, b []byte) (custom, error) {
	own := custom{name: name, changes: map[int]lipgloss.Color{}}
	if slices.Contains(Names(), name) {
		return own, fmt.Errorf("%q is the name of a built-in theme; rename the file", name)
	}
	var file customFile
	if err := yaml.Unmarshal(b, &file); err != nil {
		return own, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var wrong []error
	if own.base = cmp.Or(file.Base, Auto); !slices.Contains(Names(), own.base) {
		wrong = append(wrong, fmt.Errorf("base: there is no theme %q; choose from %s", own.base, strings.Join(Names(), ", ")))
	}
	if kind := file.Tokens.Kind; kind != 0 && kind != yaml.MappingNode {
		wrong = append(wrong, fmt.Errorf("line %d, tokens: write one color a line, such as accent: \"#ff8800\"", file.Tokens.Line))
		return own, errors.Join(wrong...)
	}
	names := TokenNames()
	for pair := range slices.Chunk(file.Tokens.Content, 2) { // a name and its color
		token, node := pair[0].Value, pair[1]
		at := slices.Index(names, token)
		color, err := parseColor(node)
		if at < 0 {
			err = fmt.Errorf("there is no such token; choose from %s", strings.Join(names, ", "))
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d, token %s: %w", node.Line, token, err))
			continue
		}
		own.changes[at] = color
	}
	return own, errors.Join(wrong...)
}

var hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

// parseColor parses "#rrggbb", "#rgb", or a number in the 256-color palette. Terminals with fewer colors get the nearest one.
func parseColor(node *yaml.Node) (lipgloss.Color, error) {
	text := strings.TrimSpace(node.Value)
	n, err := strconv.Atoi(text)
	switch {
	case node.Kind != yaml.ScalarNode || node.Tag == "!!null":
		return "", errors.New("nothing (a # begins a comment, so put the color in quotes) is not a color; use \"#rrggbb\", or a number from 0 to 255")
	case err == nil && n >= 0 && n <= 255:
		return lipgloss.Color(strconv.Itoa(n)), nil
	case !hexColor.MatchString(text):
		return "", fmt.Errorf("%s is not a color; use \"#rrggbb\", or a number from 0 to 255", text)
	case len(text) == len("#rgb"):
		text = "#" + strings.Repeat(text[1:2], 2) + strings.Repeat(text[2:3], 2) + strings.Repeat(text[3:4], 2)
	}
	return lipgloss.Color(text), nil
}

// Set is a set of themes: the built-in ones and the user's custom themes. The zero value has only the built-in
// ones.
type Set struct{ custom []custom }

// Load reads the custom themes of a folder: its *.yaml, *.yml and *.json. A missing folder has none. Invalid
// files are left out of the set, and each error names its file.
func Load(dir string) (Set, []error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Set{}, nil
	}
	if err != nil {
		return Set{}, []error{fmt.Errorf("cannot read the themes: %w", err)}
	}
	var s Set
	var wrong []error
	for _, e := range entries {
		ending := filepath.Ext(e.Name())
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, ending) {
			continue
		}
		var own custom
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil {
			own, err = parseCustom(strings.TrimSuffix(e.Name(), ending), b)
		}
		if err == nil && slices.Contains(s.Names(), own.name) {
			err = errors.New("another file has a theme with this name")
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("theme %s: %w", e.Name(), err))
			continue
		}
		s.custom = append(s.custom, own)
	}
	return s, wrong
}

// Names lists the themes: the built-in ones, then the custom ones.
func (s Set) Names() []string {
	names := Names()
	for _, own := range s.custom {
		names = append(names, own.name)
	}
	return names
}

// New returns the theme for the options. It fails for an unknown name.
func (s Set) New(o Options) (*Theme, error) {
	o.Name = cmp.Or(o.Name, Auto)
	base := o.Name
	at := slices.IndexFunc(s.custom, func(own custom) bool { return own.name == o.Name })
	if at >= 0 {
		base = s.custom[at].base
	}
	k, dark, ok := builtIn(base, o.DarkBackground)
	if !ok {
		return nil, fmt.Errorf("there is no theme %q; choose from %s", o.Name, strings.Join(s.Names(), ", "))
	}
	if at >= 0 {
		k = s.custom[at].apply(k)
	}
	t := &Theme{Name: o.Name, DarkBackground: dark, Tokens: k, renderer: newRenderer(o.Profile, dark)}
	t.setStyles(base == None)
	return t, nil
}

// apply replaces the tokens that the theme changes.
func (own custom) apply(k Tokens) Tokens {
	v := reflect.ValueOf(&k).Elem()
	for at, color := range own.changes {
		v.Field(at).Set(reflect.ValueOf(color))
	}
	return k
}

// Get returns the theme of that name for the terminal at standard output, with a dark background or not. It
// reads TERM, COLORTERM, CLICOLOR and NO_COLOR; NO_COLOR overrides the name (https://no-color.org). It does not
// query the terminal. It fails for an unknown name. Its views mark the cursor with [CaretMark], and have links where the
// terminal has them.
func (s Set) Get(name string, dark bool) (*Theme, error) {
	output := termenv.NewOutput(os.Stdout)
	o := Options{Name: name, DarkBackground: dark, Profile: output.EnvColorProfile()}
	if output.EnvNoColor() {
		if _, err := s.New(o); err != nil {
			return nil, err
		}
		// The no-color profile would also drop bold and reverse, which the terminal supports.
		o.Name, o.Profile = None, output.ColorProfile()
	}
	t, err := s.New(o)
	if err != nil {
		return nil, err
	}
	t.caret, t.links = CaretMark, hasLinks(os.Getenv)
	return t, nil
}
