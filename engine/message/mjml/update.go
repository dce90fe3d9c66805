package mjml

import (
	"context"
	"errors"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Update returns the value of an HTML field that somebody set to text, and that was before. MJML is compiled and kept as
// the source of the HTML; the source that before has already is no change. HTML that was changed after it was compiled
// loses its source, which does not describe it any more. The errors are those of [Compile].
func Update(ctx context.Context, before, text string) (string, error) {
	if !IsSource(text) {
		if _, ok := Source(text); ok {
			return text, nil
		}
		return Without(text), nil
	}
	if source, ok := Source(before); ok && source == text {
		return before, nil
	}
	page, err := Compile(ctx, text)
	if err != nil {
		return "", err
	}
	return attach(page, text), nil
}

// ruleSource is how the rule ids of problems of a source end, and ruleMissing that of a source that cannot be compiled
// because mjml is not installed.
const (
	ruleSource  = "#mjml"
	ruleMissing = "#mjml_not_installed"
)

// UpdateAll returns a document in which all HTML fields were updated that differ from those of before, which may be
// absent. The problems are of the fields that cannot be compiled; those fields stay as they are. The error is that of ctx.
func UpdateAll(ctx context.Context, table *schema.Schema, before, after doc.Value) (doc.Value, []schema.Problem, error) {
	u := updater{ctx: ctx, before: before, out: after}
	u.walk(nil, table.Root(), after)
	return u.out, u.problems, u.err
}

type updater struct {
	ctx         context.Context
	before, out doc.Value
	problems    []schema.Problem
	err         error
}

func (u *updater) walk(p doc.Path, n *schema.Node, v doc.Value) {
	if n == nil || u.err != nil {
		return
	}
	for i, e := range v.Elems() {
		u.walk(p.Elem(i), n.Element, e)
	}
	for name, m := range v.Members() {
		u.walk(p.Child(name), n.Child(name), m)
	}
	if InField(n) && v.Kind() == doc.String {
		u.update(p, n, v.Text())
	}
}

func (u *updater) update(p doc.Path, n *schema.Node, text string) {
	was := u.before.Lookup(p).Text()
	if text == was && !IsSource(text) {
		return
	}
	now, err := Update(u.ctx, was, text)
	switch {
	case err != nil && u.ctx.Err() != nil:
		u.err = u.ctx.Err()
	case err != nil:
		u.problems = append(u.problems, Problems(n, p, err)...)
	case now != text:
		out, err := u.out.Set(p, doc.NewString(now))
		if err != nil {
			panic(err) // there is a text at p
		}
		u.out = out
	}
}

// Problems returns an error of [Update] as the problems of the field at p, each with its line.
func Problems(n *schema.Node, p doc.Path, err error) []schema.Problem {
	var e *Error
	if !errors.As(err, &e) {
		rule := ruleSource
		if errors.Is(err, ErrNotInstalled) {
			rule = ruleMissing
		}
		return []schema.Problem{{Path: p, Rule: n.RuleID + rule, Section: n.Section, Message: "is MJML, which cannot be compiled: " + err.Error(), FormMessage: "this MJML cannot be compiled: " + err.Error()}}
	}
	var out []schema.Problem
	for _, problem := range e.Problems {
		out = append(out, schema.Problem{Path: p, Rule: n.RuleID + ruleSource, Section: n.Section, Line: problem.Line, Message: "MJML, " + problem.String(), FormMessage: "MJML, " + problem.String()})
	}
	return out
}

// IsMissing reports whether a problem is only that mjml is not installed.
func IsMissing(p schema.Problem) bool { return strings.HasSuffix(p.Rule, ruleMissing) }
