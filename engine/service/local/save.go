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
	err := s.update(ctx, func(sp store.Space) error {
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
		return staleRevision("draft", c, r.Revision)
	}
	return nil
}

// staleRevision is the refusal of a change that was made from an earlier revision.
func staleRevision(what string, c engine.Campaign, from int64) error {
	e := engine.Errorf(engine.BadRequest, http.StatusConflict, "someone else has changed this %s in the meantime (revision %d, yours was %d); load it again and repeat your change", what, c.Revision, from)
	e.Target = "revision"
	return e
}

// PutWorkingCopy keeps edits that are not applied yet.
func (s *Service) PutWorkingCopy(ctx context.Context, id string, w engine.WorkingCopy) error {
	if err := checkBody(w.Body); err != nil {
		return err
	}
	return s.update(ctx, func(sp store.Space) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		if w.At.IsZero() {
			w.At = s.now()
		}
		return sp.PutCopy(id, w)
	})
}

// WorkingCopy returns the kept edits; false where there are none.
func (s *Service) WorkingCopy(ctx context.Context, id string) (w engine.WorkingCopy, ok bool, err error) {
	err = s.view(ctx, func(sp store.Space) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		got, err := sp.Copy(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		w, ok = got, err == nil
		return err
	})
	return w, ok, err
}

// DeleteWorkingCopy forgets the kept edits; dropping none is no error.
func (s *Service) DeleteWorkingCopy(ctx context.Context, id string) error {
	return s.update(ctx, func(sp store.Space) error {
		if _, err := s.campaign(sp, id); err != nil {
			return err
		}
		return sp.DeleteCopy(id)
	})
}

// Revisions returns the saves of a campaign (number, time, author, note), newest first.
func (s *Service) Revisions(ctx context.Context, id string) ([]engine.Revision, error) {
	var out []engine.Revision
	err := s.view(ctx, func(sp store.Space) error {
		var err error
		out, err = history(sp, id)
		return err
	})
	return out, err
}

// Revision returns a campaign as a save left it, its state as it was stored then.
func (s *Service) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	var out engine.Campaign
	err := s.view(ctx, func(sp store.Space) error {
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

// history returns the revisions of a campaign. It does not read the campaign itself: where that is
// damaged, the history is the way back.
func history(sp store.Space, id string) ([]engine.Revision, error) {
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

// Archive puts a campaign that has ended out of sight.
func (s *Service) Archive(ctx context.Context, id, by string) error {
	return s.move(ctx, id, by, catalog.Archive, "archived", func(_ store.Space, c engine.Campaign) (engine.State, error) {
		return catalog.Next(catalog.Archive, c.Status, false), nil
	})
}

// Restore brings an archived campaign back as it was: SENT or STOPPED.
func (s *Service) Restore(ctx context.Context, id, by string) error {
	return s.move(ctx, id, by, catalog.Restore, "restored", s.beforeArchive)
}

func (s *Service) move(ctx context.Context, id, by string, a engine.Action, note string, next func(store.Space, engine.Campaign) (engine.State, error)) error {
	return s.update(ctx, func(sp store.Space) error {
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

// beforeArchive returns the state that the campaign's history says it had when it was archived. One
// that came into the store archived was SENT where it has a time of sending.
func (s *Service) beforeArchive(sp store.Space, c engine.Campaign) (engine.State, error) {
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

// Delete removes a draft for good. It is gone with one transaction; what that leaves of a long history, which
// nobody sees any more, goes with further ones, after an interruption with the next sweep.
func (s *Service) Delete(ctx context.Context, id string) error {
	err := s.update(ctx, func(sp store.Space) error {
		c, err := s.campaign(sp, id)
		if err != nil {
			return err
		}
		if err := allow(catalog.Delete, c); err != nil {
			return err
		}
		return sp.DeleteCampaign(id)
	})
	if err == nil {
		s.sweeper.finishDeletes(ctx)
	}
	return err
}

// Clone starts a draft with the components of another campaign, named after it.
func (s *Service) Clone(ctx context.Context, id, by string) (engine.Created, error) {
	var out engine.Created
	err := s.update(ctx, func(sp store.Space) error {
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

// renamed returns a body whose campaign name says that it is a copy; one without a name stays.
func renamed(body doc.Value) (doc.Value, error) {
	path := doc.P(string(catalog.BasicDetails), "name")
	name := body.Lookup(path)
	if name.Kind() != doc.String {
		return body, nil
	}
	return body.Set(path, doc.NewString(name.Text()+" (copy)"))
}
