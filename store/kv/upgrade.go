package kv

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Upgrade migrates a campaign of an earlier version, and its working copy, to the current format: filters nested in an
// action get their type ([catalog.WithFilterTypes]). If that changes the campaign, it gets a new revision; earlier
// revisions stay unchanged.
func (s WorkspaceTx) Upgrade(id string) error {
	c, err := s.Campaign(id)
	if err != nil {
		return err
	}
	before := c.Revision
	if body, changed := catalog.WithFilterTypes(c.Body); changed {
		c.Body = body
		rev := engine.Revision{At: time.Now().UTC(), By: "bugle", Note: "upgraded filters"}
		// This is not an edit: the campaign keeps its position among the last changed ones.
		if c.Revision, err = s.PutCampaign(c, engine.Summarize(c), rev, false); err != nil {
			return err
		}
	}
	w, err := s.WorkingCopy(id)
	if isDamage(err) {
		return nil // there is none, or it cannot be read
	}
	if err != nil {
		return err
	}
	body, changed := catalog.WithFilterTypes(w.Body)
	origin, changedOrigin := catalog.WithFilterTypes(w.Origin)
	moved := w.Base == before && before != c.Revision
	if !changed && !changedOrigin && !moved {
		return nil
	}
	w.Body, w.Origin = body, origin
	if moved {
		w.Base = c.Revision // nobody else has changed the campaign since editing began
	}
	return s.PutWorkingCopy(id, w)
}

// addFilterTypes migrates a store from format 2 to 3: campaigns with their working copies, and segments. It skips
// damaged records; doctor reports them.
func addFilterTypes(ctx context.Context, db DB) error {
	var workspaces []string
	err := db.View(ctx, func(tx Tx) (err error) {
		workspaces, err = Workspaces(tx)
		return err
	})
	if err != nil {
		return err
	}
	for _, ws := range workspaces {
		err := db.Update(ctx, func(tx Tx) error { return NewWorkspaceTx(tx, ws).addSegmentFilterTypes() })
		if err != nil {
			return fmt.Errorf("the segments of workspace %q: %w", ws, err)
		}
		if err := upgradeCampaigns(ctx, db, ws); err != nil {
			return fmt.Errorf("the campaigns of workspace %q: %w", ws, err)
		}
	}
	return nil
}

// upgradeCampaigns upgrades the campaigns of a workspace, several per transaction.
func upgradeCampaigns(ctx context.Context, db DB, ws string) error {
	var todo [][]string
	err := db.View(ctx, func(tx Tx) (err error) {
		todo, err = NewWorkspaceTx(tx, ws).outdated()
		return err
	})
	if err != nil {
		return err
	}
	upgrade := func(ids ...string) error {
		return db.Update(ctx, func(tx Tx) error {
			for _, id := range ids {
				if err := NewWorkspaceTx(tx, ws).Upgrade(id); err != nil {
					return fmt.Errorf("campaign %q: %w", id, err)
				}
			}
			return nil
		})
	}
	for _, ids := range todo {
		err := upgrade(ids...)
		if !isDamage(err) {
			if err != nil {
				return err
			}
			continue
		}
		for _, id := range ids { // continue after a damaged campaign
			if err := upgrade(id); err != nil && !isDamage(err) {
				return err
			}
		}
	}
	return nil
}

// outdated returns the ids of campaigns that may have filters nested in an action, in batches that fit into one
// transaction.
func (s WorkspaceTx) outdated() ([][]string, error) {
	const most, mostBytes = 64, 1 << 20
	var batches [][]string
	seen := map[string]bool{}
	size := mostBytes
	for _, kind := range []byte{kindCampaign, kindCopy} {
		prefix := s.key(kind)
		err := s.tx.Scan(prefix, ScanOptions{}, func(key, value []byte) error {
			payload, err := decodeValue(key, value)
			if err != nil || !mayNest(payload) {
				return nil // damage is reported elsewhere
			}
			id, _, err := cutName(key[len(prefix):])
			if err != nil || seen[id] {
				return nil
			}
			seen[id] = true
			if last := len(batches) - 1; size+len(payload) > mostBytes || len(batches[last]) == most {
				batches, size = append(batches, nil), 0
			}
			last := len(batches) - 1
			batches[last], size = append(batches[last], id), size+len(payload)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return batches, nil
}

// mayNest reports whether a document may contain an action with nested filters, without decoding it: it contains the
// name of their field, or names with escapes.
func mayNest(payload []byte) bool {
	return bytes.Contains(payload, []byte("attributes")) || bytes.Contains(payload, []byte(`\u00`))
}

// addSegmentFilterTypes sets the types of the filters in the workspace's segments. Everything else in the settings
// keeps its spelling.
func (s WorkspaceSettings) addSegmentFilterTypes() error {
	w, payload, err := s.readSettings(s.settingsKey())
	damaged := isDamage(err)
	if damaged {
		w, payload, err = s.readSettings(s.copyKey(copySettings))
	}
	if isDamage(err) {
		return nil
	}
	if err != nil {
		return err
	}
	settings, err := doc.Parse(payload)
	if err != nil {
		return nil // a duplicate field: leave it, since either value may be the intended one
	}
	out := settings
	for i, segment := range settings.Get("segments").Elems() {
		group, changed := catalog.GroupWithFilterTypes(segment.Get("filters"))
		if !changed {
			continue
		}
		if out, err = out.Set(doc.P("segments", i, "filters"), group); err != nil {
			return err
		}
	}
	if out.Same(settings) {
		return nil
	}
	if out, err = out.Set(doc.P("change"), doc.NewInt(w.Change+1)); err != nil {
		return err
	}
	payload = out.Encode()
	if !damaged { // a damaged record is restored from its copy
		if err := s.put("the settings", s.settingsKey(), payload); err != nil {
			return err
		}
	}
	return s.putCopies(payload, w.Keys)
}
