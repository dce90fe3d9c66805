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

// entries edits the list or map at p: add, change, move and remove.
func (w *work) entries(ctx context.Context, p doc.Path) error {
	n := w.schema.At(p)
	title := trail(w.schema, p)
	return w.choose(ctx, menu{
		head: func() []string {
			v := w.root.Lookup(p)
			text := fmt.Sprintf("%s: %s.", title, phrase.Count(v.Len(), entryNoun(n.Element)))
			if why := w.editing.LockedAt(p); why != "" {
				text += " " + why
			}
			return []string{text}
		},
		items: func() []item { return w.entryItems(p, n) },
		help: func() []string {
			return append(w.help(w.rowAt(p))(), "Choose an entry to edit it, or one of the actions after the entries.")
		},
		full: true, leave: true,
	})
}

func (w *work) entryItems(p doc.Path, n *schema.Node) []item {
	v := w.root.Lookup(p)
	var out []item
	add := func(at doc.Path, label string, e doc.Value) {
		state := now(schema.FieldState{Node: n.Element, Value: e, Options: nil})
		if bad := len(w.errorsAt(at)); bad > 0 {
			state += ", " + phrase.Count(bad, "problem")
		}
		out = append(out, item{label: label, state: state, run: func(ctx context.Context) error { return w.entry(ctx, at) }})
	}
	for i, e := range v.Elems() {
		add(p.Elem(i), sentenceless(entryNoun(n.Element)), e)
	}
	for name, e := range v.Members() {
		add(p.Child(name), name, e)
	}
	if w.editing.LockedAt(p) != "" {
		return out
	}
	out = append(out, item{label: "Add", word: "add", state: "a new " + entryNoun(n.Element), run: func(ctx context.Context) error { return w.addEntry(ctx, p, n) }})
	if v.Len() > 0 {
		out = append(out, item{label: "Remove", word: "remove", run: func(ctx context.Context) error { return w.removeEntry(ctx, p) }})
	}
	if v.Kind() == doc.Array && v.Len() > 1 {
		out = append(out, item{label: "Move", word: "move", run: func(ctx context.Context) error { return w.moveEntry(ctx, p) }})
	}
	if v.Kind() == doc.Object && v.Len() > 0 {
		out = append(out, item{label: "Rename", word: "rename", run: func(ctx context.Context) error { return w.renameEntry(ctx, p) }})
	}
	return out
}

// sentenceless gives a noun a capital.
func sentenceless(s string) string { return strings.TrimSuffix(sentence(s), ".") }

// entry asks for one entry.
func (w *work) entry(ctx context.Context, at doc.Path) error {
	r := w.rowAt(at)
	if r.Node != nil && opens(r.FieldState) {
		return w.open(ctx, at)
	}
	err := w.field(ctx, r, 0, 0)
	if errors.Is(err, errList) {
		return nil
	}
	return err
}

// addEntry adds to a list or map. Texts are added one after another until an empty line.
func (w *work) addEntry(ctx context.Context, p doc.Path, n *schema.Node) error {
	if n.Kind == schema.Map {
		return w.addMember(ctx, p, n.Element)
	}
	for {
		at := p.Elem(w.root.Lookup(p).Len())
		st := schema.FieldState{Node: n.Element, Path: at, Shown: true, Options: w.rowAt(at).Options}
		if opens(st) {
			return w.addObject(ctx, at, n.Element)
		}
		before := w.root
		err := w.field(ctx, row{FieldState: st, label: fmt.Sprintf("%s %d", sentenceless(entryNoun(n.Element)), at.Last().Index+1)}, 0, 0)
		if errors.Is(err, errList) || err == nil && w.root.Same(before) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addObject adds an object and asks its fields; one in which nothing was filled in goes again.
func (w *work) addObject(ctx context.Context, at doc.Path, elem *schema.Node) error {
	blank := doc.NewObject()
	if elem.Kind == schema.List {
		blank = doc.NewArray()
	}
	before := w.root
	root, err := w.root.Set(at, blank)
	if err != nil {
		w.say("%s", sentence(err.Error()))
		return nil
	}
	w.root = root // saved with the first answer
	w.check()
	err = w.open(ctx, at)
	if v := w.root.Lookup(at); v.Exists() && v.Len() == 0 {
		w.say("Nothing was entered, so nothing was added.")
		if w.root.Same(root) {
			w.root = before
			w.check()
			return err
		}
		if cerr := w.change(ctx, w.root.Delete(at), trail(w.schema, at)+" removed"); cerr != nil {
			return cerr
		}
	}
	return err
}

// which asks for one of the entries at p.
func (w *work) which(ctx context.Context, p doc.Path, what string) (doc.Path, error) {
	v := w.root.Lookup(p)
	var places []doc.Path
	var options []option
	for i, e := range v.Elems() {
		places = append(places, p.Elem(i))
		options = append(options, option{label: trail(w.schema, p.Elem(i))[len(trail(w.schema, p))+2:], help: now(schema.FieldState{Node: w.schema.At(p.Elem(i)), Value: e})})
	}
	for name := range v.Members() {
		places, options = append(places, p.Child(name)), append(options, option{label: name})
	}
	if len(places) == 1 {
		return places[0], nil
	}
	n, err := w.among(ctx, what, options, -1)
	if err != nil {
		return nil, err
	}
	return places[n], nil
}

func (w *work) removeEntry(ctx context.Context, p doc.Path) error {
	at, err := w.which(ctx, p, "Remove which")
	if err != nil {
		return err
	}
	name := trail(w.schema, at)
	yes, err := w.yes(ctx, "Remove "+name, true)
	if err != nil || !yes {
		return err
	}
	root := w.root.Delete(at)
	if root.Lookup(p).Len() == 0 {
		w2 := *w
		w2.root = root
		if root, err = w2.set(p, doc.Value{}); err != nil {
			return err
		}
	}
	w.say("Removed. To restore it, choose undo in the campaign menu.")
	return w.change(ctx, root, name+" removed")
}

func (w *work) moveEntry(ctx context.Context, p doc.Path) error {
	at, err := w.which(ctx, p, "Move which")
	if err != nil {
		return err
	}
	n := w.root.Lookup(p).Len()
	to := 0
	err = w.ask(ctx, question{
		prompt: fmt.Sprintf("New position, 1 to %d", n),
		take: func(a answer) error {
			i, err := strconv.Atoi(strings.TrimSpace(a.text))
			switch {
			case strings.TrimSpace(a.text) == "":
				return errBack
			case err != nil || i < 1 || i > n:
				return wrong("Type a number from 1 to %d.", n)
			}
			to = i - 1
			return nil
		},
	})
	if err != nil {
		return err
	}
	root, err := w.root.Move(at, to)
	if err != nil {
		w.say("%s", sentence(err.Error()))
		return nil
	}
	w.say("Moved to position %d.", to+1)
	return w.change(ctx, root, trail(w.schema, at)+" moved")
}

func (w *work) renameEntry(ctx context.Context, p doc.Path) error {
	at, err := w.which(ctx, p, "Rename which")
	if err != nil {
		return err
	}
	return w.ask(ctx, question{
		prompt: "New name, Enter keeps " + at.Last().Name,
		take: func(a answer) error {
			name := strings.TrimSpace(a.text)
			if name == "" {
				return nil
			}
			root, err := w.root.Rename(at, name)
			if err != nil {
				return wrong("%s", sentence(err.Error()))
			}
			return w.change(ctx, root, trail(w.schema, at)+" renamed")
		},
	})
}
