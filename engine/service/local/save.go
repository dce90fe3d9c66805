package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/store"
)

// Save stores the body of a draft as it is, valid or not.
func (s *Service) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	if err := checkBody(r.Body); err != nil {
		return engine.Head{}, err
	}
	for name := range r.Body.Members() {
		if engine.IsHeadField(name) {
			e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "%s is not a component; leave it out", name)
			e.Target = name
			return engine.Head{}, e
		}
	}
	var out engine.Head
	err := s.update(ctx, func(sp store.WorkspaceTx) error {
		c, err := s.campaign(sp, r.ID)
		if err != nil {
			return err
		}
		if err := checkSave(c, r); err != nil {
			return err
		}
		c.Body = r.Body
		note := r.Note
		if note == "" {
			note = "edited"
		}
		if err := s.put(sp, &c, r.By, note, r.Coalesce); err != nil {
			return err
		}
		out = c.Head
		return nil
	})
	return out, err
}

func checkSave(c engine.Campaign, r engine.SaveRequest) error {
	switch {
	case c.Status != catalog.Draft:
		e := engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign is %s and no longer a draft; use an update to change it", c.Status)
		e.Target = mStatus
		return e
	case !c.Channel.Writable():
		return refuse(mChannel, "%s campaigns can be read here, not changed", c.Channel.Label())
	case c.Revision != r.Revision:
		return engine.Stale(c.Head)
	}
	return nil
}

// PutWorkingCopy stores unapplied edits.
func (s *Service) PutWorkingCopy(ctx context.Context, id string, w engine.WorkingCopy) error {
	if err := checkBody(w.Body); err != nil {
		return err
	}
	return s.update(ctx, func(sp store.WorkspaceTx) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		if w.At.IsZero() {
			w.At = s.now()
		}
		return sp.PutWorkingCopy(id, w)
	})
}

// WorkingCopy returns the stored edits, or false if there are none.
func (s *Service) WorkingCopy(ctx context.Context, id string) (w engine.WorkingCopy, ok bool, err error) {
	err = s.view(ctx, func(sp store.WorkspaceTx) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		got, err := sp.WorkingCopy(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		w, ok = got, err == nil
		return err
	})
	return w, ok, err
}

// DeleteWorkingCopy deletes the stored edits, if any.
func (s *Service) DeleteWorkingCopy(ctx context.Context, id string) error {
	return s.update(ctx, func(sp store.WorkspaceTx) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		return sp.DeleteWorkingCopy(id)
	})
}

// Revisions returns the saves of a campaign (number, time, author, note), newest first.
func (s *Service) Revisions(ctx context.Context, id string) ([]engine.Revision, error) {
	var out []engine.Revision
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		out, err = history(sp, id)
		return err
	})
	return out, err
}

// Revision returns a campaign as of a save, with its state at that time.
func (s *Service) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	var out engine.Campaign
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		if _, err := history(sp, id); err != nil {
			return err
		}
		c, err := sp.Revision(id, n)
		if errors.Is(err, store.ErrNotFound) {
			return missing("the campaign %q has no revision %d", id, n)
		}
		out = c
		return err
	})
	return out, err
}

// history returns the revisions of a campaign. It does not read the campaign itself, so that a damaged one
// can be recovered.
func history(sp store.WorkspaceTx, id string) ([]engine.Revision, error) {
	if id == "" || len(id) > maxID {
		return nil, engine.MissingCampaign(id)
	}
	out, err := sp.Revisions(id)
	if err != nil {
		return nil, fmt.Errorf("reading the history of campaign %s: %w", id, err)
	}
	if len(out) == 0 {
		return nil, engine.MissingCampaign(id)
	}
	return out, nil
}

// Archive archives a campaign that has ended.
func (s *Service) Archive(ctx context.Context, id, by string) error {
	return s.move(ctx, id, by, catalog.Archive, "archived", func(_ store.WorkspaceTx, c engine.Campaign) (engine.State, error) {
		return catalog.Next(catalog.Archive, c.Status, false), nil
	})
}

// Restore restores an archived campaign to its earlier state: SENT or STOPPED.
func (s *Service) Restore(ctx context.Context, id, by string) error {
	return s.move(ctx, id, by, catalog.Restore, "restored", s.beforeArchive)
}

func (s *Service) move(ctx context.Context, id, by string, a engine.Action, note string, next func(store.WorkspaceTx, engine.Campaign) (engine.State, error)) error {
	return s.update(ctx, func(sp store.WorkspaceTx) error {
		c, err := s.campaign(sp, id)
		if err != nil {
			return err
		}
		if err := allow(a, c); err != nil {
			return err
		}
		if c.Status, err = next(sp, c); err != nil {
			return err
		}
		return s.put(sp, &c, by, note, false)
	})
}

func allow(a engine.Action, c engine.Campaign) error {
	if ok, why := catalog.Allowed(a, c.Channel, c.DeliveryType, c.Status); !ok {
		e := engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "%s", why)
		e.Target = mStatus
		return e
	}
	return nil
}

// beforeArchive returns the campaign's state before it was archived, from its history. One that was imported
// as archived was SENT if it has a sent time.
func (s *Service) beforeArchive(sp store.WorkspaceTx, c engine.Campaign) (engine.State, error) {
	revisions, err := history(sp, c.ID)
	if err != nil {
		return "", err
	}
	for _, r := range revisions {
		old, err := sp.Revision(c.ID, r.N)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("reading the history of campaign %s: %w", c.ID, err)
		}
		if old.Status != catalog.Archived {
			return engine.StateAt(engine.Summarize(old), s.now()), nil
		}
	}
	if !c.SentTime.IsZero() {
		return catalog.Sent, nil
	}
	return catalog.Next(catalog.Restore, c.Status, false), nil
}

// Delete deletes a draft permanently, in one transaction.
func (s *Service) Delete(ctx context.Context, id string) error {
	return s.update(ctx, func(sp store.WorkspaceTx) error {
		c, err := s.campaign(sp, id)
		if err != nil {
			return err
		}
		if err := allow(catalog.Delete, c); err != nil {
			return err
		}
		return sp.DeleteCampaign(id)
	})
}

// Clone creates a draft with the components of another campaign and a name derived from it.
func (s *Service) Clone(ctx context.Context, id, by string) (engine.Created, error) {
	var out engine.Created
	err := s.update(ctx, func(sp store.WorkspaceTx) error {
		w, err := s.shared(sp)
		if err != nil {
			return err
		}
		c, err := s.campaign(sp, id)
		if err != nil {
			return err
		}
		if !c.Channel.Writable() {
			return refuse(mChannel, "%s campaigns can be read here, not cloned", c.Channel.Label())
		}
		clone := s.newDraft(w, c.Document())
		if by != "" {
			clone.CreatedBy = by
		}
		if clone.Body, err = renamed(c.Body); err != nil {
			return internal(err, "cannot set the name of the clone: %v", err)
		}
		if err := s.put(sp, &clone, by, "cloned from "+id, false); err != nil {
			return err
		}
		out = engine.Created{ID: clone.ID, Status: clone.Status}
		return nil
	})
	return out, err
}

// renamed returns a body whose campaign name marks a copy, or body if it has no name.
func renamed(body doc.Value) (doc.Value, error) {
	path := doc.P(string(catalog.BasicDetails), "name")
	name := body.Lookup(path)
	if name.Kind() != doc.String {
		return body, nil
	}
	return body.Set(path, doc.NewString(name.Text()+" (copy)"))
}
