package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/schema"
)

// Dialect is what a service calls otherwise than spec.md (gaps.md, Vendor words on the wire). Each
// table leads from our word to the service's; a * at the end of both stands for any rest, such as
// "SVC_*": "ACME_*". Words are replaced where the tables of the specification have them: the names
// of members, and values of enumerations. Texts that people wrote are never touched.
type Dialect struct {
	Headers      map[string]string `json:"headers,omitempty"`
	Members      map[string]string `json:"members,omitempty"`
	Values       map[string]string `json:"values,omitempty"`
	StatusMethod string            `json:"status_method,omitempty"` // POST, the default, or PATCH
}

// ParseDialect reads a dialect from JSON: an object with the members headers, members, values and
// status_method, each of which may be left out.
func ParseDialect(b []byte) (Dialect, error) {
	var d Dialect
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Dialect{}, fmt.Errorf("the dialect cannot be read: %w", err)
	}
	if dec.More() {
		return Dialect{}, errors.New("the dialect cannot be read: there is more after its end")
	}
	return d, d.Check()
}

// Check says what is wrong with the dialect: two of our words that become one, or a word that means
// something else in the specification, could not be told apart on the way back.
func (d Dialect) Check() error {
	_, err := newTranslator(d)
	return err
}

// Empty reports whether the dialect is spec.md's own.
func (d Dialect) Empty() bool {
	return len(d.Headers)+len(d.Members)+len(d.Values) == 0 && (d.StatusMethod == "" || d.StatusMethod == http.MethodPost)
}

// glossary is one table of a dialect, both ways.
type glossary struct {
	there, back map[string]string // whole words
	prefixes    []prefix          // longest of ours first
}

type prefix struct{ ours, theirs string }

func newGlossary(kind string, table map[string]string) (glossary, error) {
	g := glossary{there: map[string]string{}, back: map[string]string{}}
	for ours, theirs := range table {
		o, cut := strings.CutSuffix(ours, "*")
		t, cutToo := strings.CutSuffix(theirs, "*")
		switch {
		case cut != cutToo:
			return g, fmt.Errorf("dialect, %s: %q and %q must both end in *, or neither", kind, ours, theirs)
		case o == "" || t == "":
			return g, fmt.Errorf("dialect, %s: a word is empty", kind)
		case cut:
			g.prefixes = append(g.prefixes, prefix{o, t})
		case g.back[t] != "":
			return g, fmt.Errorf("dialect, %s: two words become %q, and could not be told apart on the way back", kind, t)
		default:
			g.there[o], g.back[t] = t, o
		}
	}
	sort.Slice(g.prefixes, func(i, j int) bool {
		a, b := g.prefixes[i], g.prefixes[j]
		return len(a.ours) > len(b.ours) || len(a.ours) == len(b.ours) && a.ours < b.ours
	})
	return g, nil
}

func (g glossary) empty() bool { return len(g.there) == 0 && len(g.prefixes) == 0 }

// theirs gives the service's word for one of ours; the word itself where it has no other.
func (g glossary) theirs(word string) string {
	if t, ok := g.there[word]; ok {
		return t
	}
	for _, p := range g.prefixes {
		if rest, ok := strings.CutPrefix(word, p.ours); ok {
			return p.theirs + rest
		}
	}
	return word
}

// ours gives our word for one of the service's, false where it is not known to be one.
func (g glossary) ours(word string) (string, bool) {
	if o, ok := g.back[word]; ok {
		return o, true
	}
	for _, p := range g.prefixes {
		if rest, ok := strings.CutPrefix(word, p.theirs); ok && g.theirs(p.ours+rest) == word {
			return p.ours + rest, true
		}
	}
	return "", false
}

// clash finds two of the specification's words that the glossary makes one.
func (g glossary) clash(kind string, words []string) error {
	from := map[string]string{}
	for _, w := range words {
		t := g.theirs(w)
		if other, taken := from[t]; taken && other != w {
			return fmt.Errorf("dialect, %s: %q and %q would both be %q, and could not be told apart on the way back", kind, w, other, t)
		}
		from[t] = w
	}
	return nil
}

// vocabulary gives the names of members, and the values of enumerations, of all tables.
func vocabulary() (members, values []string) {
	for _, table := range catalog.All() {
		for _, n := range table.Nodes() {
			if n.Name != "" {
				members = append(members, n.Name)
			}
			for _, o := range n.Options {
				if n.Kind == schema.String {
					values = append(values, o.Value)
				}
			}
		}
	}
	slices.Sort(members)
	slices.Sort(values)
	return slices.Compact(members), slices.Compact(values)
}
