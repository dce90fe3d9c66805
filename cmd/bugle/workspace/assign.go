package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	records "bugle/engine/workspace/settings"
)

// assignment is a FIELD=VALUE argument.
type assignment struct{ field, value string }

// assignments splits the arguments after the section into a file, if there is one, and assignments.
func assignments(args []string) (file string, set []assignment, err error) {
	for i, a := range args {
		field, value, ok := strings.Cut(a, "=")
		switch {
		case ok && field != "":
			set = append(set, assignment{field, value})
		case i > 0:
			return "", nil, cli.Misused("%q must be FIELD=VALUE; only the first argument after the section can be a file", a)
		default:
			file = a
		}
	}
	return file, set, nil
}

// describedRecord returns the record that the arguments of put describe: from the file, or an existing or a new record,
// with the assignments. was is the name of the record to replace, if known.
func describedRecord(ctx context.Context, f *cli.Factory, s *records.Section, svc engine.Service, was string, args []string) (doc.Value, error) {
	file, set, err := assignments(args)
	if err != nil {
		return doc.Value{}, err
	}
	v := s.New()
	name := was
	if i := slices.IndexFunc(set, func(a assignment) bool { return a.field == s.Name }); name == "" && i >= 0 {
		name = set[i].value
	}
	switch {
	case file != "":
		v, err = recordFile(ctx, f.Streams, file)
	case s.Single || was != "":
		v, err = s.Get(ctx, svc, name)
	case name != "":
		have, gerr := s.Get(ctx, svc, name)
		if e := engine.AsError(gerr); e == nil || e.Code != engine.NotFound {
			v, err = have, gerr
		}
	}
	for _, a := range set {
		if err == nil {
			v, err = assign(ctx, f.Streams, s, v, a)
		}
	}
	return v, err
}

// sets reports whether the arguments have the value of a field: in a file, which has the whole record, or one by one.
func sets(args []string, field string) bool {
	file, set, err := assignments(args)
	return err == nil && (file != "" || slices.ContainsFunc(set, func(a assignment) bool {
		return a.field == field || strings.HasPrefix(a.field, field+".")
	}))
}

// assign returns the record with one field set. The table of the section determines how the value is parsed.
func assign(ctx context.Context, in cli.Streams, s *records.Section, v doc.Value, a assignment) (doc.Value, error) {
	p, err := doc.ParsePath(a.field)
	if err != nil {
		return v, cli.Misused("%q is not the path of a field: %w", a.field, err)
	}
	n := s.Table(v).At(p)
	if n == nil {
		return v, cli.Misused("%s has no field %q; `bugle schema workspace %s` lists them", s.ID, a.field, s.ID)
	}
	text := a.value
	if name, ok := strings.CutPrefix(text, "@"); ok && name != "" {
		if text, err = in.ReadText(ctx, name); err != nil {
			return v, err
		}
	}
	value, err := valueFor(n, text)
	if err != nil {
		return v, cli.Misused("%s %w", a.field, err)
	}
	out, err := v.Set(p, value)
	if err != nil {
		return v, cli.Misuse(err)
	}
	return out, nil
}

// valueFor parses a text as a value of a field's kind. An empty text removes the field, or empties a list.
func valueFor(n *schema.Node, text string) (doc.Value, error) {
	parsed, perr := doc.Parse([]byte(text))
	switch n.Kind {
	case schema.Bool:
		on, err := cli.ParseOnOff(text)
		if err != nil {
			return doc.Value{}, fmt.Errorf("must be on or off, not %q", text)
		}
		return doc.NewBool(on), nil
	case schema.Integer, schema.Number:
		if v, ok := doc.NewNumber(text); ok {
			return v, nil
		}
		return doc.Value{}, fmt.Errorf("must be a number, not %q", text)
	case schema.List:
		if perr == nil && parsed.Kind() == doc.Array {
			return parsed, nil
		}
		if k := n.Element.Kind; k == schema.Object || k == schema.Map {
			return doc.Value{}, fmt.Errorf("must be a JSON array")
		}
		elems := []doc.Value{}
		for _, word := range strings.Split(text, ",") {
			if word = strings.TrimSpace(word); word == "" {
				continue
			}
			v, err := valueFor(n.Element, word)
			if err != nil {
				return v, err
			}
			if !slices.ContainsFunc(elems, v.Same) {
				elems = append(elems, v)
			}
		}
		return doc.NewArray(elems...), nil
	case schema.Object, schema.Map:
		if perr != nil || parsed.Kind() != doc.Object {
			return doc.Value{}, fmt.Errorf("must be a JSON object")
		}
		return parsed, nil
	case schema.Any:
		if perr == nil {
			return parsed, nil
		}
	}
	if text == "" {
		return doc.Value{}, nil
	}
	return doc.NewString(text), nil
}
