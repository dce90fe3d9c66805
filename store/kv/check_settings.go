package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/store"
)

// settings checks the settings of a workspace, their copy, and the records of its API keys, once per workspace.
func (c *checker) settings(id string) error {
	if c.spaces[id] {
		return nil
	}
	c.spaces[id] = true
	s := NewWorkspaceTx(c.tx, id)
	if err := checkWorkspace(id); err != nil {
		c.found(Finding{Workspace: id, What: fmt.Sprintf("there are records of a workspace without a valid id (%v)", err), Advice: "leave them; another program may have written them"})
		return nil
	}
	r, err := s.readAllSettings()
	if err != nil {
		return err
	}
	f := Finding{Workspace: id, repair: restoreSettings(id)}
	switch {
	case r.damage == nil && !r.outdated() && (c.out.Format < 2 || r.copiesMatch()):
		return nil
	case r.damage == nil && !r.outdated():
		f.What, f.Repair = fmt.Sprintf("the copies of the settings and API keys of workspace %q are out of date", id), "copy the settings again"
	case r.damage == nil:
		f.What, f.Repair = fmt.Sprintf("the settings of workspace %q are older than their copy", id), "restore them from the copy"
	case errors.Is(r.damage, store.ErrNotFound):
		f.What, f.Repair = fmt.Sprintf("the workspace %q has records but no settings", id), "restore them from their copy"
	default:
		f.What, f.Repair = fmt.Sprintf("the settings of workspace %q are damaged (%v)", id, firstCause(r.damage)), "restore them from their copy"
	}
	if r.damage != nil && r.damageCopy != nil {
		f.What += ", and their copy cannot be read either"
		f.Repair = fmt.Sprintf("set them to the defaults, with the API keys that can be read (%d); a backup may have them as they were: `bugle restore` lists the backups", len(r.keys))
	}
	c.found(f)
	return nil
}

// settingsState is everything that is stored of a workspace's settings.
type settingsState struct {
	now, copy         settingsRecord
	payload, payload2 []byte // of the record and of the copy
	damage            error  // of the record; nil if it can be read
	damageCopy        error
	keys              []engine.APIKey // from their own records
	badKeys           int             // records of API keys that cannot be read
}

// readAllSettings reads the settings, their copy, and the API keys. It fails only for reasons other than damage.
func (s WorkspaceSettings) readAllSettings() (r settingsState, err error) {
	r.now, r.payload, r.damage = s.readSettings(s.settingsKey())
	r.copy, r.payload2, r.damageCopy = s.readSettings(s.copyKey(copySettings))
	for _, err := range []error{r.damage, r.damageCopy} {
		if err != nil && !isDamage(err) {
			return r, err
		}
	}
	r.keys, r.badKeys, err = s.keyRecords()
	return r, err
}

// outdated reports whether the copy is newer than the record.
func (r settingsState) outdated() bool {
	return r.damage == nil && r.damageCopy == nil && r.copy.Change > r.now.Change
}

// copiesMatch reports whether the copies are what [WorkspaceSettings.PutSettings] would write for the settings.
func (r settingsState) copiesMatch() bool {
	if r.damageCopy != nil || r.badKeys > 0 || !bytes.Equal(r.payload, r.payload2) {
		return false
	}
	want := map[string]engine.APIKey{}
	for _, k := range r.now.Keys {
		if k.ID != "" {
			want[k.ID] = k
		}
	}
	for _, k := range r.keys {
		w, ok := want[k.ID]
		if !ok || k.Hash != w.Hash || !slices.Equal(k.Scopes, w.Scopes) || !k.CreatedAt.Equal(w.CreatedAt) {
			return false
		}
	}
	return len(want) == len(r.keys)
}

// restoreSettings returns a repair that makes the settings of a workspace, their copy, and the records of its API keys
// agree. It uses the settings if they can be read; else, or if it is newer, the copy; and otherwise defaults and the
// records of the API keys.
func restoreSettings(id string) func(Tx) error {
	return func(tx Tx) error {
		s := NewWorkspaceTx(tx, id)
		r, err := s.readAllSettings()
		switch {
		case err != nil:
			return err
		case r.damage == nil && !r.outdated():
			if r.copiesMatch() {
				return nil
			}
			return s.putCopies(r.payload, r.now.Keys)
		case r.damageCopy == nil:
			return errors.Join(s.put("the settings", s.settingsKey(), r.payload2), s.putCopies(r.payload2, r.copy.Keys))
		}
		w := engine.Workspace{ID: id, Name: id, Timezone: "UTC", Publish: engine.PublishBeta, Flags: map[string]bool{}, Keys: r.keys}
		for _, k := range r.keys { // the workspace existed when its first key was created
			if w.CreatedAt.IsZero() || k.CreatedAt.Before(w.CreatedAt) {
				w.CreatedAt = k.CreatedAt
			}
		}
		return s.PutSettings(w)
	}
}

// checkCopy checks a key among the copies. Their contents are checked with the settings.
func (c *checker) checkCopy(key []byte) error {
	id, rest, err := cutName(key[1:])
	if err != nil || len(rest) == 0 || !strings.ContainsRune(string([]byte{copySettings, copyKey}), rune(rest[0])) {
		c.unknownKey(key)
		return nil
	}
	return c.settings(id)
}
