package local

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"bugle/engine"
	"bugle/engine/message/delivery/secret"
	"bugle/store"
)

// settings caches the decoded settings of the workspace for readers.
type settings struct {
	*writer
	tasks   *tasks
	follow  *follower
	trust   secret.Trust
	decoded atomic.Pointer[store.CachedSettings]
	cached  atomic.Pointer[cachedSettings]
}

// Workspace returns the settings.
func (s *settings) Workspace(ctx context.Context) (engine.Workspace, error) {
	var out engine.Workspace
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		out, err = s.settings(sp)
		return err
	})
	return out, err
}

// UpdateWorkspace applies change to the settings in one transaction. It may call change again after a
// concurrent change. What it sets as the keys of gateways may be used on this machine.
func (s *settings) UpdateWorkspace(ctx context.Context, change func(*engine.Workspace) error) error {
	var refused error
	var set []engine.Gateway
	err := s.update(ctx, func(sp store.WorkspaceTx) error {
		w, err := s.settings(sp)
		if err != nil {
			return err
		}
		before := slices.Clone(w.Gateways)
		if refused = change(&w); refused != nil {
			return refused
		}
		if w.ID != s.workspace {
			return refuse("id", "the ID of a workspace cannot be changed")
		}
		if err := checkWorkspace(w); err != nil {
			return err
		}
		set = slices.DeleteFunc(slices.Clone(w.Gateways), func(g engine.Gateway) bool {
			return slices.ContainsFunc(before, func(b engine.Gateway) bool { return secret.Same(b, g) })
		})
		return sp.PutSettings(w)
	})
	if refused != nil {
		return refused
	}
	if err != nil {
		return err
	}
	for _, g := range set {
		if err := s.trust.Allow(s.workspace, g); err != nil {
			return fmt.Errorf("the settings are saved, but the key of the push gateway %s is not allowed on this machine: %w", g.Provider, err)
		}
	}
	return nil
}

// NoteKeyUse implements [engine.KeyUser].
func (s *settings) NoteKeyUse(ctx context.Context, id string, at time.Time) error {
	return s.update(ctx, func(sp store.WorkspaceTx) error {
		w, err := s.settings(sp)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(w.Keys, func(k engine.APIKey) bool { return k.ID == id })
		if i < 0 || at.Sub(w.Keys[i].UsedAt) < engine.KeyUseInterval {
			return nil
		}
		w.Keys = slices.Clone(w.Keys)
		w.Keys[i].UsedAt = at.UTC()
		return sp.PutSettings(w)
	})
}

// Settings returns the settings like [Service.Workspace], but shared by all callers, who must not change
// them. Unchanged settings are not decoded again, and not read again unless this service changed them or is
// closed.
func (s *settings) Settings(ctx context.Context) (engine.Workspace, error) {
	updates := s.settingsChanges.Load() // before they are read: what changes them meanwhile makes them old
	if now := s.cached.Load(); now != nil && now.updates == updates && s.follow.current(now.at) && s.tasks.ctx.Err() == nil {
		return now.Workspace, ctx.Err()
	}
	var out engine.Workspace
	at := time.Now()
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		out, err = s.shared(sp)
		return err
	})
	if err == nil {
		s.cached.Store(&cachedSettings{out, updates, at})
	}
	return out, err
}

// cachedSettings are the settings after a number of updates.
type cachedSettings struct {
	engine.Workspace
	updates int64
	at      time.Time // when they were read
}

// shared returns the settings as of the transaction, which must not be changed.
func (s *settings) shared(sp store.WorkspaceTx) (engine.Workspace, error) {
	before := s.decoded.Load()
	now, err := sp.SettingsIfChanged(before)
	switch {
	case err != nil:
		return engine.Workspace{}, s.noSettings(err)
	case now != before:
		s.decoded.Store(now)
	}
	return now.Workspace, nil
}
