package viewas

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// Step is a way to go from one user of the audience to another.
type Step uint8

// The steps.
const (
	Next Step = iota
	Previous
	Random
)

// walker goes through the users of a campaign's audience.
type walker struct {
	cfg Config
	// MissingFirst puts the users first for whom an expression has no value.
	MissingFirst bool
	Busy         bool

	walk walk
}

// walk is where a walker is, and what it was made for.
type walk struct {
	cursor       *resolve.Cursor
	prepared     *resolve.Campaign
	missingFirst bool
}

// newWalker returns a walker before the first user.
func newWalker(cfg Config) *walker { return &walker{cfg: cfg} }

// stepped is the result of a step.
type stepped struct {
	walk walk
	user engine.User
	ok   bool
}

// Step looks for another user, from the one that is shown if there is one. done takes the user that was found, or why
// there is none.
func (w *walker) Step(step Step, src Source, from *engine.User, done func(u *engine.User, why string) tea.Cmd) tea.Cmd {
	reader, ok := w.cfg.Audience()
	if !ok {
		return nil
	}
	w.Busy = true
	service, at, missingFirst := w.cfg.Service, w.walk, w.MissingFirst
	return screen.Go(w.cfg.Tasks, taskStep, func(ctx context.Context) (stepped, error) {
		out := stepped{walk: at}
		c, err := prepare(ctx, service, at.prepared, src)
		if err != nil {
			return out, err
		}
		if c != at.prepared || missingFirst != at.missingFirst {
			out.walk = walk{c.Cursor(reader, missingFirst), c, missingFirst}
		}
		begins := missingFirst && !at.missingFirst // with the first who lacks something
		if from != nil && !begins && out.walk.cursor.At() != from.ID {
			if err := out.walk.cursor.Seek(ctx, *from); err != nil {
				return out, err
			}
		}
		move := map[Step]func(context.Context) (engine.User, bool, error){
			Next: out.walk.cursor.Next, Previous: out.walk.cursor.Previous, Random: out.walk.cursor.Random,
		}[step]
		out.user, out.ok, err = move(ctx)
		return out, err
	}, func(out stepped, err error) tea.Cmd {
		w.Busy = false
		switch {
		case err != nil:
			return done(nil, phrase.Capitalize("cannot go through the audience: "+err.Error()))
		case out.ok:
			w.walk = out.walk
			return done(&out.user, "")
		case step == Next && out.walk.cursor.At() != "":
			return done(nil, "This is the last user in the audience.")
		case step == Previous && out.walk.cursor.At() != "":
			return done(nil, "This is the first user in the audience.")
		}
		return done(nil, "Nobody is in the audience.")
	})
}

// Cancel ends a step that is under way.
func (w *walker) Cancel() {
	w.Busy = false
	w.cfg.Tasks.Drop(taskStep)
}
