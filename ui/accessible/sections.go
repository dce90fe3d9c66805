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

// row is one thing to ask of an object.
type row struct {
	schema.FieldState
	label string
	// unusedReason says that the value means nothing here, and why it is there all the same.
	unusedReason string
	customName bool // a person chose the name
	// flags are those that the row asks for as one choice; nil for any other row.
	flags *schema.FlagChoice
}

// sections asks what is at a place of the document: the fields of an object one by one, and what else the tables say
// that a place is edited with.
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

// open asks what is at p: the fields of an object, the entries of a list, or what else the tables say
// the place is edited with.
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

// walk asks the fields of the object at p one by one.
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

// chooseRow tells all fields and asks which to go to.
func (s *sections) chooseRow(ctx context.Context, rows []row) (int, error) {
	options := make([]option, len(rows))
	for i, r := range rows {
		options[i] = option{label: r.label, help: r.state()}
	}
	return s.chooseOption(ctx, "Go to", options, 0)
}

// state tells what a row holds.
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

// summarize tells how the object stands that was asked.
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

// goTo asks the field at p, or opens what is there; where no table knows the place, what is around it.
func (s *sections) goTo(ctx context.Context, p doc.Path) error {
	// A filter and a message are edited as a whole.
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

// followUp tells what follows from a place that was just asked: when the campaign goes out, how its links
// come out.
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

// maxListed is how many coming sends and links are told.
const maxListed = 5

// nextSends tells when the campaign goes out.
func (s *sections) nextSends() {
	at := s.deps.Now()
	sends := engine.NextSends(s.root, at, maxListed)
	if len(sends) == 0 {
		s.println("%s", sentence(engine.NoSends(s.root, at)))
		return
	}
	zone, _ := engine.Zone(s.root)
	for i, t := range sends {
		s.println("Send %d: %s %s, %s.", i+1, timeparse.Moment(t.In(zone), at.In(zone)), zone, timeparse.Until(t, at.In(zone)))
	}
}

// links tells how the campaign's links come out.
func (s *sections) links() {
	for _, l := range utm.Of(s.campaign.Channel, s.root, maxListed) {
		if l.Tagged != l.URL {
			s.println("The link %s becomes %s", l.URL, l.Tagged)
		}
	}
}
