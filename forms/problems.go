package forms

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/schema"
)

// about is the message of a problem with the object of the form itself. What stands under a field
// has the field's name before it; here the object's is put there.
func (f *Form) about(p schema.Problem) string {
	n := f.cfg.Schema.At(p.Path)
	if n == nil || n.Name == "" {
		return f.sentence(p.Words())
	}
	return n.Label() + ": " + oneLine(p.Words())
}

// isOwn reports whether a problem is with the object of the form, or with a flat one in it, and none of
// the rows shows it.
func (f *Form) isOwn(p schema.Problem) bool {
	return p.Path.Equal(f.cfg.Path) ||
		slices.ContainsFunc(f.flats, p.Path.Equal) && !slices.ContainsFunc(f.rows, func(r row) bool { return f.standsFor(r, p) })
}

// standsFor reports whether the problem with a flat object that is missing shows at a row: at each
// field that the object needs.
func (f *Form) standsFor(r row, p schema.Problem) bool {
	return r.Required && !r.Value.Exists() && len(p.Path) < len(r.Path) && r.Path.HasPrefix(p.Path) && slices.ContainsFunc(f.flats, p.Path.Equal)
}

func (f *Form) problemStyle(p schema.Problem) lipgloss.Style {
	if p.Severity == schema.Notice {
		return f.cfg.Theme.Warning
	}
	return f.cfg.Theme.Danger
}

func (f *Form) sentence(s string) string {
	s = oneLine(s)
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[n:]
}

// directProblem returns the problem to show under a row: for an entry its own alone, for other
// fields also that of an element. A member that is kept says by its group what a notice would.
func (f *Form) directProblem(r row) *schema.Problem {
	if r.group == adder {
		return nil
	}
	for i, p := range f.problems {
		if f.standsFor(r, p) {
			return &f.problems[i]
		}
		if !r.holds(p.Path) || r.group != shown && p.Severity == schema.Notice {
			continue
		}
		if r.shape != entry || len(p.Path) == len(r.Path) {
			return &f.problems[i]
		}
	}
	return nil
}

// problemText is the message of a problem in or below a row, in the words of the form.
func (f *Form) problemText(r row, p *schema.Problem) string {
	if len(p.Path) <= len(r.Path) || !p.Path.HasPrefix(r.Path) {
		return f.sentence(p.Words())
	}
	below := p.Path[len(r.Path):]
	at := strings.Join(f.cfg.Schema.Trail(p.Path)[len(r.Path):], " › ")
	if below[0].IsIndex && len(below) == 1 {
		at = fmt.Sprintf("item %d", below[0].Index+1)
	}
	return oneLine(at + ": " + p.Words())
}

// problemsOf returns the problems at and below a row.
func (f *Form) problemsOf(r row) []schema.Problem {
	var out []schema.Problem
	if r.group == adder {
		return nil
	}
	for _, p := range f.problems {
		if r.holds(p.Path) {
			out = append(out, p)
		}
	}
	return out
}
