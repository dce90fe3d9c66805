package local

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/workspace/userfile"
	"bugle/store"
)

// users stores the users of the workspace.
type users struct{ *writer }

var _ engine.UserImporter = (*Service)(nil)

// Users returns at most limit users whose id or attributes contain text, ignoring case, sorted by id. A limit
// of 0 means all.
func (u *users) Users(ctx context.Context, text string, limit int) ([]engine.User, error) {
	var out []engine.User
	text = strings.ToLower(text)
	err := u.view(ctx, func(sp store.WorkspaceTx) error {
		out = nil
		return sp.Profiles("", func(p engine.User) error {
			if !mentions(p, text) {
				return nil
			}
			out = append(out, p)
			if limit > 0 && len(out) >= limit {
				return store.Stop
			}
			return nil
		})
	})
	return out, err
}

func mentions(p engine.User, text string) bool {
	if strings.Contains(strings.ToLower(p.ID), text) {
		return true
	}
	for _, v := range p.Attributes {
		if strings.Contains(strings.ToLower(plainText(v)), text) {
			return true
		}
	}
	return false
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// User returns a user, or NOT_FOUND.
func (u *users) User(ctx context.Context, id string) (engine.User, error) {
	var out engine.User
	err := u.view(ctx, func(sp store.WorkspaceTx) error {
		p, found, err := profile(sp, id)
		if err == nil && !found {
			err = missing("there is no user %q in this workspace", id)
		}
		out = p
		return err
	})
	return out, err
}

// PutUser adds or replaces a user.
func (u *users) PutUser(ctx context.Context, p engine.User) error {
	return u.update(ctx, func(sp store.WorkspaceTx) error {
		w, err := sp.Settings()
		if err != nil {
			return err
		}
		if err := userfile.Check(p, w); err != nil {
			return refuse(targetOf(err), "%v", err)
		}
		return sp.PutProfiles(p)
	})
}

// targetOf returns the field of a user that an error of [userfile.Check] is about.
func targetOf(err error) string {
	var value *userfile.ValueError
	if errors.As(err, &value) {
		return value.Path.String()
	}
	return "id"
}

// DeleteUser deletes a user, or returns NOT_FOUND.
func (u *users) DeleteUser(ctx context.Context, id string) error {
	return u.update(ctx, func(sp store.WorkspaceTx) error {
		_, found, err := profile(sp, id)
		if err != nil {
			return err
		}
		if !found {
			return missing("there is no user %q in this workspace", id)
		}
		return sp.DeleteProfile(id)
	})
}

func profile(sp store.WorkspaceTx, id string) (engine.User, bool, error) {
	if id == "" || len(id) > maxID {
		return engine.User{}, false, nil
	}
	p, err := sp.Profile(id)
	if errors.Is(err, store.ErrNotFound) {
		return p, false, nil
	}
	return p, err == nil, err
}

// ImportUsers stores rows, as many per transaction as the store accepts.
func (u *users) ImportUsers(ctx context.Context, r engine.UserImport) (engine.UserImportResult, error) {
	var out engine.UserImportResult
	var w engine.Workspace
	err := u.view(ctx, func(sp store.WorkspaceTx) (err error) { w, err = sp.Settings(); return err })
	if err != nil {
		return out, err
	}
	for _, row := range r.Rows {
		if err := userfile.Check(row.User, w); err != nil {
			return out, refuse(targetOf(err), "%q: %v", row.ID, err)
		}
	}
	err = u.importRows(ctx, r.Rows, r.Merge, &out)
	return out, err
}

// importRows stores rows in one transaction, or in two halves if that is too large.
func (u *users) importRows(ctx context.Context, rows []engine.UserRow, merge bool, total *engine.UserImportResult) error {
	var n engine.UserImportResult
	err := u.db.Write(ctx, func(tx store.Tx) error {
		n = engine.UserImportResult{}
		return putRows(tx.Workspace(u.workspace), rows, merge, &n)
	})
	if errors.Is(err, store.ErrTooLarge) && len(rows) > 1 {
		half := len(rows) / 2
		if err := u.importRows(ctx, rows[:half], merge, total); err != nil {
			return err
		}
		return u.importRows(ctx, rows[half:], merge, total)
	}
	if err == nil {
		total.Add(n)
	}
	return u.explain(ctx, err)
}

// putRows stores rows: it reads the existing users at once, and writes all at once.
func putRows(sp store.WorkspaceTx, rows []engine.UserRow, merge bool, n *engine.UserImportResult) error {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	have := map[string]engine.User{} // as it is after the rows before
	err := sp.ProfilesByID(ids, func(p engine.User) error { have[p.ID] = p; return nil })
	if err != nil {
		return err
	}
	list := make([]engine.User, len(rows))
	for i, row := range rows {
		p := row.User
		old, found := have[row.ID]
		switch {
		case !found:
			n.Added++
		case merge:
			p = withRow(old, row)
			fallthrough
		default:
			n.Changed++
		}
		list[i], have[row.ID] = p, p
	}
	return sp.PutProfiles(list...)
}

// withRow returns a user updated by a row.
func withRow(p engine.User, row engine.UserRow) engine.User {
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
		// The same row once more is no second event.
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
