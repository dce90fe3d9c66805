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

// While a compaction is unchecked, a file says so: if the process ends, the next one examines the input tables. Input
// tables of checked compactions may still exist because somebody was reading them; they are not examined, because a
// deletion may have been dropped since.
const uncheckedFile = "COMPACTIONS"

// unchecked is the contents of the file.
type unchecked struct {
	// From has the end of the manifest when each of the compactions began.
	From []int64 `json:"from"`
	// Checked has an input table of each checked compaction after the first of these positions.
	Checked []uint64 `json:"checked,omitempty"`
	// First is the fingerprint of the manifest's first change set: the positions only apply to that manifest.
	First uint64 `json:"first"`
}

// noteUnchecked writes the file, or removes it if everything is checked. The caller holds c.mu. If it fails, less is
// examined after this process is killed.
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

// holdUnchecked moves the input tables of unchecked compactions of a previous process to the held folder. The database
// must not be open, and would remove them. Some input tables of a checked compaction are removed already.
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

// isWhole reports whether a table exists and was not truncated for removal.
func isWhole(path string, id uint64) bool {
	info, err := os.Stat(join(path, files.TableName(id)))
	return err == nil && info.Size() > 0
}
