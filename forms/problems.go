package forms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// formMessage returns the message of a problem with the form's object itself, prefixed with its title as other
// messages are with the field's.
func (f *Form) formMessage(p schema.Problem) string {
	n := f.cfg.Schema.At(p.Path)
	if n == nil || n.Name == "" {
		return sentence(p.Text())
	}
	return n.Label() + ": " + oneLine(p.Text())
}

// unshown returns the problems with the form's object, or an inlined one in it, that no row shows.
func (f *Form) unshown() []schema.Problem {
	var out []schema.Problem
	for _, p := range f.problems {
		if p.Path.Equal(f.cfg.Path) ||
			slices.ContainsFunc(f.inlined, p.Path.Equal) && !slices.ContainsFunc(f.rows, func(r row) bool { return f.showsAt(r, p) }) {
			out = append(out, p)
		}
	}
	return out
}

// showsAt reports whether the problem of a missing inlined object is shown at a row: at each field that the
// object requires.
func (f *Form) showsAt(r row, p schema.Problem) bool {
	return r.Required && !r.Value.Exists() && len(p.Path) > len(f.cfg.Path) && len(p.Path) < len(r.Path) && r.Path.HasPrefix(p.Path)
}

func (f *Form) problemStyle(p schema.Problem) lipgloss.Style {
	if p.Severity == schema.Notice || p.Missing() {
		return f.cfg.Theme.Warning
	}
	return f.cfg.Theme.Danger
}

// sentence returns a text as one capitalized line.
func sentence(s string) string { return phrase.Capitalize(oneLine(s)) }

// problemAt returns the problem to show below a row: for a subform only its own, for other fields also that of an
// element. For an unused field, its group explains the problem.
func (f *Form) problemAt(r row) *schema.Problem {
	if r.group == groupAdder {
		return nil
	}
	for i, p := range f.problems {
		if f.showsAt(r, p) {
			return &f.problems[i]
		}
		if !r.contains(p.Path) || r.group != groupFields && p.Severity == schema.Notice {
			continue
		}
		if r.Shape != shapeSubform || len(p.Path) == len(r.Path) {
			return &f.problems[i]
		}
	}
	return nil
}

// problemText returns the message of a problem at or below a row, in the terms of the form.
func (f *Form) problemText(r row, p *schema.Problem) string {
	if len(p.Path) <= len(r.Path) || !p.Path.HasPrefix(r.Path) {
		return sentence(p.Text())
	}
	below := p.Path[len(r.Path):]
	at := strings.Join(f.cfg.Schema.Trail(p.Path)[len(r.Path):], " › ")
	if below[0].IsIndex && len(below) == 1 {
		at = fmt.Sprintf("item %d", below[0].Index+1)
	}
	return oneLine(at + ": " + p.Text())
}

// countErrors returns the number of errors at and below a row, and whether one of them is more than a missing value.
func (f *Form) countErrors(r row) (n int, wrong bool) {
	for _, p := range f.problems {
		if p.Severity == schema.Error && r.group != groupAdder && r.contains(p.Path) {
			n++
			wrong = wrong || !p.Missing()
		}
	}
	return n, wrong
}
