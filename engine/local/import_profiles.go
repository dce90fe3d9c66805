package local

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"bugle/engine"
	"bugle/engine/profiles"
	"bugle/store"
)

var _ engine.ProfileImporter = (*Service)(nil)

// ImportProfiles stores rows, as many in one transaction as the store takes.
func (s *Service) ImportProfiles(ctx context.Context, r engine.ProfileImport) (engine.ProfilesImported, error) {
	var out engine.ProfilesImported
	for _, row := range r.Rows {
		if err := profiles.Check(row.Profile); err != nil {
			return out, refuse("id", "%q: %v", row.ID, err)
		}
	}
	err := s.importRows(ctx, r.Rows, r.Merge, &out)
	return out, err
}

// importRows stores rows in one transaction, or in two halves where that is too much for one.
func (s *Service) importRows(ctx context.Context, rows []engine.ProfileRow, merge bool, total *engine.ProfilesImported) error {
	var n engine.ProfilesImported
	err := s.db.Update(ctx, func(tx store.Tx) error {
		n = engine.ProfilesImported{}
		sp := store.In(tx, s.workspace)
		for _, row := range rows {
			if err := importRow(sp, row, merge, &n); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, store.ErrTooBig) && len(rows) > 1 {
		half := len(rows) / 2
		if err := s.importRows(ctx, rows[:half], merge, total); err != nil {
			return err
		}
		return s.importRows(ctx, rows[half:], merge, total)
	}
	if err == nil {
		total.Add(n)
	}
	return s.explain(ctx, err)
}

func importRow(sp store.Space, row engine.ProfileRow, merge bool, n *engine.ProfilesImported) error {
	old, found, err := profile(sp, row.ID)
	if err != nil {
		return err
	}
	p := row.Profile
	if found {
		n.Changed++
		if merge {
			p = withRow(old, row)
		}
	} else {
		n.Added++
	}
	return sp.PutProfile(p)
}

// withRow gives a profile with what a row says of it.
func withRow(p engine.Profile, row engine.ProfileRow) engine.Profile {
	if p.Attributes == nil {
		p.Attributes = map[string]any{}
	}
	maps.Copy(p.Attributes, row.Attributes)
	for _, d := range row.Devices {
		same := func(o engine.Device) bool { return o.Platform == d.Platform && o.Token == d.Token }
		if i := slices.IndexFunc(p.Devices, same); i >= 0 {
			p.Devices[i] = d
		} else {
			p.Devices = append(p.Devices, d)
		}
	}
	for _, e := range row.Events {
		// The same row once more tells of no second event.
		same := func(o engine.Event) bool {
			return o.Name == e.Name && o.At.Equal(e.At) && reflect.DeepEqual(o.Attributes, e.Attributes)
		}
		if !slices.ContainsFunc(p.Events, same) {
			p.Events = append(p.Events, e)
		}
	}
	slices.SortStableFunc(p.Events, func(a, b engine.Event) int { return a.At.Compare(b.At) })
	if !row.KeepOptedOut {
		p.OptedOut = row.OptedOut
	}
	return p
}
