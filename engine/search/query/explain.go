package query

import (
	"fmt"
	"strings"

	"bugle/engine/phrase"
)

// Explain describes the query in one line without a period, such as "Draft or Active campaigns, tagged sale,
// with “summer”, by name".
func (q Query) Explain() string {
	var what, clauses []string
	archived, kind := " except archived", "campaigns"
	for _, t := range q.Filters() {
		if !t.Not && (t.Key == Status || t.Key == Is) {
			archived = ""
		}
		switch said := t.explain(); {
		case t.Key == Is && !t.Not && said == archivedOnly:
			kind = archivedOnly
		case t.Key == Status && !t.Not:
			what = append(what, said)
		default:
			clauses = append(clauses, said)
		}
	}
	for _, w := range q.Words() {
		clauses = append(clauses, w.explain())
	}
	subject := "All " + kind + archived
	if len(what) > 0 {
		subject = strings.Join(what, " or ") + " " + kind
	} else if len(clauses) > 0 {
		subject = phrase.Capitalize(kind) + archived
	}
	if c, desc := q.Order(); c != "" {
		order := "by " + columnLabel(c)
		if desc {
			order += ", descending"
		}
		clauses = append(clauses, order)
	}
	return strings.Join(append([]string{subject}, clauses...), ", ")
}

func (w Word) explain() string {
	with := "with “" + w.Text + "”"
	if w.Exact {
		with = "with exactly “" + w.Text + "”"
	}
	if w.Not {
		return strings.Replace(with, "with", "without", 1)
	}
	return with
}

// archivedOnly describes is:archived.
const archivedOnly = "archived campaigns"

// prefixes describe a term of each keyword.
var prefixes = map[Key][2]string{
	Status: {"", "not "}, Channel: {"on ", "not on "}, Type: {"of type ", "not of type "},
	Tag: {"tagged ", "not tagged "}, By: {"by ", "not by "}, Team: {"of team ", "not of team "},
	Platform: {"for ", "not for "}, Version: {"version ", "not version "}, ID: {"with the id ", "without the id "},
	Updated: {"changed ", "not changed "}, Created: {"created ", "not created "}, Start: {"starting ", "not starting "},
	Is: {"", "without "},
}

func (t Term) explain() string {
	lead := prefixes[t.Key][0]
	if t.Not {
		lead = prefixes[t.Key][1]
	}
	w := findKeyword(t.Key)
	said := make([]string, len(t.Values))
	for i, v := range t.Values {
		switch w.kind {
		case ofTime:
			s, _ := parseSpan(v.Text)
			said[i] = s.words()
		case ofList:
			said[i] = w.label(v.Text)
		default:
			said[i] = v.Text
		}
	}
	return fmt.Sprint(lead, strings.Join(said, " or "))
}
