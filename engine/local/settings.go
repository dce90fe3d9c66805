package local

import (
	"context"
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
)

// Settings gives the settings as [Service.Workspace] does, but shared with all who ask: nothing in them
// may be changed. As long as they are the same, they are not decoded again, and as long as the service has
// changed none of them and is not closed, they are not read again.
func (s *Service) Settings(ctx context.Context) (engine.Workspace, error) {
	updates := s.updates.Load() // before they are read: what changes them meanwhile makes them old
	if now := s.settled.Load(); now != nil && now.updates == updates && s.rows.ctx.Err() == nil {
		return now.Workspace, ctx.Err()
	}
	var out engine.Workspace
	err := s.view(ctx, func(sp store.Space) error {
		var err error
		out, err = s.sharedSettings(sp)
		return err
	})
	if err == nil {
		s.settled.Store(&settled{out, updates})
	}
	return out, err
}

// settled are the settings as they were after so many updates of them.
type settled struct {
	engine.Workspace
	updates int64
}

// sharedSettings gives the settings as the transaction sees them. Nothing in them may be changed.
func (s *Service) sharedSettings(sp store.Space) (engine.Workspace, error) {
	before := s.known.Load()
	now, err := sp.SettingsOr(before)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return engine.Workspace{}, missing("there is no workspace %q in this store", s.workspace)
	case err != nil:
		return engine.Workspace{}, fmt.Errorf("reading the workspace: %w", err)
	case now != before:
		s.known.Store(now)
	}
	return now.Workspace, nil
}
