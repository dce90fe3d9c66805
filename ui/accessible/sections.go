package accessible

import (
	"context"
	"errors"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/utm"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// row is one question about an object.
type row struct {
	schema.FieldState
	label string
	// unusedReason explains why a value is kept that is not used.
	unusedReason string
	customName   bool // the user chose the name
	// flags are the fields that the row asks for as one choice; nil for any other row.
	flags *schema.FlagChoice
}

// sections asks for a place of the document: the fields of an object one by one, or with the special editor
// that the schema names.
type sections struct {
	*fields
	entries  entries
	filters  filters
	messages messages
}

func newSections(d *document) *sections {
	f := &fields{document: d}
	s := &sections{fields: f, entries: entries{f}, filters: filters{f}, messages: messages{f}}
	f.open = s.open
	return s
}

// open asks for the place p: the fields of an object, the entries of a list, or with the special editor that
// the schema names.
func (s *sections) open(ctx context.Context, p doc.Path) error {
	n := s.schema.At(p)
	v := s.root.Lookup(p)
	switch {
	case n == nil:
		return s.field(ctx, row{FieldState: schema.FieldState{Path: p, Value: v}, label: placeName(s.schema, p)}, 0, 0)
	case v.Exists() && (n.Kind == schema.List) != (v.Kind() == doc.Array):
		return s.field(ctx, s.rowAt(p), 0, 0)
	case n.Editor == schema.EditorFilters:
		return s.filters.edit(ctx, p)
	case n.Editor == schema.EditorContent:
		return s.messages.edit(ctx, p)
	case n.Kind == schema.List, n.Kind == schema.Map:
		return s.entries.edit(ctx, p)
	}
	return s.walk(ctx, p)
}

// walk asks for the fields of the object at p one by one.
func (s *sections) walk(ctx context.Context, p doc.Path) error {
	rows := s.rows(p)
	title := placeName(s.schema, p)
	s.println("%s. %s. Press Enter to keep a value and continue. Type list to hear all questions, or back to go back.", title, phrase.Count(len(rows), "question"))
	if why := s.edits.LockedAt(p); why != "" {
		s.println("%s", why)
	}
	asked := map[string]bool{}
	for {
		rows = s.rows(p)
		i := 0
		for i < len(rows) && asked[rows[i].Path.String()] {
			i++
		}
		if i == len(rows) {
			break
		}
		err := s.field(ctx, rows[i], i+1, len(rows))
		asked[rows[i].Path.String()] = true
		switch {
		case errors.Is(err, errList):
			to, err := s.chooseRow(ctx, rows)
			if err != nil {
				return err
			}
			for j := range rows {
				asked[rows[j].Path.String()] = j < to
			}
		case err != nil:
			return err
		}
	}
	if n := s.schema.At(p); n != nil && n.Kind == schema.Object && n.Element != nil && s.edits.LockedAt(p) == "" {
		if err := s.entries.addMember(ctx, p, n.Element); err != nil {
			return err
		}
	}
	return s.summarize(p, title)
}

// chooseRow lists all fields and asks which one to go to.
func (s *sections) chooseRow(ctx context.Context, rows []row) (int, error) {
	options := make([]option, len(rows))
	for i, r := range rows {
		options[i] = option{label: r.label, help: r.state()}
	}
	return s.chooseOption(ctx, "Go to", options, 0)
}

// state describes the value of a row.
func (r row) state() string {
	text := valueText(r.FieldState)
	if r.Required {
		text = "required, " + text
	}
	if r.unusedReason != "" {
		text += ", " + r.unusedReason
	}
	return text
}

// summarize prints the state of an object after its questions.
func (s *sections) summarize(p doc.Path, title string) error {
	var here []string
	for _, pr := range s.errorsAt(p) {
		here = append(here, s.problemText(pr, p))
	}
	if len(here) == 0 {
		s.println("End of %s. Nothing is invalid or missing here.", title)
	} else {
		s.println("End of %s. Still to do: %s.", title, phrase.Count(len(here), "problem"))
		for _, l := range here {
			s.println("%s", l)
		}
	}
	s.followUp(p)
	return nil
}

func errorsIn(problems []schema.Problem, p doc.Path) []schema.Problem {
	var out []schema.Problem
	for _, pr := range schema.Errors(problems) {
		if pr.Path.HasPrefix(p) {
			out = append(out, pr)
		}
	}
	return out
}

// goTo asks for the field at p, or opens the place; if it is not in the schema, the one around it.
func (s *sections) goTo(ctx context.Context, p doc.Path) error {
	// Filters and messages are edited as a whole.
	for n := 1; n < len(p); n++ {
		if node := s.schema.At(p[:n]); node != nil && node.Editor == schema.EditorFilters {
			return s.open(ctx, p[:n])
		}
	}
	for len(p) > 1 && s.schema.At(p) == nil && !s.root.Lookup(p).Exists() {
		p = p.Parent()
	}
	if len(p) == 0 {
		s.println("This is about the whole campaign.")
		return nil
	}
	return s.openOrAsk(ctx, p)
}

// followUp prints what depends on a place that was just edited: when the campaign sends, what its links look
// like.
func (s *sections) followUp(p doc.Path) {
	n := s.schema.At(p)
	if n == nil {
		return
	}
	switch n.Editor {
	case schema.EditorSchedule:
		s.nextSends()
	case schema.EditorLinks:
		s.links()
	}
}

// maxListed is how many sends and links are listed.
const maxListed = 5

// nextSends prints when the campaign sends.
func (s *sections) nextSends() {
	at := s.deps.Now()
	sends := engine.NextSends(s.root, at, maxListed)
	if len(sends) == 0 {
		s.println("%s", phrase.Sentence(engine.NoSendsReason(s.root, at)))
		return
	}
	zone, _ := engine.TimeZone(s.root)
	for i, t := range sends {
		s.println("Send %d: %s %s, %s.", i+1, timeparse.Moment(t.In(zone), at.In(zone)), zone, timeparse.Until(t, at.In(zone)))
	}
}

// links prints what the campaign's links look like.
func (s *sections) links() {
	for _, l := range utm.Links(s.campaign.Channel, s.root, maxListed) {
		if l.Tagged != l.URL {
			s.println("The link %s becomes %s", l.URL, l.Tagged)
		}
	}
}
