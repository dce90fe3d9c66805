package badger

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"bugle/store/badger/internal/files"
)

// While a compaction is not checked, a file says so: where a process ends then, the next one examines the tables
// that went into it. What was checked may still be there as well, where somebody was reading it; that is not
// examined, as a deletion may have been dropped since.
const uncheckedFile = "COMPACTIONS"

// unchecked is what the file says.
type unchecked struct {
	// From is where the list of tables ended when each of the compactions began.
	From []int64 `json:"from"`
	// Checked is the compactions behind the first of these places that were checked, by a table that went in.
	Checked []uint64 `json:"checked,omitempty"`
	// First is the fingerprint of the list's first set of changes: another one has other places.
	First uint64 `json:"first"`
}

// noteUnchecked writes the file, or removes it where everything is checked. c.mu is held. That it fails means that
// less is examined after this process is killed.
func (c *compactions) noteUnchecked() {
	name := join(c.d.path, uncheckedFile)
	if len(c.unchecked) == 0 {
		c.checked = nil
		_ = os.Remove(name)
		return
	}
	b, err := json.Marshal(unchecked{From: slices.Sorted(maps.Values(c.unchecked)), Checked: c.checked, First: c.list.First})
	if err == nil {
		if err = os.WriteFile(name+".new", b, 0o600); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		c.d.log.Warn("cannot record an unverified compaction", "error", err)
	}
}

// holdUnchecked moves the tables of compactions that a process which ended has not checked to where they are examined.
// The database is not open, and would remove them. Of a compaction that was checked some are gone already.
func holdUnchecked(path string) error {
	b, err := os.ReadFile(join(path, uncheckedFile))
	if err != nil {
		return nil
	}
	if err := os.Remove(join(path, uncheckedFile)); err != nil {
		return err
	}
	var u unchecked
	if json.Unmarshal(b, &u) != nil || len(u.From) == 0 {
		return nil
	}
	list := files.ManifestLog{Name: filepath.Join(path, "MANIFEST"), Offset: slices.Min(u.From), First: u.First}
	changes, err := list.Read()
	if err != nil || list.Restarted {
		return nil
	}
	for _, change := range changes {
		if slices.ContainsFunc(change.In, func(id uint64) bool { return slices.Contains(u.Checked, id) || !isWhole(path, id) }) {
			continue
		}
		into := join(path, heldFolder)
		if err := os.MkdirAll(into, 0o700); err != nil {
			return err
		}
		for _, id := range change.In {
			if err := os.Rename(join(path, files.TableName(id)), join(into, files.TableName(id))); err != nil {
				return fmt.Errorf("setting a table aside: %w", err)
			}
		}
	}
	return nil
}

// isWhole reports whether a table is there, and was not cut off to be removed.
func isWhole(path string, id uint64) bool {
	info, err := os.Stat(join(path, files.TableName(id)))
	return err == nil && info.Size() > 0
}
