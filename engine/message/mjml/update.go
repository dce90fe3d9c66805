package mjml

import (
	"context"
	"errors"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Update returns the value of an HTML field that somebody set to text, and that was before. MJML is compiled and kept as
// the source of the HTML; the source that before has already is no change. HTML that was changed after it was compiled
// loses its source, which does not describe it any more. HTML that mjml makes otherwise of its source is compiled again,
// and taken as it is where mjml is not installed. The errors are those of [Compile].
func Update(ctx context.Context, before, text string) (string, error) {
	if !IsSource(text) {
		source, ok := Source(text)
		if !ok {
			return Without(text), nil
		}
		switch err := Verify(ctx, text); {
		case err == nil, errors.Is(err, ErrNotInstalled):
			return text, nil
		case !errors.Is(err, ErrDiffers):
			return "", err
		}
		text, before = source, ""
	}
	if source, ok := Source(before); ok && doc.UnixLines(source) == doc.UnixLines(text) {
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
func UpdateAll(ctx context.Context, table *schema.Schema, before, after doc.Value) (out doc.Value, problems []schema.Problem, err error) {
	out = replaced(table, after, func(p doc.Path, n *schema.Node, text string) string {
		was := before.Lookup(p).Text()
		if err != nil || text == was && !IsSource(text) {
			return text
		}
		now, failure := Update(ctx, was, text)
		switch {
		case failure == nil:
			return now
		case ctx.Err() != nil:
			err = ctx.Err()
		default:
			problems = append(problems, Problems(n, p, failure)...)
		}
		return text
	})
	return out, problems, err
}

// CompileBody returns the body of a campaign in which the MJML of emails was compiled to HTML. before is the body that it
// replaces, which may be absent. The error has the problems of what cannot be compiled, or is that of ctx.
func CompileBody(ctx context.Context, ch engine.Channel, before, body doc.Value) (doc.Value, error) {
	out, problems, err := UpdateAll(ctx, catalog.Campaign(ch), before, body)
	if err == nil {
		err = engine.Invalid(problems)
	}
	return out, err
}

// Pending reports whether a document has something for [UpdateAll] to do: MJML, or HTML that was changed after it was
// compiled.
func Pending(table *schema.Schema, before, after doc.Value) (pending bool) {
	replaced(table, after, func(p doc.Path, _ *schema.Node, text string) string {
		if !pending && (IsSource(text) || text != before.Lookup(p).Text() && Without(text) != text && Editable(text) == text) {
			pending = true
		}
		return text
	})
	return pending
}

// EditableAll returns a document with the text to edit in each HTML field: see [Editable].
func EditableAll(table *schema.Schema, root doc.Value) doc.Value {
	return replaced(table, root, func(_ doc.Path, _ *schema.Node, text string) string { return Editable(text) })
}

// replaced returns a document in which fn has replaced the texts of its HTML fields.
func replaced(table *schema.Schema, root doc.Value, fn func(doc.Path, *schema.Node, string) string) doc.Value {
	out := root
	var walk func(doc.Path, *schema.Node, doc.Value)
	walk = func(p doc.Path, n *schema.Node, v doc.Value) {
		if n == nil {
			return
		}
		for i, e := range v.Elems() {
			walk(p.Elem(i), n.Element, e)
		}
		for name, m := range v.Members() {
			walk(p.Child(name), n.Child(name), m)
		}
		if !InField(n) || v.Kind() != doc.String {
			return
		}
		if text := fn(p, n, v.Text()); text != v.Text() {
			var err error
			if out, err = out.Set(p, doc.NewString(text)); err != nil {
				panic(err) // there is a text at p
			}
		}
	}
	walk(nil, table.Root(), root)
	return out
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

// IsProblem reports whether a problem is one of a source.
func IsProblem(p schema.Problem) bool { return strings.HasSuffix(p.Rule, ruleSource) || IsMissing(p) }

// IsMissing reports whether a problem is only that mjml is not installed.
func IsMissing(p schema.Problem) bool { return strings.HasSuffix(p.Rule, ruleMissing) }
