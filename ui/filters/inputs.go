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

// part is one part of a filter.
type part struct {
	audience.Input
	kind              forms.InputKind
	text              string // the value in editable form
	placeholder, help string
	value             bool // it is the value, of a shape that can be edited
	shape             audience.Shape
	end               int // for a range: 0 for its lower end, 1 for the upper
}

// parts returns the parts of the filter that a form shows, by the index of their inputs. The upper end of a range is a
// part of its own.
func (f inputs) parts(root doc.Value) []part {
	var out []part
	for _, in := range audience.Inputs(f.cfg.Schema, root, f.filter, f.cfg.Env) {
		p := part{Input: in, kind: kindOf(in), text: plainText(in.State.Value)}
		p.placeholder, p.help = textsOf(p)
		if in.Part == audience.Value && in.State.Shown {
			out = append(out, valueParts(p, root.Lookup(f.filter))...)
			continue
		}
		out = append(out, p)
	}
	return out
}

// kindOf returns how an input other than a value is edited.
func kindOf(in audience.Input) forms.InputKind {
	n, v := in.State.Node, in.State.Value.Kind()
	switch {
	case n == nil || !in.State.Shown || in.Part == audience.Value:
		return forms.InputFixed
	case in.Part == audience.Frequency:
		return forms.InputWords
	case v == doc.Array || v == doc.Object:
		return forms.InputFixed
	case in.Part == audience.Name:
		return forms.InputName
	case len(in.State.Options) > 0 || n.Kind == schema.Bool:
		return forms.InputChoice
	case n.Kind == schema.String || n.Kind == schema.Integer:
		return forms.InputText
	}
	return forms.InputFixed
}

// textsOf returns the placeholder of a part, and a sentence about it.
func textsOf(p part) (placeholder, help string) {
	n := p.State.Node
	if n == nil {
		return "", ""
	}
	if n.Example != "" {
		placeholder = "e.g. " + n.Example
	}
	help, _, _ = strings.Cut(n.Help, ". ")
	help = strings.TrimSuffix(help, ".") + "."
	switch {
	case p.kind == forms.InputWords:
		return "at least 2 times in the last 7 days", "How many times and when, such as “at least 2 times in the last 7 days”, “never” or “once since yesterday”."
	case p.kind == forms.InputName && p.text != "":
		return "type or choose a name", "" // the form says how to choose another
	case p.kind == forms.InputName:
		return "type or choose a name", help
	case p.kind == forms.InputFixed:
		return placeholder, "Press ctrl+e to edit the filter as JSON."
	}
	return placeholder, help
}

// valueInput is how the value of a shape is edited.
type valueInput struct {
	kind                     forms.InputKind
	label, placeholder, help string // "" for those of its field
}

const (
	datePlaceholder = "2026-12-01, yesterday, last monday"
	dateHelp        = "Dates are in the workspace's time zone. A date without a time means the whole day."
)

var valueInputs = map[audience.Shape]valueInput{
	audience.SingleValue:  {kind: forms.InputText, help: "The value to compare with."},
	audience.YesOrNo:      {kind: forms.InputChoice, help: "Press space to change it."},
	audience.ValueList:    {forms.InputList, "Values", "values, separated by commas", `Separate values with commas. Put a value that contains a comma in "quotes".`},
	audience.ValueRange:   {forms.InputText, "", "a number", "Both values are included."},
	audience.Date:         {forms.InputDate, "Date", datePlaceholder, dateHelp},
	audience.DateRange:    {forms.InputDate, "", datePlaceholder, dateHelp},
	audience.RelativeDays: {forms.InputText, "Days", "a number of days", "Counted from now, to the same time of day."},
	audience.Expression:   {forms.InputText, "Expression", "{{user.country}}", "Evaluated for each user when the campaign is sent."},
}

// valueParts returns the parts of a value: none, one, or two for the ends of a range.
func valueParts(p part, filter doc.Value) []part {
	texts, ok := audience.Values(filter)
	if !ok {
		return []part{p}
	}
	p.shape = audience.ValueShape(filter)
	in, ok := valueInputs[p.shape]
	if !ok {
		return nil
	}
	p.value, p.kind, p.help, p.text = true, in.kind, in.help, strings.Join(texts[:min(len(texts), 1)], "")
	example := ""
	if audience.TakesNumber(filter) {
		example = "e.g. 100"
	}
	p.Label, p.placeholder = cmp.Or(in.label, p.Label), cmp.Or(in.placeholder, example, p.placeholder)
	switch p.shape {
	case audience.ValueRange, audience.DateRange:
		low, high := p, p
		low.Label, low.text = "From", texts[0]
		high.Label, high.text, high.end = "To", texts[1], 1
		return []part{low, high}
	case audience.ValueList:
		p.text = forms.JoinList(texts)
	}
	return []part{p}
}

// Inputs returns the inputs of the filter in a document.
func (f inputs) Inputs(root doc.Value) []forms.Input {
	var out []forms.Input
	all := f.parts(root)
	typed := slices.ContainsFunc(all, func(p part) bool { return p.Part == audience.DataType })
	for i, p := range all {
		in := forms.Input{
			FieldState: p.State, Kind: p.kind, Label: p.Label, Text: p.text, Placeholder: p.placeholder, Help: p.help, Index: i,
		}
		switch {
		case in.Kind == forms.InputName:
			in.Suggest, in.Note = f.names(root, p, typed), audience.UnknownEvent
		case in.Kind == forms.InputWords:
			in.Text, _ = audience.FrequencyText(root.Lookup(f.filter))
			_, err := f.Read(root, in, in.Text)
			in.Replace = err == nil
		case p.value && p.shape == audience.YesOrNo:
			field := *p.State.Node.Field
			field.Kind, field.Options, field.Default = schema.Bool, nil, ""
			in.Node, in.Options = &schema.Node{Field: &field}, nil
		case p.value && (p.shape == audience.SingleValue || p.shape == audience.ValueList):
			in.Suggest = typeahead.Items(f.seen[nameIn(all)])
		case p.value && p.shape == audience.RelativeDays, in.Kind == forms.InputText && in.Node.Kind == schema.Integer:
			in.Replace = true
		}
		out = append(out, in)
	}
	return out
}

// nameIn returns the name of what a filter is about.
func nameIn(all []part) string {
	for _, p := range all {
		if p.Part == audience.Name {
			return p.text
		}
	}
	return ""
}

// names returns the names that a part can have, with their data types if the filter has one.
func (f inputs) names(root doc.Value, p part, typed bool) []typeahead.Item {
	items := typeahead.Items(audience.Names(root, f.filter, p.Member(), f.cfg.Workspace))
	if typed {
		for i := range items {
			items[i].Info = dataType(f.cfg.Workspace, items[i].Value)
		}
	}
	return items
}

// Write writes a text into a part of the filter.
func (f inputs) Write(root doc.Value, in forms.Input, text string) (doc.Value, error) {
	p := f.parts(root)[in.Index]
	switch {
	case p.value:
		return audience.SetValues(root, f.filter, f.values(p, root.Lookup(f.filter), text))
	case p.Part == audience.Frequency:
		if out, err := audience.SetFrequency(root, f.filter, text, envOf(f.cfg)); err == nil {
			return out, nil
		}
		return audience.KeepFrequency(root, f.filter, text)
	case text == "":
		return root.Delete(in.Path), nil
	case p.Part == audience.Name:
		name, often, ok := f.splitAction(root, in, text)
		if !ok {
			return audience.SetName(root, f.filter, text, f.cfg.Workspace)
		}
		named, err := audience.SetName(root, f.filter, name, f.cfg.Workspace)
		if err != nil {
			return root, err
		}
		return audience.SetFrequency(named, f.filter, often, envOf(f.cfg))
	case p.Part == audience.DataType:
		return audience.SetDataType(root, f.filter, text)
	case p.Part == audience.Operator:
		return audience.SetOperator(root, f.filter, text)
	case in.Node.Kind == schema.Bool:
		return root.Set(in.Path, doc.NewBool(text == "true"))
	case in.Node.Kind == schema.Integer:
		if n, ok := doc.NewNumber(strings.TrimSpace(text)); ok {
			return root.Set(in.Path, n)
		}
	}
	return root.Set(in.Path, doc.NewString(text))
}

// values returns the texts of the filter's value with what was typed for a part.
func (f inputs) values(p part, filter doc.Value, text string) []string {
	if p.kind == forms.InputDate {
		if d, err := audience.ParseDate(text, envOf(f.cfg)); err == nil {
			text = d.Wire
		}
	}
	switch p.shape {
	case audience.ValueList:
		return forms.SplitList(text)
	case audience.ValueRange, audience.DateRange:
		out := []string{"", ""}
		old, _ := audience.Values(filter)
		copy(out, old)
		out[p.end] = text
		return out
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

// Read returns what a text means: a date, the items of a list, how often an event happened.
func (f inputs) Read(root doc.Value, in forms.Input, text string) (words string, err error) {
	switch {
	case in.Kind == forms.InputList:
		if all := forms.SplitList(text); len(all) > 0 {
			return phrase.Count(len(all), "value") + ": [" + strings.Join(all, "] [") + "]", nil
		}
	case in.Kind == forms.InputDate && text != "":
		d, err := audience.ParseDate(text, envOf(f.cfg))
		return d.Text, err
	case in.Kind == forms.InputName:
		name, often, whole := f.splitAction(root, in, text)
		if whole {
			return f.describe(f.Write(root, in, text))
		}
		if name != "" {
			_, err = audience.SetFrequency(root, f.filter, often, envOf(f.cfg))
		}
		return "", err
	case in.Kind == forms.InputWords:
		return f.describe(audience.SetFrequency(root, f.filter, text, envOf(f.cfg)))
	}
	return "", nil
}

// describe describes the filter in a document.
func (f inputs) describe(root doc.Value, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return audience.DescribeFilter(root.Lookup(f.filter), envOf(f.cfg)), nil
}

// splitAction splits a whole sentence that is typed instead of the name of an event.
func (f inputs) splitAction(root doc.Value, in forms.Input, text string) (name, often string, ok bool) {
	isFrequency := func(p part) bool { return p.Part == audience.Frequency }
	if in.Kind != forms.InputName || !strings.Contains(text, " ") || !slices.ContainsFunc(f.parts(root), isFrequency) {
		return "", "", false
	}
	names := make([]string, len(in.Suggest))
	for i, it := range in.Suggest {
		names[i] = it.Value
	}
	return audience.SplitAction(text, names, envOf(f.cfg))
}

// Offers returns how a frequency can go on.
func (f inputs) Offers(root doc.Value, _ forms.Input, text string) ([]string, bool) {
	_, err := audience.SetFrequency(root, f.filter, text, envOf(f.cfg))
	return audience.SuggestFrequencies(text), err == nil
}

// needs reports whether a part is visited when a filter is filled in.
func (f inputs) needs(p part) bool {
	return p.kind != forms.InputFixed && (p.Part != audience.Plain || p.State.Required)
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
