package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/schema"
)

// Dialect describes a service's names that differ from the specification (CONTRACT.md, Dialects). Each table
// maps our word to the service's; a * at the end of both stands for any rest, such as "SVC_*": "ACME_*".
// Words are replaced where the tables of the specification have them: names of fields, and values of
// enumerations. Users' texts are never changed.
type Dialect struct {
	Headers map[string]string
	Members map[string]string
	// Values are replaced in every field with these options, and FieldValues, by path, only in the fields at
	// that path, where they take precedence. A path starts at the root of a request's body, as in
	// "advanced.platform_level_priority.*.interruption_level": * matches one name, ** any number of names,
	// and array elements are not part of it. The states of records follow "campaign_fields.status". A file
	// has both in "values".
	Values      map[string]string
	FieldValues map[string]map[string]string
	// Unwrap names, by path, objects that the service replaces by a plain string, and the field that has the
	// string here: {"trigger_condition.trigger_attr": "name"}.
	Unwrap       map[string]string
	StatusMethod string // POST (the default) or PATCH
}

// dialectFile is a dialect in JSON.
type dialectFile struct {
	Headers      map[string]string    `json:"headers,omitempty"`
	Members      map[string]string    `json:"members,omitempty"`
	Values       map[string]valueFile `json:"values,omitempty"`
	Unwrap       map[string]string    `json:"unwrap,omitempty"`
	StatusMethod string               `json:"status_method,omitempty"`
}

// valueFile is the service's word for a value, or a table of words for the fields at a path.
type valueFile struct {
	word  string
	words map[string]string // nil: it is the word
}

func (v valueFile) MarshalJSON() ([]byte, error) {
	if v.words != nil {
		return json.Marshal(v.words)
	}
	return json.Marshal(v.word)
}

func (v *valueFile) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("{")) {
		return json.Unmarshal(b, &v.words)
	}
	return json.Unmarshal(b, &v.word)
}

// MarshalJSON returns the dialect in the format of [ParseDialect].
func (d Dialect) MarshalJSON() ([]byte, error) {
	f := dialectFile{Headers: d.Headers, Members: d.Members, Values: map[string]valueFile{}, Unwrap: d.Unwrap, StatusMethod: d.StatusMethod}
	for ours, theirs := range d.Values {
		f.Values[ours] = valueFile{word: theirs}
	}
	for path, words := range d.FieldValues {
		f.Values[path] = valueFile{words: words}
	}
	return json.Marshal(f)
}

// UnmarshalJSON parses the result of [Dialect.MarshalJSON]. Call [Dialect.Check] to check that words can be
// translated back.
func (d *Dialect) UnmarshalJSON(b []byte) error {
	var f dialectFile
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("cannot read the dialect: %w", err)
	}
	*d = Dialect{Headers: f.Headers, Members: f.Members, Unwrap: f.Unwrap, StatusMethod: f.StatusMethod}
	for key, v := range f.Values {
		if v.words != nil {
			put(&d.FieldValues, key, v.words)
		} else {
			put(&d.Values, key, v.word)
		}
	}
	return nil
}

func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}

// ParseDialect parses a dialect from JSON (see [DialectTable]). All errors are in a *[DialectError]: those of
// [Dialect.Check], and words and paths that the specification does not have.
func ParseDialect(b []byte) (Dialect, error) {
	b, err := files.Decode(b)
	var v doc.Value
	if err == nil {
		v, err = doc.Parse(b)
	}
	var syntax *doc.SyntaxError
	if errors.As(err, &syntax) {
		return Dialect{}, &DialectError{[]DialectProblem{{Line: syntax.Line, Column: syntax.Column, Message: syntax.Msg}}}
	}
	if err != nil {
		return Dialect{}, fmt.Errorf("cannot read the dialect: %w", err)
	}
	wrong := &DialectError{}
	for _, p := range DialectTable().Validate(v, schema.Env{}) {
		if p.Severity == schema.Error {
			wrong.add(b, p.Path, p.Message)
		}
	}
	if len(wrong.Problems) > 0 {
		return Dialect{}, wrong
	}
	var d Dialect
	if err := d.UnmarshalJSON(b); err != nil {
		return Dialect{}, err
	}
	_, faults := translate(d)
	for _, f := range faults {
		wrong.add(b, f.path, f.message)
	}
	if len(wrong.Problems) > 0 {
		return Dialect{}, wrong
	}
	return d, nil
}

// DialectError lists all problems in the text of a dialect.
type DialectError struct{ Problems []DialectProblem }

// DialectProblem is one problem with its position in the text, from 1.
type DialectProblem struct {
	Line, Column int
	Path         string // empty if the text is not a JSON object
	Message      string
}

func (e *DialectError) add(text []byte, p doc.Path, message string) {
	line, column := doc.Position(text, p)
	e.Problems = append(e.Problems, DialectProblem{Line: line, Column: column, Path: p.String(), Message: message})
}

// Error lists the problems, one per line.
func (e *DialectError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = fmt.Sprintf("line %d, column %d: ", p.Line, p.Column)
		if p.Path != "" {
			lines[i] += p.Path + ": "
		}
		lines[i] += p.Message
	}
	return strings.Join(lines, "\n")
}

// Check returns what is wrong with the dialect: two of our words with the same replacement, or a replacement
// that has another meaning in the same field, could not be translated back.
func (d Dialect) Check() error {
	_, err := newTranslator(d)
	return err
}

// Empty reports whether the dialect replaces nothing.
func (d Dialect) Empty() bool {
	return len(d.Headers)+len(d.Members)+len(d.Values)+len(d.FieldValues)+len(d.Unwrap) == 0 && (d.StatusMethod == "" || d.StatusMethod == http.MethodPost)
}

// dialectFault is one problem of a dialect.
type dialectFault struct {
	path    doc.Path // in the dialect's file
	message string
	unused  bool // it names something that the specification does not have, and has no effect
}

// pair is one replacement of a table.
type pair struct {
	ours, theirs string
	path         doc.Path // in the dialect's file
}

// pairs returns the replacements of a table sorted by our words.
func pairs(table map[string]string, at doc.Path) []pair {
	var out []pair
	for ours, theirs := range table {
		out = append(out, pair{ours, theirs, at.Child(ours)})
	}
	slices.SortFunc(out, func(a, b pair) int { return strings.Compare(a.ours, b.ours) })
	return out
}

// glossary is one table of a dialect in both directions.
type glossary struct {
	there, back map[string]pair // whole words
	prefixes    []pair          // longest of ours first, without the *
}

// newGlossary creates a glossary. If a word has two replacements, the first one is used.
func newGlossary(table []pair) (glossary, []dialectFault) {
	g := glossary{there: map[string]pair{}, back: map[string]pair{}}
	var faults []dialectFault
	for _, p := range table {
		o, cut := strings.CutSuffix(p.ours, "*")
		t, cutToo := strings.CutSuffix(p.theirs, "*")
		_, again := g.there[o]
		other, taken := g.back[t]
		switch {
		case cut != cutToo:
			faults = append(faults, dialectFault{path: p.path, message: fmt.Sprintf("either both or none of %q and %q must end in *", p.ours, p.theirs)})
		case o == "" || t == "":
			faults = append(faults, dialectFault{path: p.path, message: "must not be empty"})
		case cut:
			if !slices.ContainsFunc(g.prefixes, func(q pair) bool { return q.ours == o }) {
				g.prefixes = append(g.prefixes, pair{o, t, p.path})
			}
		case again:
		case taken:
			faults = append(faults, dialectFault{path: p.path, message: fmt.Sprintf("%q also becomes %q; two names cannot have the same translation", other.ours, t)})
		default:
			g.there[o], g.back[t] = p, p
		}
	}
	slices.SortStableFunc(g.prefixes, func(a, b pair) int { return len(b.ours) - len(a.ours) })
	return g, faults
}

func (g glossary) empty() bool { return len(g.there) == 0 && len(g.prefixes) == 0 }

// of returns the replacement of one of our words.
func (g glossary) of(word string) (pair, bool) {
	if p, ok := g.there[word]; ok {
		return p, true
	}
	for _, p := range g.prefixes {
		if rest, ok := strings.CutPrefix(word, p.ours); ok {
			return pair{word, p.theirs + rest, p.path}, true
		}
	}
	return pair{}, false
}

// theirs returns the service's word for one of ours, or the word itself.
func (g glossary) theirs(word string) string {
	if p, ok := g.of(word); ok {
		return p.theirs
	}
	return word
}

// ours returns our word for one of the service's, or false if it is not known to be one.
func (g glossary) ours(word string) (string, bool) {
	if p, ok := g.back[word]; ok {
		return p.ours, true
	}
	for _, p := range g.prefixes {
		if rest, ok := strings.CutPrefix(word, p.theirs); ok && g.theirs(p.ours+rest) == word {
			return p.ours + rest, true
		}
	}
	return "", false
}

// clashes finds words with the same replacement that can occur at the same place.
func (g glossary) clashes(words []string) []dialectFault {
	if g.empty() {
		return nil
	}
	var out []dialectFault
	from := map[string]string{}
	for _, w := range words {
		t := g.theirs(w)
		if other, taken := from[t]; taken && other != w {
			p, ok := g.of(w)
			if !ok {
				p, _ = g.of(other)
			}
			out = append(out, dialectFault{path: p.path, message: fmt.Sprintf("%q and %q both become %q; two names cannot have the same translation", other, w, t)})
		}
		from[t] = w
	}
	return out
}

// maxListedWords is the most words in a message.
const maxListedWords = 12

// unusedPairs finds replacements of words that do not exist.
func unusedPairs(table []pair, words []string, what string) []dialectFault {
	has := ""
	if len(words) <= maxListedWords {
		has = "; allowed: " + strings.Join(words, ", ")
	}
	var out []dialectFault
	for _, p := range table {
		prefix, cut := strings.CutSuffix(p.ours, "*")
		switch {
		case cut && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) }):
			out = append(out, dialectFault{path: p.path, unused: true, message: fmt.Sprintf("no %s begins with %q%s", what, prefix, has)})
		case !cut && !slices.Contains(words, p.ours):
			out = append(out, dialectFault{path: p.path, unused: true, message: fmt.Sprintf("there is no %s %q%s", what, p.ours, has)})
		}
	}
	return out
}
