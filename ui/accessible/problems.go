package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/engine/utm"
)

// validate checks the campaign as publishing would, and goes to the fields that are wrong.
func (w *work) validate(ctx context.Context) error {
	problems, err := w.allProblems(ctx)
	if err != nil {
		return w.failed(ctx, "Cannot check the campaign", err)
	}
	if len(problems) == 0 {
		w.say("Valid: this campaign can be published.")
		return nil
	}
	return w.choose(ctx, menu{
		head: func() []string { return []string{problemHead(problems)} },
		items: func() []item {
			var out []item
			for _, pr := range problems {
				out = append(out, item{label: w.problemLine(pr), run: func(ctx context.Context) error {
					if err := w.goTo(ctx, pr.Path); err != nil {
						return err
					}
					if problems, err = w.allProblems(ctx); err != nil {
						return w.failed(ctx, "Cannot check the campaign again", err)
					}
					if len(schema.Errors(problems)) == 0 {
						w.say("Valid: this campaign can be published.")
						return errLeave
					}
					return nil
				}})
			}
			return out
		},
		help:  func() []string { return []string{"Type the number of a problem to go to its field."} },
		leave: true, full: true,
	})
}

// allProblems asks the service, and adds the notices that only the tables give.
func (w *work) allProblems(ctx context.Context) ([]schema.Problem, error) {
	if w.pending {
		return w.problems, nil
	}
	v, err := w.deps.Service.Validate(ctx, w.campaign.ID)
	return v.Problems, err
}

func problemHead(problems []schema.Problem) string {
	bad := len(schema.Errors(problems))
	notes := len(problems) - bad
	switch {
	case bad == 0:
		return "Valid: this campaign can be published. " + phrase.Count(notes, "notice") + ", which do not block publishing."
	case notes > 0:
		return fmt.Sprintf("Not valid yet: %s, and %s.", phrase.Count(bad, "problem"), phrase.Count(notes, "notice"))
	}
	return fmt.Sprintf("Not valid yet: %s.", phrase.Count(bad, "problem"))
}

func (w *work) problemLine(pr schema.Problem) string {
	text := trail(w.schema, pr.Path) + ": " + strings.TrimSuffix(pr.Words(), ".")
	if pr.Severity == schema.Notice {
		text = "Notice. " + text
	}
	return text
}

// goTo asks the field at p, or opens what is there; where no table knows the place, what is around it.
func (w *work) goTo(ctx context.Context, p doc.Path) error {
	// A filter and a message are edited as a whole.
	for n := 1; n < len(p); n++ {
		if node := w.schema.At(p[:n]); node != nil && node.Editor == schema.EditorFilters {
			return w.open(ctx, p[:n])
		}
	}
	for len(p) > 1 && w.schema.At(p) == nil && !w.root.Lookup(p).Exists() {
		p = p.Parent()
	}
	if len(p) == 0 {
		w.say("This is about the whole campaign.")
		return nil
	}
	return w.pass(ctx, p)
}

// told is how many coming sends and links are told.
const told = 5

// nextSends tells when the campaign goes out.
func (w *work) nextSends() {
	at := w.deps.Now()
	sends := engine.NextSends(w.root, at, told)
	if len(sends) == 0 {
		w.say("%s", sentence(engine.NoSends(w.root, at)))
		return
	}
	zone, _ := engine.Zone(w.root)
	for i, t := range sends {
		w.say("Send %d: %s %s, %s.", i+1, timeparse.Moment(t.In(zone), at.In(zone)), zone, timeparse.Until(t, at.In(zone)))
	}
}

// links tells how the campaign's links come out.
func (w *work) links() {
	for _, l := range utm.Of(w.campaign.Channel, w.root, told) {
		if l.Tagged != l.URL {
			w.say("The link %s becomes %s", l.URL, l.Tagged)
		}
	}
}

// failed tells an error of the service, with the problems that the tables found in the words of the
// forms; an ended ctx ends all.
func (w *work) failed(ctx context.Context, what string, err error) error {
	if e := engine.AsError(err); e != nil && len(e.Problems) == 1 && ctx.Err() == nil { // the sentence says the same
		w.say("%s. %s", what, sentence(w.problemLine(e.Problems[0])))
		return nil
	}
	if ended := w.session.failed(ctx, what, err); ended != nil {
		return ended
	}
	if e := engine.AsError(err); e != nil {
		for _, pr := range e.Problems {
			w.say("%s", sentence(w.problemLine(pr)))
		}
	}
	return nil
}
