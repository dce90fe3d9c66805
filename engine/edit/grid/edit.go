package grid

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// ToKeyed returns the document with content keyed by locale and variation. A message in the flat shape
// becomes the one of the default locale's first variation. It fails if the content has both shapes and that
// cell is not empty.
func ToKeyed(root doc.Value) (doc.Value, error) {
	all := root.Lookup(messagesPath)
	flat, keyed := shapes(all)
	if len(flat) == 0 {
		return root, nil
	}
	cell, rest := all, all
	for _, name := range keyed {
		cell = cell.Delete(doc.P(name))
	}
	for _, name := range flat {
		rest = rest.Delete(doc.P(name))
	}
	first := configured(root)[0]
	if rest.Get(engine.DefaultLocale).Get(first).Exists() {
		return root, fmt.Errorf("there are two messages for %s, %s: one of them outside the locales; remove one of them first", engine.DefaultLocale, first)
	}
	if len(keyed) == 0 {
		rest = doc.NewObject()
	}
	rest, err := rest.Set(doc.P(engine.DefaultLocale, first), cell)
	if err != nil {
		return root, fmt.Errorf("cannot move the message to the default locale: %w", err)
	}
	return root.Set(messagesPath, rest)
}

// Flatten returns the document with its only message in the flat shape. It returns false, and the document
// unchanged, if there are locales, variations or several messages.
func Flatten(root doc.Value) (doc.Value, bool) {
	all := root.Lookup(messagesPath)
	names := configured(root)
	if _, keyed := shapes(all); len(keyed) != 1 || all.Len() != 1 || len(names) > 1 || root.Lookup(locales).Len() > 0 {
		return root, false
	}
	cells := all.Get(engine.DefaultLocale)
	cell := cells.Get(engine.DefaultVariation)
	flat, more := shapes(cell)
	if cells.Len() != 1 || cell.Kind() != doc.Object || len(flat) == 0 || len(more) > 0 {
		return root, false
	}
	out, err := root.Set(messagesPath, cell)
	return out, err == nil
}

// CheckLocale returns why a locale with this name cannot be added, or "".
func CheckLocale(root doc.Value, name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "A locale needs a name, such as de."
	case name != strings.TrimSpace(name):
		return "The name begins or ends with a blank."
	case name == engine.DefaultLocale:
		return "The default locale is always there."
	case slices.Contains(messages, name):
		return fmt.Sprintf("%q is reserved and can't be the name of a locale.", name)
	case slices.Contains(root.Lookup(locales).Strings(), name):
		return name + " is there already."
	}
	return ""
}

// AddLocale adds a locale, with a copy of the default locale's message for each variation. Messages that the
// locale already has stay.
func AddLocale(ch engine.Channel, root doc.Value, name string) (doc.Value, error) {
	if why := CheckLocale(root, name); why != "" {
		return root, errors.New(why)
	}
	out, err := root.Set(locales.Elem(root.Lookup(locales).Len()), doc.NewString(name))
	if err != nil {
		return root, err
	}
	if out, err = ToKeyed(out); err != nil {
		return root, err
	}
	g := New(ch, out)
	for _, v := range configured(out) {
		if out, err = g.copyTo(out, engine.DefaultLocale, v, name, v); err != nil {
			return root, err
		}
	}
	return out, nil
}

// copyTo copies a cell's message to another cell if that is empty.
func (g Grid) copyTo(root doc.Value, fromLocale, fromVariation, locale, variation string) (doc.Value, error) {
	v := g.Value(g.Cell(fromLocale, fromVariation))
	to := messagesPath.Child(locale).Child(variation)
	if !v.Exists() || root.Lookup(to).Exists() {
		return root, nil
	}
	return root.Set(to, v)
}

// RemoveLocale removes a locale and its messages. If one message remains, it becomes flat.
func RemoveLocale(root doc.Value, name string) (doc.Value, error) {
	if name == engine.DefaultLocale {
		return root, errors.New("the default locale can't be removed; you can delete its messages one by one")
	}
	out := root
	for i := root.Lookup(locales).Len() - 1; i >= 0; i-- {
		if out.Lookup(locales.Elem(i)).Text() == name {
			out = out.Delete(locales.Elem(i))
		}
	}
	if out.Lookup(locales).Len() == 0 {
		out = out.Delete(locales)
	}
	out = out.Delete(messagesPath.Child(name))
	out, _ = Flatten(out)
	return out, nil
}

// RenameLocale renames a locale in place.
func RenameLocale(root doc.Value, name, to string) (doc.Value, error) {
	if name == engine.DefaultLocale {
		return root, errors.New("the default locale can't be renamed")
	}
	if name == to {
		return root, nil
	}
	if why := CheckLocale(root, to); why != "" {
		return root, errors.New(why)
	}
	out := root
	for i, v := range root.Lookup(locales).Elems() {
		if v.Text() == name {
			out, _ = out.Set(locales.Elem(i), doc.NewString(to)) // the element is there
		}
	}
	if !out.Lookup(messagesPath.Child(name)).Exists() {
		return out, nil
	}
	out, err := out.Rename(messagesPath.Child(name), to)
	if err != nil {
		return root, fmt.Errorf("%s already has messages: %w", to, err)
	}
	return out, nil
}

// AddVariation adds a variation, with a copy of the first message of each locale, and returns its name. The
// first A/B test starts with a fixed, even split. An even split stays even; otherwise the new variation gets
// the rest of 100 percent.
func AddVariation(ch engine.Channel, root doc.Value) (doc.Value, string, error) {
	before := New(ch, root)
	names := configured(root)
	if len(names) >= MaxVariations {
		return root, "", fmt.Errorf("there are already %d variations, the most you can add here", MaxVariations)
	}
	even := isEven(root, names)
	out, err := ToKeyed(root)
	if err != nil {
		return root, "", err
	}
	name := numbered(int64(len(names) + 1))
	if before.Split == NoSplit && !root.Lookup(shares).Exists() {
		if out, err = out.Set(split, doc.NewString(splitManual)); err != nil {
			return root, "", err
		}
		even = true
	}
	if out, err = out.Set(number, doc.NewInt(int64(len(names)+1))); err != nil {
		return root, "", err
	}
	switch {
	case New(ch, out).Split == Automatic:
	case even:
		out, err = SplitEvenly(out)
	default:
		out, err = SetShare(out, name, strconv.Itoa(RemainingShare(out, name)))
	}
	if err != nil {
		return root, "", err
	}
	g := New(ch, out)
	for _, l := range g.Locales {
		from := l.Name
		if !g.Value(g.Cell(from, names[0])).Exists() {
			continue
		}
		if out, err = g.copyTo(out, from, names[0], l.Name, name); err != nil {
			return root, "", err
		}
	}
	return out, name, nil
}

// RemoveVariation removes a variation with its messages and its share, and renumbers the ones after it.
// Removing the second to last one ends the A/B test: the split is removed, and a single message becomes flat.
// An even split stays even.
func RemoveVariation(root doc.Value, name string) (doc.Value, error) {
	names := configured(root)
	at := slices.Index(names, name)
	if at >= 0 && len(names) == 1 {
		return root, errors.New("this is the only variation and can't be removed; you can delete its messages one by one")
	}
	even := at >= 0 && isEven(root, names)
	out := root
	_, keyed := shapes(root.Lookup(messagesPath))
	holders := []doc.Path{shares}
	for _, l := range keyed {
		holders = append(holders, messagesPath.Child(l))
	}
	for _, p := range holders {
		if out.Lookup(p.Child(name)).Exists() {
			out = out.Delete(p.Child(name))
		}
		for i := at + 1; at >= 0 && i < len(names); i++ {
			if from := p.Child(names[i]); out.Lookup(from).Exists() {
				var err error
				if out, err = out.Rename(from, names[i-1]); err != nil {
					return root, fmt.Errorf("cannot rename %s to %s: %w", names[i], names[i-1], err)
				}
			}
		}
	}
	if at < 0 {
		return out, nil
	}
	out, err := out.Set(number, doc.NewInt(int64(len(names)-1)))
	if err != nil {
		return root, err
	}
	if even && len(names) > 2 {
		out, err = SplitEvenly(out)
		return out, err
	}
	if len(names) == 2 {
		out = endTest(out)
		out, _ = Flatten(out)
	}
	return out, nil
}

// endTest removes the settings that an A/B test with one variation does not need. Settings of another kind of
// split stay.
func endTest(root doc.Value) doc.Value {
	out := root.Delete(shares)
	if out.Lookup(split).Text() == splitManual {
		out = out.Delete(split)
	}
	if out.Lookup(details).Len() == 1 {
		out = out.Delete(details)
	}
	return out
}

// SetMessage sets the message of a cell, or removes it if value is absent. value has the form that
// [Grid.Value] returns.
func SetMessage(ch engine.Channel, root doc.Value, locale, variation string, value doc.Value) (doc.Value, error) {
	g := New(ch, root)
	c := g.Cell(locale, variation)
	if len(c.Path) == len(messagesPath) {
		if _, more := shapes(value); len(more) == 0 {
			return setFlat(root, value)
		}
	}
	out, err := ToKeyed(root)
	if err != nil {
		return root, err
	}
	to := messagesPath.Child(locale).Child(variation)
	if !value.Exists() {
		return out.Delete(to), nil
	}
	out, err = out.Set(to, value)
	if err != nil {
		return root, err
	}
	return out, nil
}

// setFlat sets the only message of content in the flat shape.
func setFlat(root, value doc.Value) (doc.Value, error) {
	out := root
	for name := range root.Lookup(messagesPath).Members() {
		if slices.Contains(messages, name) && !value.Get(name).Exists() {
			out = out.Delete(messagesPath.Child(name))
		}
	}
	var err error
	for name, v := range value.Members() {
		if out, err = out.Set(messagesPath.Child(name), v); err != nil {
			return root, err
		}
	}
	return out, nil
}
