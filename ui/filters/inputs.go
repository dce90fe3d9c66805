package filters

import (
	"cmp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/forms/typeahead"
	"bugle/ui/editor"
)

// inputs are the inputs of a filter, for a form.
type inputs struct {
	cfg    editor.Config
	filter doc.Path
	seen   map[string][]string // the texts of users, by attribute; nil if the filter is not about users
}

// parts returns what a filter consists of, in the order of the inputs.
func (f *inputs) parts(root doc.Value) []audience.Input {
	return audience.Inputs(f.cfg.Schema, root, f.filter, f.cfg.Env)
}

// of returns the inputs in a document.
func (f *inputs) of(root doc.Value) []forms.Input {
	all := f.parts(root)
	out := make([]forms.Input, len(all))
	for i, in := range all {
		out[i] = f.input(root, all, in)
	}
	return out
}

// input returns the input for one of the parts of a filter.
func (f *inputs) input(root doc.Value, all []audience.Input, part audience.Input) forms.Input {
	n, v := part.State.Node, part.State.Value
	in := forms.Input{FieldState: part.State, Label: part.Label, Text: plainText(v)}
	if n == nil || !in.Shown {
		return in
	}
	help, _, _ := strings.Cut(n.Help, ". ")
	in.Help = strings.TrimSuffix(help, ".") + "."
	set := func(write func(root doc.Value, filter doc.Path, text string) (doc.Value, error)) {
		in.Write = func(root, v doc.Value) (doc.Value, error) {
			if v.Empty() {
				return root.Delete(in.Path), nil
			}
			return write(root, f.filter, plainText(v))
		}
	}
	switch {
	case part.Part == audience.Frequency:
		f.asFrequency(&in, root)
	case part.Part == audience.Value:
		f.asValue(&in, root.Lookup(f.filter), nameIn(all), part.Lower)
	case v.Kind() == doc.Array || v.Kind() == doc.Object:
		asJSON(&in)
	case part.Part == audience.Name:
		in.Shape, in.Placeholder, in.Note = forms.ShapeName, "type or choose a name", audience.UnknownEvent
		in.Suggest = f.names(root, all, part)
		set(func(root doc.Value, filter doc.Path, text string) (doc.Value, error) {
			return f.setName(root, all, in, text)
		})
		in.Read = func(root doc.Value, text string) (string, []string, error) { return f.readName(root, all, in, text) }
	case part.Part == audience.DataType:
		in.Shape = forms.ShapeChoice
		set(audience.SetDataType)
	case part.Part == audience.Operator:
		in.Shape = forms.ShapeChoice
		set(audience.SetOperator)
	}
	return in
}

// asJSON has an input edited with its whole filter.
func asJSON(in *forms.Input) {
	in.Shape, in.Help = forms.ShapeFixed, "Press ctrl+e to edit the filter as JSON."
}

// asFrequency has an input edited as how often and when an event happened, in words.
func (f *inputs) asFrequency(in *forms.Input, root doc.Value) {
	in.Shape, in.Placeholder = forms.ShapeWords, "at least 2 times in the last 7 days"
	in.Help = "How many times and when, such as “at least 2 times in the last 7 days”, “never” or “once since yesterday”."
	in.Text, _ = audience.FrequencyText(root.Lookup(f.filter))
	set := func(root doc.Value, text string) (doc.Value, error) {
		return audience.SetFrequency(root, f.filter, text, envOf(f.cfg))
	}
	in.Write = func(root, v doc.Value) (doc.Value, error) {
		if out, err := set(root, v.Text()); err == nil {
			return out, nil
		}
		return audience.KeepFrequency(root, f.filter, v.Text())
	}
	in.Read = func(root doc.Value, text string) (string, []string, error) { return f.describe(set(root, text)) }
	in.Offers = func(root doc.Value, text string) ([]string, bool) {
		_, err := set(root, text)
		return audience.SuggestFrequencies(text), err == nil
	}
	_, err := set(root, in.Text)
	in.Replace = err == nil
}

// valueInput is how the value of a shape is edited.
type valueInput struct {
	shape                    forms.Shape
	label, placeholder, help string // "" for those of its field
}

const (
	datePlaceholder = "2026-12-01, yesterday, last monday"
	dateHelp        = "Dates are in the workspace's time zone. A date without a time means the whole day."
)

var valueInputs = map[audience.Shape]valueInput{
	audience.SingleValue:  {shape: forms.ShapeText, help: "The value to compare with."},
	audience.YesOrNo:      {shape: forms.ShapeChoice, help: "Press space to change it."},
	audience.ValueList:    {forms.ShapeList, "Values", "values, separated by commas", `Separate values with commas. Put a value that contains a comma in "quotes".`},
	audience.ValueRange:   {forms.ShapeText, "", "a number", "Both values are included."},
	audience.Date:         {forms.ShapeText, "Date", datePlaceholder, dateHelp},
	audience.DateRange:    {forms.ShapeText, "", datePlaceholder, dateHelp},
	audience.RelativeDays: {forms.ShapeText, "Days", "a number of days", "Counted from now, to the same time of day."},
	audience.Expression:   {forms.ShapeText, "Expression", "{{user.country}}", "Evaluated for each user when the campaign is sent."},
}

// asValue has an input edited as what the operator of the filter compares with, or as an end of a range: the upper one if lower
// is the path of the other. about is the name of what is compared.
func (f *inputs) asValue(in *forms.Input, filter doc.Value, about string, lower doc.Path) {
	shape, upper := audience.ValueShape(filter), lower != nil
	as, used := valueInputs[shape]
	texts, ok := audience.Values(filter)
	if !used || !ok {
		asJSON(in)
		return
	}
	example := ""
	if audience.TakesNumber(filter) {
		example = "e.g. 100"
	} else if in.Node.Example != "" {
		example = "e.g. " + in.Node.Example
	}
	in.Shape, in.Help, in.Label, in.Placeholder = as.shape, as.help, cmp.Or(as.label, in.Label), cmp.Or(as.placeholder, example)
	texts = append(texts, "")
	in.Text = texts[0]
	switch shape {
	case audience.ValueRange, audience.DateRange:
		if upper {
			in.Text, in.Paths = texts[1], []doc.Path{in.Path, lower}
		}
	case audience.ValueList:
		in.Text = forms.JoinList(texts[:len(texts)-1])
		in.Suggest = typeahead.Items(f.seen[about])
		in.Read = readList
	case audience.SingleValue:
		in.Suggest = typeahead.Items(f.seen[about])
	case audience.RelativeDays:
		in.Replace = true
	case audience.YesOrNo:
		field := *in.Node.Field
		field.Kind, field.Options, field.Default = schema.Bool, nil, ""
		in.Node, in.Options = &schema.Node{Field: &field}, nil
	}
	isDate := shape == audience.Date || shape == audience.DateRange
	if isDate {
		in.Read = f.readDate
	}
	in.Write = func(root, v doc.Value) (doc.Value, error) {
		text := plainText(v)
		if d, err := audience.ParseDate(text, envOf(f.cfg)); isDate && err == nil {
			text = d.Wire
		}
		return audience.SetValues(root, f.filter, values(shape, root.Lookup(f.filter), text, upper))
	}
}

// values returns the texts of a value of a shape with what was typed for it, or for an end of it.
func values(shape audience.Shape, filter doc.Value, text string, upper bool) []string {
	switch shape {
	case audience.ValueList:
		return forms.SplitList(text)
	case audience.ValueRange, audience.DateRange:
		out, _ := audience.Values(filter)
		if upper {
			return []string{out[0], text}
		}
		return []string{text, out[1]}
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

func readList(_ doc.Value, text string) (words string, notes []string, err error) {
	if all := forms.SplitList(text); len(all) > 0 {
		words = phrase.Count(len(all), "value") + ": [" + strings.Join(all, "] [") + "]"
	}
	return words, nil, nil
}

func (f *inputs) readDate(_ doc.Value, text string) (words string, notes []string, err error) {
	d, err := audience.ParseDate(text, envOf(f.cfg))
	return d.Text, nil, err
}

// nameIn returns the name of what a filter is about.
func nameIn(all []audience.Input) string {
	for _, in := range all {
		if in.Part == audience.Name {
			return plainText(in.State.Value)
		}
	}
	return ""
}

// has reports whether a filter has a part.
func has(all []audience.Input, part audience.Part) bool {
	return slices.ContainsFunc(all, func(in audience.Input) bool { return in.Part == part })
}

// names returns the names that a part can have, with their data types if the filter has one.
func (f *inputs) names(root doc.Value, all []audience.Input, part audience.Input) []typeahead.Item {
	items := typeahead.Items(audience.Names(root, f.filter, part.Member(), f.cfg.Workspace))
	for i := range items {
		if has(all, audience.DataType) {
			items[i].Info = dataType(f.cfg.Workspace, items[i].Value)
		}
	}
	return items
}

// setName sets the name of what a filter is about, and how often an event happened if the text says so.
func (f *inputs) setName(root doc.Value, all []audience.Input, in forms.Input, text string) (doc.Value, error) {
	name, often, ok := f.splitAction(all, in, text)
	if !ok {
		return audience.SetName(root, f.filter, text, f.cfg.Workspace)
	}
	named, err := audience.SetName(root, f.filter, name, f.cfg.Workspace)
	if err != nil {
		return root, err
	}
	return audience.SetFrequency(named, f.filter, often, envOf(f.cfg))
}

// readName describes the filter if the text says how often an event happened.
func (f *inputs) readName(root doc.Value, all []audience.Input, in forms.Input, text string) (words string, notes []string, err error) {
	name, often, whole := f.splitAction(all, in, text)
	switch {
	case whole:
		return f.describe(f.setName(root, all, in, text))
	case name != "":
		_, err = audience.SetFrequency(root, f.filter, often, envOf(f.cfg))
	}
	return "", nil, err
}

// splitAction splits a whole sentence that is typed instead of the name of an event.
func (f *inputs) splitAction(all []audience.Input, in forms.Input, text string) (name, often string, ok bool) {
	if !strings.Contains(text, " ") || !has(all, audience.Frequency) {
		return "", "", false
	}
	names := make([]string, len(in.Suggest))
	for i, it := range in.Suggest {
		names[i] = it.Value
	}
	return audience.SplitAction(text, names, envOf(f.cfg))
}

// describe describes the filter in a document.
func (f *inputs) describe(root doc.Value, err error) (words string, notes []string, _ error) {
	if err != nil {
		return "", nil, err
	}
	return audience.DescribeFilter(root.Lookup(f.filter), envOf(f.cfg)), nil, nil
}

// dataType returns the data type of the workspace's attribute of a name, in a word.
func dataType(w engine.Workspace, name string) string {
	word := map[string]string{"double": "number", "datetime": "date", "bool": "yes or no"}
	for _, a := range w.Attributes {
		switch {
		case a.Name != name:
		case word[a.DataType] != "":
			return word[a.DataType]
		case len(catalog.Operators(a.DataType)) > 0:
			return "text"
		}
	}
	return ""
}

func plainText(v doc.Value) string {
	switch v.Kind() {
	case doc.String:
		return v.Text()
	case doc.Array, doc.Object:
		return string(v.Encode())
	}
	return v.Literal()
}
