package accessible

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// fields asks for the values of the document, each by its kind, and saves the answers.
type fields struct {
	*document
	open func(context.Context, doc.Path) error // asks for the place if it has questions of its own
}

// fieldQuestion is the question for one field.
type fieldQuestion struct {
	*fields
	row         row
	suggestions []string  // names to suggest
	closed      bool      // only suggestions are valid
	rejected    doc.Value // the last invalid value
	zone        bool      // too many suggestions to list, such as time zones
}

// field asks for one field and saves the answer. place and of are its number among its siblings; 0 if it has
// none. It returns [errList] if the user wants to list them all.
func (f *fields) field(ctx context.Context, r row, place, of int) error {
	intro := ""
	if of > 0 {
		intro = fmt.Sprintf("%d of %d. ", place, of)
	}
	intro += phrase.Sentence(r.label)
	if r.Required {
		intro += " Required."
	}
	if r.unusedReason != "" {
		intro += " " + phrase.Sentence(r.unusedReason)
	}
	f.println("%s Now: %s.", intro, strings.TrimSuffix(f.value(r), "."))
	for _, pr := range f.errorsAt(r.Path) {
		if !pr.Missing() {
			f.println("%s", f.problemText(pr, r.Path.Parent()))
		}
	}
	why := f.edits.LockedAt(r.Path)
	if r.Response != nil {
		why = "This is read-only. The service sets it."
	}
	if why != "" {
		return f.locked(ctx, r, why)
	}
	switch {
	case r.unusedReason != "", r.Node == nil:
		return f.unusedValue(ctx, r)
	case opens(r.FieldState):
		return f.askToOpen(ctx, r)
	case r.Value.Kind() == doc.Object, r.Value.Kind() == doc.Array && r.Node.Kind != schema.List:
		return f.anyValue(ctx, r)
	case r.Node.Kind == schema.List:
		return f.multiChoice(ctx, r)
	case r.Node.Kind == schema.Bool, len(r.Node.Options) > 0:
		return f.choice(ctx, r)
	case r.Node.Kind == schema.Any:
		return f.anyValue(ctx, r)
	case r.Node.Long:
		return f.longText(ctx, r)
	}
	return f.text(ctx, r)
}

// opens reports whether a field has questions of its own.
func opens(st schema.FieldState) bool {
	switch st.Node.Kind {
	case schema.Object, schema.Map:
		return !st.Value.Exists() || st.Value.Kind() == doc.Object
	case schema.List:
		return len(st.Node.Element.Options) == 0 && (!st.Value.Exists() || st.Value.Kind() == doc.Array)
	}
	return false
}

// value formats the value of a row; for a time, with its meaning.
func (f *fields) value(r row) string {
	text := valueText(r.FieldState)
	if r.Node != nil && r.Node.Kind == schema.Time && r.Value.Text() != "" {
		if t, err := f.readTime(r.Value.Text(), r); err == nil {
			text += ", which is " + t.Text
		}
	}
	return text
}

func (f *fields) help(r row) func() []string {
	return func() []string {
		if r.Node == nil {
			return []string{"This is an unknown field. It is kept as it is."}
		}
		out := f.schema.Notes(r.Node)
		for i := range out {
			out[i] = phrase.Sentence(out[i])
		}
		return append(out, "Press Enter to keep the value, clear to empty it, list to hear all questions here.")
	}
}

// fieldWords returns the words that a field understands besides its value.
func fieldWords(r row, more ...string) []string {
	return append([]string{wordList, wordClear, wordKeep}, more...)
}

// saveValue stores a value if the schema accepts it.
func (a *fieldQuestion) saveValue(ctx context.Context, v doc.Value, said string) error {
	given := v
	if mjml.InField(a.row.Node) {
		html, err := mjml.Update(ctx, a.root.Lookup(a.row.Path).Text(), v.Text())
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			a.rejected = given
			for _, p := range mjml.Problems(a.row.Node, a.row.Path, err) {
				a.println("%s", phrase.Sentence(p.Text()))
			}
			return invalid("Type another value. Press Enter to leave it as it was, or type keep to save yours anyway.")
		case html != v.Text():
			v = doc.NewString(html)
		}
	}
	root, err := a.with(v)
	if err != nil {
		return invalid("%s", phrase.Sentence(err.Error()))
	}
	if bad := a.newErrors(root); len(bad) > 0 {
		a.rejected = given
		a.println("%s", strings.Join(bad, "\n"))
		return invalid("Type another value. Press Enter to leave it as it was, or type keep to save yours anyway.")
	}
	return a.saveRow(ctx, root, a.row, said)
}

// with returns the document with a value of the row.
func (a *fieldQuestion) with(v doc.Value) (doc.Value, error) {
	flags, root := a.row.flags, a.root
	switch {
	case flags == nil:
		return a.set(a.row.Path, v)
	case v.Exists():
		return flags.Set(root, v.Text())
	}
	for _, p := range flags.On(root) {
		root = a.without(root, p)
	}
	return root, nil
}

// newErrors returns the errors of the field in another document that the current one does not have.
func (a *fieldQuestion) newErrors(root doc.Value) []string {
	var out []string
	for _, pr := range errorsIn(a.schema.Validate(root, a.edits.Env()), a.row.Path) {
		if !pr.Missing() {
			out = append(out, a.problemText(pr, a.row.Path.Parent()))
		}
	}
	return out
}

// saveRow saves a document in which a row was changed.
func (f *fields) saveRow(ctx context.Context, root doc.Value, r row, said string) error {
	if said != "" {
		f.println("%s", said)
	}
	return f.change(ctx, root, placeName(f.schema, r.Path)+" changed")
}

// commonAnswer handles the answers that every field understands. It returns false for any other.
func (a *fieldQuestion) commonAnswer(ctx context.Context, got answer) (bool, error) {
	switch {
	case got.word == wordList:
		return true, errList
	case got.word == wordKeep && a.rejected.Exists():
		root, err := a.with(a.rejected)
		if err != nil {
			return true, invalid("%s", phrase.Sentence(err.Error()))
		}
		return true, a.saveRow(ctx, root, a.row, "Saved, but not valid yet. Choose validate to see why.")
	case got.word == wordKeep, got.word == "" && strings.TrimSpace(got.text) == "":
		return true, nil
	case got.word == wordClear && !a.row.Value.Exists():
		return true, invalid("It is already empty.")
	case got.word == wordClear:
		root, err := a.with(doc.Value{})
		if err != nil {
			return true, invalid("%s", phrase.Sentence(err.Error()))
		}
		return true, a.saveRow(ctx, root, a.row, "Emptied.")
	}
	return false, nil
}

// locked shows a field that the campaign's state locks; objects can be viewed.
func (f *fields) locked(ctx context.Context, r row, why string) error {
	if r.Node != nil && opens(r.FieldState) && r.Value.Len() > 0 {
		return f.askToOpen(ctx, r)
	}
	return f.ask(ctx, question{
		prompt: r.label + " can't be changed now, Enter to continue", words: []string{wordList}, help: f.help(r),
		handle: func(a answer) error {
			switch {
			case a.word == wordList:
				return errList
			case strings.TrimSpace(a.text) != "":
				return invalid("%s", why)
			}
			return nil
		},
	})
}

// askToOpen asks whether to open an object or list.
func (f *fields) askToOpen(ctx context.Context, r row) error {
	in := false
	a := &fieldQuestion{fields: f, row: r}
	err := f.ask(ctx, question{
		prompt: "Open " + r.label + "? (yes, clear, or Enter to continue)", help: f.help(r), words: fieldWords(r),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			switch strings.ToLower(strings.TrimSpace(got.text)) {
			case "y", "yes", "open":
				in = true
			case "n", "no":
			default:
				return invalid("Answer yes or clear, or press Enter.")
			}
			return nil
		},
	})
	if err != nil || !in {
		return err
	}
	// Back from inside leads here, not further out.
	if err := f.open(ctx, r.Path); !isBack(err) {
		return err
	}
	return nil
}

// unusedValue asks about a value that is not used.
func (f *fields) unusedValue(ctx context.Context, r row) error {
	a := &fieldQuestion{fields: f, row: r}
	return f.ask(ctx, question{
		prompt: r.label + ", Enter keeps it, clear removes it", help: f.help(r), words: fieldWords(r),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			return invalid("Press Enter to keep it, or type clear to remove it.")
		},
	})
}

// anyValue asks for a value of any kind: JSON, or a text.
func (f *fields) anyValue(ctx context.Context, r row) error {
	a := &fieldQuestion{fields: f, row: r}
	if v := r.Value; v.Kind() == doc.Object || v.Kind() == doc.Array {
		f.println("As JSON: %s", v.Encode())
	}
	return f.ask(ctx, question{
		prompt: r.label + ", JSON or a text", text: true, help: f.help(r), words: fieldWords(r),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			v, err := doc.Parse([]byte(strings.TrimSpace(got.text)))
			if err != nil {
				v = doc.NewString(got.text)
			}
			return a.saveValue(ctx, v, "")
		},
	})
}

// text asks for a text, a number or a time in one line.
func (f *fields) text(ctx context.Context, r row) error {
	a := &fieldQuestion{fields: f, row: r}
	a.listSuggestions()
	prompt := r.label
	switch {
	case r.Node.Kind == schema.Time:
		prompt += ", such as tomorrow 9am"
	case r.Node.Example != "" && r.Value.Empty() && len(a.suggestions) == 0:
		prompt += ", such as " + r.Node.Example
	}
	return f.ask(ctx, question{
		prompt: prompt, text: true, names: a.suggestions, help: f.help(r), words: fieldWords(r),
		handle: func(got answer) error {
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			return a.parseText(ctx, got.text)
		},
	})
}

// parseText parses a line as the field's kind.
func (a *fieldQuestion) parseText(ctx context.Context, text string) error {
	r, trimmed := a.row, strings.TrimSpace(text)
	switch {
	case r.Node.Kind == schema.Integer, r.Node.Kind == schema.Number:
		if v, ok := doc.NewNumber(trimmed); ok {
			return a.saveValue(ctx, v, "")
		}
	case r.Node.Kind == schema.Time && !(r.Node.Template && schema.HasExpression(text)):
		t, err := a.readTime(text, r)
		if err != nil {
			a.rejected = doc.NewString(text)
			return invalid("%s Press Enter to leave it as it was.", phrase.Sentence(err.Error()))
		}
		return a.saveValue(ctx, doc.NewString(t.Wire), timeText(t))
	case len(a.suggestions) > 0:
		name, err := a.resolveName(trimmed)
		if err != nil {
			return err
		}
		if name != "" {
			return a.saveValue(ctx, doc.NewString(name), r.label+": "+name+".")
		}
	}
	return a.saveValue(ctx, doc.NewString(text), "")
}

func timeText(t timeparse.Result) string {
	text := "Understood as " + t.Text + "."
	for _, n := range t.Notes {
		text += " " + phrase.Sentence(n)
	}
	return text
}

// readTime parses a time in the campaign's zone.
func (f *fields) readTime(text string, r row) (timeparse.Result, error) {
	c := timeparse.Context{Now: f.deps.Local(f.deps.Now())}
	if loc, ok := engine.TimeZone(f.root); ok {
		c.Zone, c.Now = loc, f.deps.Now().In(loc)
	}
	if had, err := timeparse.Parse(r.Value.Text(), c); err == nil && had.Exact && text != r.Value.Text() {
		clock := timeparse.ClockOf(had.Instant)
		c.Clock = &clock
	}
	return timeparse.Parse(text, c)
}

// maxSuggestions is how many suggestions are listed.
const maxSuggestions = 12

// listSuggestions prints the suggestions for the field.
func (a *fieldQuestion) listSuggestions() {
	n := a.row.Node
	if n.Suggest != "" {
		a.suggestions, _ = a.workspace.Lists(n.Suggest)
	}
	if len(a.suggestions) == 0 && slices.ContainsFunc(n.Rules, isZone) {
		a.suggestions, a.zone = timeparse.Zones(), true
	}
	a.closed = slices.ContainsFunc(n.Rules, isConfigured)
	switch {
	case len(a.suggestions) == 0:
	case len(a.suggestions) > maxSuggestions:
		a.println("There are %d to choose from. Type part of a name.", len(a.suggestions))
	default:
		a.println("The workspace has: %s. The start of a name is enough.", strings.Join(a.suggestions, ", "))
	}
}

func isZone(r schema.Rule) bool {
	f, ok := schema.Unguarded(r).(schema.Format)
	return ok && f.As == schema.Zone
}

func isConfigured(r schema.Rule) bool {
	_, ok := schema.Unguarded(r).(schema.Configured)
	return ok
}

// resolveName finds the suggestion that was meant: itself, by its beginning, or the only one that contains the
// text. It returns "" for any other text, if the field accepts one.
func (a *fieldQuestion) resolveName(text string) (string, error) {
	low := strings.ToLower(text)
	var starts, holds []string
	for _, o := range a.suggestions {
		switch l := strings.ToLower(o); {
		case l == low:
			return o, nil
		case strings.HasPrefix(l, low):
			starts = append(starts, o)
		case strings.Contains(l, low) && (a.closed || a.zone):
			holds = append(holds, o)
		}
	}
	found := starts
	if len(found) == 0 {
		found = holds
	}
	switch {
	case len(found) == 1 && (a.closed || a.zone):
		return found[0], nil
	case len(found) > 1 && (a.closed || a.zone):
		return "", invalid("%s matches several: %s. Type more of it.", text, strings.Join(found[:min(len(found), maxSuggestions)], ", "))
	}
	return "", nil
}

// openOrAsk opens a field with questions of its own, and asks any other.
func (f *fields) openOrAsk(ctx context.Context, p doc.Path) error {
	r := f.rowAt(p)
	if r.Node != nil && r.Shown && opens(r.FieldState) {
		return f.open(ctx, p)
	}
	if err := f.field(ctx, r, 0, 0); !errors.Is(err, errList) {
		return err
	}
	return nil
}
