package filters

import (
	"slices"
	"strings"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/ui/widget"
)

// rowKind is how a row is edited.
type rowKind uint8

const (
	fixedRow rowKind = iota // read-only
	textRow
	nameRow // text, with names of the workspace
	listRow // texts separated by commas
	dateRow // a date in natural language
	choiceRow
	toggleRow
	frequencyRow // frequency and period, in words
)

func (k rowKind) isText() bool {
	return k == textRow || k == nameRow || k == listRow || k == dateRow || k == frequencyRow
}

// row is one input of a filter.
type row struct {
	input audience.Input
	kind  rowKind
	label string
	text  string // the value in editable form
	end   int    // for a range: 0 for its lower end, 1 for the upper
	shape audience.Shape
}

// buildRows returns the inputs of the filter.
func (f *form) buildRows() []row {
	filter := f.filter
	var out []row
	locked := f.locked(filter) != ""
	for _, in := range audience.Inputs(f.cfg.Schema, f.root, filter, f.cfg.Env) {
		r := row{input: in, label: in.Label, text: plainText(in.State.Value)}
		n := in.State.Node
		switch {
		case in.Part == audience.Value && in.State.Shown:
			out = append(out, valueRows(r, f.root.Lookup(filter))...)
			continue
		case n == nil, !in.State.Shown:
		case in.Part == audience.Frequency:
			r.kind = frequencyRow
			r.text, _ = audience.FrequencyText(f.root.Lookup(filter))
		case in.Part == audience.Name:
			r.kind = nameRow
		case len(in.State.Options) > 0:
			r.kind = choiceRow
		case n.Kind == schema.Bool:
			r.kind = toggleRow
		case n.Kind == schema.String || n.Kind == schema.Integer:
			r.kind = textRow
		}
		out = append(out, r)
	}
	for i, r := range out {
		if locked || r.kind.isText() && !isSingleLine(r.text) || in(r.input.State.Value.Kind(), doc.Array, doc.Object) && r.input.Part != audience.Value && r.kind != frequencyRow {
			out[i].kind = fixedRow
		}
	}
	return out
}

func in(k doc.Kind, kinds ...doc.Kind) bool { return slices.Contains(kinds, k) }

// isSingleLine reports whether a text field can represent a text exactly: it has no line breaks or the like.
func isSingleLine(text string) bool { return widget.Clean(text) == text }

// valueRows returns the rows of a value: one, or two for the ends of a range.
func valueRows(r row, filter doc.Value) []row {
	r.shape = audience.ValueShape(filter)
	texts, ok := audience.Values(filter)
	if !ok {
		return []row{r}
	}
	first := strings.Join(texts[:min(len(texts), 1)], "")
	ends := func(kind rowKind) []row {
		low, high := r, r
		low.kind, low.label, low.text = kind, "From", texts[0]
		high.kind, high.label, high.text, high.end = kind, "To", texts[1], 1
		return []row{low, high}
	}
	switch r.shape {
	case audience.NoValue:
		return nil
	case audience.ValueRange:
		return ends(textRow)
	case audience.DateRange:
		return ends(dateRow)
	case audience.ValueList:
		r.kind, r.label, r.text = listRow, "Values", joinList(texts)
	case audience.YesOrNo:
		r.kind, r.text = toggleRow, first
	case audience.Date:
		r.kind, r.label, r.text = dateRow, "Date", first
	case audience.RelativeDays:
		r.kind, r.label, r.text = textRow, "Days", first
	case audience.Expression:
		r.kind, r.label, r.text = textRow, "Expression", first
	default:
		r.kind, r.text = textRow, first
	}
	return []row{r}
}

// values returns the texts of a filter's value, updated with what was typed in the row.
func (r row) values(env audience.Env, filter doc.Value, texts []string) []string {
	text := strings.Join(texts, "")
	switch r.kind {
	case listRow:
		return splitList(text)
	case dateRow:
		if d, err := audience.ParseDate(text, env); err == nil {
			text = d.Wire
		}
	}
	if r.shape != audience.ValueRange && r.shape != audience.DateRange {
		return []string{text}
	}
	out := []string{"", ""}
	if old, ok := audience.Values(filter); ok {
		copy(out, old)
	}
	out[r.end] = text
	return out
}

// isYes returns a boolean value, which may be a default.
func (r row) isYes() bool {
	if r.text == "" && r.input.State.Node != nil {
		return r.input.State.Node.Default == "true"
	}
	return r.text == "true"
}

// availableOptions returns the options of a choice that are allowed now.
func (r row) availableOptions() []schema.OptionState {
	return slices.DeleteFunc(slices.Clone(r.input.State.Options), func(o schema.OptionState) bool { return !o.Offered })
}

// optionIndex returns the index of the value among the options that are allowed; -1 if it is none of them.
func (r row) optionIndex() int {
	return slices.IndexFunc(r.availableOptions(), func(o schema.OptionState) bool { return o.Value == r.text })
}

// isCount reports whether a row contains a whole number.
func (r row) isCount() bool {
	n := r.input.State.Node
	return r.kind == textRow && (r.shape == audience.RelativeDays || n != nil && n.Kind == schema.Integer)
}

// needsInput reports whether a row should be visited when a filter is added.
func (r row) needsInput() bool {
	return r.kind != fixedRow && (r.input.Part != audience.Plain || r.input.State.Required)
}

func (r row) placeholder() string {
	switch {
	case r.kind == nameRow:
		return "type or choose a name"
	case r.kind == frequencyRow:
		return "at least 2 times in the last 7 days"
	case r.kind == listRow:
		return "values, separated by commas"
	case r.kind == dateRow:
		return "2026-12-01, yesterday, last monday"
	case r.shape == audience.RelativeDays:
		return "a number of days"
	case r.shape == audience.ValueRange:
		return "a number"
	case r.shape == audience.Expression:
		return "{{user.country}}"
	}
	if n := r.input.State.Node; n != nil && n.Example != "" {
		return "e.g. " + n.Example
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

// joinList joins texts with commas; texts with a comma, a quote or surrounding blanks are quoted as in CSV.
func joinList(texts []string) string {
	out := make([]string, len(texts))
	for i, s := range texts {
		if strings.TrimSpace(s) != s || s == "" || strings.ContainsAny(s, `,"`) {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		out[i] = s
	}
	return strings.Join(out, ", ")
}

// splitList splits a text written by joinList; blanks around commas and empty items are ignored.
func splitList(text string) []string {
	var out []string
	for rest := strings.TrimSpace(text); rest != ""; {
		item := ""
		if strings.HasPrefix(rest, `"`) {
			item, rest = parseQuoted(rest[1:])
			if _, after, found := strings.Cut(rest, ","); found {
				rest = after
			} else {
				rest = ""
			}
			out = append(out, item)
		} else {
			item, rest, _ = strings.Cut(rest, ",")
			if item = strings.TrimSpace(item); item != "" {
				out = append(out, item)
			}
		}
		rest = strings.TrimSpace(rest)
	}
	return out
}

// parseQuoted reads up to the closing quote, or to the end if there is none.
func parseQuoted(s string) (item, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		return b.String(), s[i+1:]
	}
	return b.String(), ""
}
