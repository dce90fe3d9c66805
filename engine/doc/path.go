package doc

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Step is one step of a [Path]: the name of a member or the index of an element.
type Step struct {
	Name  string
	Index int // the element, where IsIndex
	// IsIndex distinguishes an index from a name, because every string, even "", is a valid name.
	IsIndex bool
}

// Name returns the step to a member.
func Name(s string) Step { return Step{Name: s} }

// Index returns the step to an element.
func Index(i int) Step { return Step{Index: i, IsIndex: true} }

// Path is the path from a root to a value in it. The empty path is the root itself.
type Path []Step

// P returns a path made of names (strings) and indexes (ints).
func P(steps ...any) Path {
	p := make(Path, len(steps))
	for i, s := range steps {
		switch s := s.(type) {
		case string:
			p[i] = Name(s)
		case int:
			p[i] = Index(s)
		default:
			panic(fmt.Sprintf("doc.P: a step is a string or an int, not %T", s))
		}
	}
	return p
}

// String formats the path as in problems: a.b[0].c. It quotes names that would be ambiguous: a["x.y"].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.IsIndex:
			fmt.Fprintf(&b, "[%d]", s.Index)
		case s.Name == "" || strings.ContainsAny(s.Name, ".[]\"\\ \t\r\n"):
			fmt.Fprintf(&b, "[%s]", quote(strings.ToValidUTF8(s.Name, "\uFFFD")))
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		}
	}
	return b.String()
}

// MarshalText implements [encoding.TextMarshaler].
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePath(string(text))
	return err
}

// ParsePath parses the result of [Path.String].
func ParsePath(s string) (Path, error) {
	var p Path
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("path %q is not UTF-8", s)
	}
	for rest, first := s, true; rest != ""; first = false {
		step, tail, err := nextStep(rest, first)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", s, err)
		}
		p, rest = append(p, step), tail
	}
	return p, nil
}

func nextStep(s string, first bool) (Step, string, error) {
	if s[0] != '[' {
		if !first {
			if s[0] != '.' {
				return Step{}, "", fmt.Errorf("a dot or a bracket is missing before %q", s)
			}
			s = s[1:]
		}
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			return Step{}, "", fmt.Errorf("a name is missing before %q", s)
		}
		return Name(s[:end]), s[end:], nil
	}
	if strings.HasPrefix(s, `["`) {
		lit, err := strconv.QuotedPrefix(s[1:])
		if err != nil {
			return Step{}, "", fmt.Errorf("the quoted name in %q does not end", s)
		}
		v, err := Parse([]byte(lit))
		tail := s[1+len(lit):]
		if err != nil || !strings.HasPrefix(tail, "]") {
			return Step{}, "", fmt.Errorf("the quoted name in %q does not end", s)
		}
		return Name(v.Text()), tail[1:], nil
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return Step{}, "", fmt.Errorf("the bracket in %q is not closed", s)
	}
	i, err := strconv.Atoi(s[1:end])
	if err != nil || i < 0 {
		return Step{}, "", fmt.Errorf("%q is not an index", s[1:end])
	}
	return Index(i), s[end+1:], nil
}

// Join returns p followed by more, without sharing memory with p.
func (p Path) Join(more ...Step) Path {
	return append(append(make(Path, 0, len(p)+len(more)), p...), more...)
}

// Child returns the path of the member with a name.
func (p Path) Child(name string) Path { return p.Join(Name(name)) }

// Elem returns the path of the i-th element.
func (p Path) Elem(i int) Path { return p.Join(Index(i)) }

// Parent returns the path without its last step. The root is its own parent.
func (p Path) Parent() Path {
	if len(p) == 0 {
		return p
	}
	return p[:len(p)-1]
}

// Last returns the last step, or the zero Step for the root.
func (p Path) Last() Step {
	if len(p) == 0 {
		return Step{}
	}
	return p[len(p)-1]
}

// Equal reports whether both paths have the same steps.
func (p Path) Equal(o Path) bool { return len(p) == len(o) && p.HasPrefix(o) }

// HasPrefix reports whether p starts with the steps of pre.
func (p Path) HasPrefix(pre Path) bool {
	if len(p) < len(pre) {
		return false
	}
	for i := range pre {
		if p[i] != pre[i] {
			return false
		}
	}
	return true
}
