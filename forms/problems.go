package forms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// problems has the problems of a document, by the rows of a form.
type problems struct {
	cfg      *Config
	list     []schema.Problem
	external bool // the screen sets them
}

// check validates a document, unless the screen sets the problems.
func (v *problems) check(root doc.Value) {
	if !v.external {
		v.list = v.cfg.Schema.Validate(root, v.cfg.Env)
	}
}

// formMessage returns the message of a problem with the form's object itself, prefixed with its title as other
// messages are with the field's.
func (v *problems) formMessage(p schema.Problem) string {
	n := v.cfg.Schema.At(p.Path)
	if n == nil || n.Name == "" {
		return sentence(p.Text())
	}
	return n.Label() + ": " + oneLine(p.Text())
}

// unshown returns the problems with the form's object, or an inlined one in it, that no row shows.
func (v *problems) unshown(rows []row, flats []doc.Path) []schema.Problem {
	var out []schema.Problem
	for _, p := range v.list {
		if p.Path.Equal(v.cfg.Path) ||
			slices.ContainsFunc(flats, p.Path.Equal) && !slices.ContainsFunc(rows, func(r row) bool { return v.showsAt(r, p) }) {
			out = append(out, p)
		}
	}
	return out
}

// showsAt reports whether the problem of a missing inlined object is shown at a row: at each field that the
// object requires.
func (v *problems) showsAt(r row, p schema.Problem) bool {
	return r.Required && !r.Value.Exists() && len(p.Path) > len(v.cfg.Path) && len(p.Path) < len(r.Path) && r.Path.HasPrefix(p.Path)
}

func (v *problems) style(p schema.Problem) lipgloss.Style {
	if p.Severity == schema.Notice || p.Missing() {
		return v.cfg.Theme.Warning
	}
	return v.cfg.Theme.Danger
}

// sentence returns a text as one capitalized line.
func sentence(s string) string { return phrase.Capitalize(oneLine(s)) }

// forRow returns the problem to show below a row: for a subform only its own, for other fields also that of an
// element. For an unused field, its group explains the problem.
func (v *problems) forRow(r row) *schema.Problem {
	if r.group == groupAdder {
		return nil
	}
	for i, p := range v.list {
		if v.showsAt(r, p) {
			return &v.list[i]
		}
		if !r.contains(p.Path) || r.group != groupFields && p.Severity == schema.Notice {
			continue
		}
		if r.shape != shapeSubform || len(p.Path) == len(r.Path) {
			return &v.list[i]
		}
	}
	return nil
}

// text returns the message of a problem at or below a row, in the terms of the form.
func (v *problems) text(r row, p *schema.Problem) string {
	if len(p.Path) <= len(r.Path) || !p.Path.HasPrefix(r.Path) {
		return sentence(p.Text())
	}
	below := p.Path[len(r.Path):]
	at := strings.Join(v.cfg.Schema.Trail(p.Path)[len(r.Path):], " › ")
	if below[0].IsIndex && len(below) == 1 {
		at = fmt.Sprintf("item %d", below[0].Index+1)
	}
	return oneLine(at + ": " + p.Text())
}

// errors counts the errors at and below a row.
func (v *problems) errors(r row) int {
	n := 0
	for _, p := range v.list {
		if p.Severity == schema.Error && r.group != groupAdder && r.contains(p.Path) {
			n++
		}
	}
	return n
}
