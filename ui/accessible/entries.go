package accessible

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// entries edits lists and maps.
type entries struct{ *fields }

// edit edits the list or map at p: add, change, move and remove.
func (e entries) edit(ctx context.Context, p doc.Path) error {
	n := e.schema.At(p)
	title := placeName(e.schema, p)
	return e.choose(ctx, menu{
		header: func() []string {
			v := e.root.Lookup(p)
			text := fmt.Sprintf("%s: %s.", title, phrase.Count(v.Len(), entryNoun(n.Element)))
			if why := e.edits.LockedAt(p); why != "" {
				text += " " + why
			}
			return []string{text}
		},
		items: func() []item { return e.entryItems(p, n) },
		help: func() []string {
			return append(e.help(e.rowAt(p))(), "Choose an entry to edit it, or one of the actions after the entries.")
		},
		listAlways: true, leaveOnEmpty: true,
	})
}

func (e entries) entryItems(p doc.Path, n *schema.Node) []item {
	v := e.root.Lookup(p)
	var out []item
	add := func(at doc.Path, label string, held doc.Value) {
		state := valueText(schema.FieldState{Node: n.Element, Value: held, Options: nil})
		if bad := len(e.errorsAt(at)); bad > 0 {
			state += ", " + phrase.Count(bad, "problem")
		}
		out = append(out, item{label: label, state: state, run: func(ctx context.Context) error { return e.entry(ctx, at) }})
	}
	for i, held := range v.Elems() {
		add(p.Elem(i), title(entryNoun(n.Element)), held)
	}
	for name, held := range v.Members() {
		add(p.Child(name), name, held)
	}
	if e.edits.LockedAt(p) != "" {
		return out
	}
	out = append(out, item{label: "Add", word: "add", state: "a new " + entryNoun(n.Element), run: func(ctx context.Context) error { return e.addEntry(ctx, p, n) }})
	if v.Len() > 0 {
		out = append(out, item{label: "Remove", word: "remove", run: func(ctx context.Context) error { return e.removeEntry(ctx, p) }})
	}
	if v.Kind() == doc.Array && v.Len() > 1 {
		out = append(out, item{label: "Move", word: "move", run: func(ctx context.Context) error { return e.moveEntry(ctx, p) }})
	}
	if v.Kind() == doc.Object && v.Len() > 0 {
		out = append(out, item{label: "Rename", word: "rename", run: func(ctx context.Context) error { return e.renameEntry(ctx, p) }})
	}
	return out
}

// title capitalizes a noun.
func title(s string) string { return strings.TrimSuffix(phrase.Sentence(s), ".") }

// entry asks for one entry.
func (e entries) entry(ctx context.Context, at doc.Path) error {
	r := e.rowAt(at)
	if r.Node != nil && opens(r.FieldState) {
		return e.open(ctx, at)
	}
	err := e.field(ctx, r, 0, 0)
	if errors.Is(err, errList) {
		return nil
	}
	return err
}

// addEntry adds to a list or map. Texts are added one after another until an empty line.
func (e entries) addEntry(ctx context.Context, p doc.Path, n *schema.Node) error {
	if n.Kind == schema.Map {
		return e.addMember(ctx, p, n.Element)
	}
	for {
		at := p.Elem(e.root.Lookup(p).Len())
		st := schema.FieldState{Node: n.Element, Path: at, Shown: true, Options: e.rowAt(at).Options}
		if opens(st) {
			return e.addObject(ctx, at, n.Element)
		}
		before := e.root
		err := e.field(ctx, row{FieldState: st, label: fmt.Sprintf("%s %d", title(entryNoun(n.Element)), at.Last().Index+1)}, 0, 0)
		if errors.Is(err, errList) || err == nil && e.root.Same(before) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addObject adds an object and asks for its fields; if nothing was filled in, it is removed.
func (e entries) addObject(ctx context.Context, at doc.Path, elem *schema.Node) error {
	blank := doc.NewObject()
	if elem.Kind == schema.List {
		blank = doc.NewArray()
	}
	before := e.root
	root, err := e.root.Set(at, blank)
	if err != nil {
		e.println("%s", phrase.Sentence(err.Error()))
		return nil
	}
	e.root = root // saved with the first answer
	e.check()
	err = e.open(ctx, at)
	if v := e.root.Lookup(at); v.Exists() && v.Len() == 0 {
		e.println("Nothing was entered, so nothing was added.")
		if e.root.Same(root) {
			e.root = before
			e.check()
			return err
		}
		if cerr := e.change(ctx, e.root.Delete(at), placeName(e.schema, at)+" removed"); cerr != nil {
			return cerr
		}
	}
	return err
}

// chooseEntry asks for one of the entries at p.
func (e entries) chooseEntry(ctx context.Context, p doc.Path, what string) (doc.Path, error) {
	v := e.root.Lookup(p)
	var places []doc.Path
	var options []option
	for i, held := range v.Elems() {
		places = append(places, p.Elem(i))
		options = append(options, option{label: placeName(e.schema, p.Elem(i))[len(placeName(e.schema, p))+2:], help: valueText(schema.FieldState{Node: e.schema.At(p.Elem(i)), Value: held})})
	}
	for name := range v.Members() {
		places, options = append(places, p.Child(name)), append(options, option{label: name})
	}
	if len(places) == 1 {
		return places[0], nil
	}
	n, err := e.chooseOption(ctx, what, options, -1)
	if err != nil {
		return nil, err
	}
	return places[n], nil
}

func (e entries) removeEntry(ctx context.Context, p doc.Path) error {
	at, err := e.chooseEntry(ctx, p, "Remove which")
	if err != nil {
		return err
	}
	name := placeName(e.schema, at)
	yes, err := e.confirm(ctx, "Remove "+name, true)
	if err != nil || !yes {
		return err
	}
	root := e.root.Delete(at)
	if root.Lookup(p).Len() == 0 {
		root = e.without(root, p)
	}
	e.println("Removed. To restore it, choose undo in the campaign menu.")
	return e.change(ctx, root, name+" removed")
}

func (e entries) moveEntry(ctx context.Context, p doc.Path) error {
	at, err := e.chooseEntry(ctx, p, "Move which")
	if err != nil {
		return err
	}
	n := e.root.Lookup(p).Len()
	to := 0
	err = e.ask(ctx, question{
		prompt: fmt.Sprintf("New position, 1 to %d", n),
		handle: func(a answer) error {
			i, err := strconv.Atoi(strings.TrimSpace(a.text))
			switch {
			case strings.TrimSpace(a.text) == "":
				return errBack
			case err != nil || i < 1 || i > n:
				return invalid("Type a number from 1 to %d.", n)
			}
			to = i - 1
			return nil
		},
	})
	if err != nil {
		return err
	}
	root, err := e.root.Move(at, to)
	if err != nil {
		e.println("%s", phrase.Sentence(err.Error()))
		return nil
	}
	e.println("Moved to position %d.", to+1)
	return e.change(ctx, root, placeName(e.schema, at)+" moved")
}

func (e entries) renameEntry(ctx context.Context, p doc.Path) error {
	at, err := e.chooseEntry(ctx, p, "Rename which")
	if err != nil {
		return err
	}
	return e.ask(ctx, question{
		prompt: "New name, Enter keeps " + at.Last().Name, text: true,
		handle: func(a answer) error {
			name := strings.TrimSpace(a.text)
			if name == "" {
				return nil
			}
			root, err := e.root.Rename(at, name)
			if err != nil {
				return invalid("%s", phrase.Sentence(err.Error()))
			}
			return e.change(ctx, root, placeName(e.schema, at)+" renamed")
		},
	})
}

// addMember asks for the name of an additional field, until an empty line.
func (e entries) addMember(ctx context.Context, p doc.Path, elem *schema.Node) error {
	for {
		name := ""
		err := e.ask(ctx, question{
			prompt: fmt.Sprintf("Name of another %s, Enter for none", entryNoun(elem)), text: true,
			help: func() []string { return e.schema.Notes(elem) },
			handle: func(a answer) error {
				name = strings.TrimSpace(a.text)
				if e.root.Lookup(p.Child(name)).Exists() && name != "" {
					return invalid("There is already one named %s.", name)
				}
				return nil
			},
		})
		if err != nil || name == "" {
			return err
		}
		at := p.Child(name)
		st := schema.FieldState{Node: elem, Path: at, Shown: true, Options: e.rowAt(at).Options}
		if err := e.field(ctx, row{FieldState: st, label: name, customName: true}, 0, 0); err != nil {
			return err
		}
	}
}
