package edit

import (
	"context"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
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

	id string
}

// Apply returns a function that applies the pending edits by sending the changed components in one update.
// Components that only one side changed are merged in any case.
func (s *Session) Apply(side Resolution) func(context.Context) (ApplyResult, error) {
	head, origin, body, host := s.campaign.Head, s.origin, s.Body(), s.config
	uncompiled := s.uncompiled()
	return func(ctx context.Context) (ApplyResult, error) {
		if len(uncompiled) > 0 && head.Status != catalog.Draft { // it would be sent
			return ApplyResult{}, engine.Invalid(uncompiled)
		}
		now, err := host.Service.Get(ctx, head.ID)
		if err != nil {
			return ApplyResult{}, err
		}
		merged, both := Merge(origin, body, now.Body, side)
		if len(both) > 0 {
			return ApplyResult{Conflicts: both}, nil
		}
		changed, removed := engine.ChangedComponents(now.Body, merged)
		done := ApplyResult{id: head.ID, Removed: removed}
		if len(changed) == 0 {
			return done, nil
		}
		up, err := host.Service.Update(ctx, engine.UpdateRequest{
			Call: engine.NewCall(), ID: head.ID, Body: engine.UpdateBody(head, host.Author, changed...),
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

// FinishApply switches to the campaign with the applied edits, which the caller must load. It returns a
// function that deletes the working copy.
func (s *Session) FinishApply(done ApplyResult) (drop func(context.Context) error) {
	drop = s.DiscardPending()
	s.id = done.id
	return drop
}

// DiscardPending discards the unapplied edits. It returns a function that deletes their working copy; the
// caller loads the campaign afterwards.
func (s *Session) DiscardPending() func(context.Context) error {
	s.DiscardUnsaved()
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
