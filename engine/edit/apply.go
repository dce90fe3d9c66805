package edit

import (
	"context"

	"bugle/engine"
	"bugle/engine/doc"
)

// Resolution says whose components count where both sides changed one.
type Resolution uint8

// The sides. Ask changes nothing and names what both changed.
const (
	Ask Resolution = iota
	Mine
	Theirs
)

// ApplyResult is the outcome of an apply.
type ApplyResult struct {
	// Conflicts names the components that both sides changed, where nothing was applied for it.
	Conflicts []string
	// Removed names the components that are gone in the edits; an update cannot take them away.
	Removed []string

	id string
}

// Apply returns what sends the edits that wait, the changed components in one update. What only one side changed is
// kept in any case.
func (s *Session) Apply(side Resolution) func(context.Context) (ApplyResult, error) {
	head, origin, body, host := s.campaign.Head, s.origin, s.Body(), s.config
	return func(ctx context.Context) (ApplyResult, error) {
		now, err := host.Service.Get(ctx, head.ID)
		if err != nil {
			return ApplyResult{}, err
		}
		merged, both := engine.Rebase(origin, body, now.Body)
		if len(both) > 0 && side == Ask {
			return ApplyResult{Conflicts: both}, nil
		}
		if side == Theirs {
			merged = withTheirs(merged, now.Body, both)
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

// withTheirs returns the merged body with the named components as they are now.
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

// FinishApply goes on with the campaign that holds the applied edits, which is to be loaded. It returns what
// drops the working copy.
func (s *Session) FinishApply(done ApplyResult) (drop func(context.Context) error) {
	drop = s.DiscardPending()
	s.id = done.id
	return drop
}

// DiscardPending discards the edits that are not applied. The function it returns deletes their working copy; the caller loads
// the campaign again after that.
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
