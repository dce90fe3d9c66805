package edit

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Resolution says which version of a component to keep if both sides changed it.
type Resolution uint8

// The resolutions. Ask changes nothing and returns the conflicts.
const (
	Ask Resolution = iota
	Mine
	Theirs
)

// ApplyResult is the result of [Session.Apply].
type ApplyResult struct {
	// Conflicts lists the components that both sides changed. If it is not empty, nothing was applied.
	Conflicts []string
	// Removed lists components that the edits removed; an update cannot remove them.
	Removed []string

	id   string
	body doc.Value // with the edits
}

// Review is what the question before [Session.Apply] is about.
type Review struct {
	current engine.Campaign
	reach   audience.Reach
}

// Review returns a function that reads the current campaign, and estimates how many people it reaches with the pending
// edits. Pass its result to [Session.FinishReview].
func (s *Session) Review() func(context.Context) (Review, error) {
	id, origin, body, host := s.id, s.origin, s.Body(), s.config
	return func(ctx context.Context) (Review, error) {
		now, err := host.Service.Get(ctx, id)
		if err != nil || now.Status == catalog.Draft {
			return Review{current: now}, err
		}
		merged, _ := Merge(origin, body, now.Body, Mine)
		return Review{now, audience.EstimateReach(ctx, host.Service, now.With(merged))}, nil
	}
}

// FinishReview puts the pending edits on top of the current campaign. It returns the errors that must be fixed before the
// edits can be applied or, without any, the question to ask first. Edits of a draft need neither.
func (s *Session) FinishReview(r Review) (question string, problems []schema.Problem) {
	s.RebaseOnto(r.current)
	changes := len(doc.Diff(engine.DocumentBody(r.current.Body), s.Body()))
	if r.current.Status == catalog.Draft || changes == 0 {
		return "", nil
	}
	if problems = schema.Errors(s.ChangeProblems()); len(problems) > 0 {
		return "", problems
	}
	return Question(changes, r.current.Status, r.reach), nil
}

// Question returns the question to ask before changes are applied to a campaign that is not a draft.
func Question(changes int, status engine.State, reach audience.Reach) string {
	state := strings.ToLower(status.Label())
	article := "a"
	if strings.ContainsAny(state[:min(len(state), 1)], "aeiou") {
		article = "an"
	}
	return fmt.Sprintf("Apply %s to %s %s campaign that reaches %s?", phrase.Count(changes, "change"), article, state, reach)
}

// ChangeProblems returns the [engine.Campaign.ChangeProblems] of the campaign with the edits, and all problems of a draft.
func (s *Session) ChangeProblems() []schema.Problem {
	if s.campaign.Status == catalog.Draft {
		return s.problems
	}
	return s.compiling.withReasons(s.root, s.Campaign().ChangeProblems(s.Env()))
}

// Apply returns a function that applies the pending edits by sending the changed components in one update.
// Components that only one side changed are merged in any case. Unless the campaign is a draft, what would be sent is
// checked as publishing would check it.
func (s *Session) Apply(side Resolution) func(context.Context) (ApplyResult, error) {
	head, origin, body, host, env := s.campaign.Head, s.origin, s.Body(), s.config, s.Env()
	compiled := s.compiling
	return func(ctx context.Context) (ApplyResult, error) {
		now, err := host.Service.Get(ctx, head.ID)
		if err != nil {
			return ApplyResult{}, err
		}
		if now.Status != head.Status { // the question was about another state, or there was none
			return ApplyResult{}, engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign is %s now; check your changes and apply them again", strings.ToLower(now.Status.Label()))
		}
		merged, both := Merge(origin, body, now.Body, side)
		if len(both) > 0 {
			return ApplyResult{Conflicts: both}, nil
		}
		changed, removed := engine.ChangedComponents(now.Body, merged)
		done := ApplyResult{id: head.ID, Removed: removed, body: body}
		if len(changed) == 0 {
			return done, nil
		}
		if env.Record.Exists() {
			env.Record = now.Document()
		}
		after := now.With(merged)
		if err := engine.Invalid(compiled.withReasons(after.Document(), after.ChangeProblems(env))); err != nil {
			return ApplyResult{}, err
		}
		up, err := host.Service.Update(ctx, engine.UpdateRequest{
			Call: engine.NewCall(), ID: head.ID, Body: engine.UpdateBody(head, host.Author, changed...), IfMatch: now.Tag(),
		})
		done.id = up.ID
		return done, err
	}
}

// Merge applies edits on top of a concurrent change: origin is the body that the edits started from, mine the edited
// body, and theirs the current one. Components that only one side changed are taken from that side. Of those that both
// changed, side decides; if it is Ask, they are returned as conflicts, and nothing is merged.
func Merge(origin, mine, theirs doc.Value, side Resolution) (merged doc.Value, conflicts []string) {
	merged, both := engine.Rebase(origin, mine, theirs)
	switch {
	case len(both) > 0 && side == Ask:
		return doc.Value{}, both
	case side == Theirs:
		merged = withTheirs(merged, theirs, both)
	}
	return merged, nil
}

// withTheirs returns the merged body with the current version of the named components.
func withTheirs(merged, now doc.Value, names []string) doc.Value {
	for _, name := range names {
		p := doc.P(name)
		merged = merged.Delete(p)
		if v := now.Get(name); v.Exists() {
			if out, err := merged.Set(p, v); err == nil {
				merged = out
			}
		}
	}
	return merged
}

// FinishApply switches to the campaign with the applied edits, which the caller must load. Edits that were made in the
// meantime stay pending; the caller saves them after [Session.RebaseOnto]. It returns a function that deletes the working
// copy of the applied ones.
func (s *Session) FinishApply(done ApplyResult) (drop func(context.Context) error) {
	if doc.Equal(s.Body(), done.body) {
		drop = s.DiscardPending()
	} else {
		drop = s.deleteCopy()
		s.origin, s.pending, s.saving.dirty = done.body, true, true // their copy goes with that of the applied ones
	}
	s.rules.History.rename(s.id, done.id)
	s.id, s.rules.ID = done.id, done.id
	return drop
}

// DiscardPending discards the unapplied edits. It returns a function that deletes their working copy; the
// caller loads the campaign afterwards.
func (s *Session) DiscardPending() func(context.Context) error {
	s.DiscardUnsaved()
	return s.deleteCopy()
}

// deleteCopy returns a function that deletes the working copy.
func (s *Session) deleteCopy() func(context.Context) error {
	copies, id := s.config.WorkingCopies, s.id
	return func(ctx context.Context) error {
		if copies == nil {
			return nil
		}
		ctx, cancel := detach(ctx)
		defer cancel()
		return copies.DeleteWorkingCopy(ctx, id)
	}
}
