package edit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
)

// FileStore keeps working copies in files of a folder, for services that cannot store unfinished edits. It
// creates the folder with the first file. Only the owner can read the files, because campaigns may be
// confidential.
type FileStore struct{ dir string }

var _ engine.WorkingCopyStore = FileStore{}

// NewFileStore returns a store in the folder dir.
func NewFileStore(dir string) FileStore { return FileStore{dir} }

// file is the content of a file. The documents are strings, because a JSON library would rewrite them.
type file struct {
	ID     string    `json:"id"`
	Base   int64     `json:"base"`
	At     time.Time `json:"at"`
	Origin string    `json:"origin,omitempty"`
	Body   string    `json:"body"`
}

// path names the file with a hash, because ids of other services may contain characters that file names
// cannot.
func (c FileStore) path(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:12])+".json")
}

// PutWorkingCopy writes the edits of a campaign atomically.
func (c FileStore) PutWorkingCopy(_ context.Context, id string, w engine.WorkingCopy) error {
	b, err := json.Marshal(file{ID: id, Base: w.Base, At: w.At, Origin: string(w.Origin.Encode()), Body: string(w.Body.Encode())})
	if err != nil {
		return fmt.Errorf("saving the edits of campaign %s: %w", id, err)
	}
	if err := files.Save(c.path(id), b); err != nil {
		return fmt.Errorf("saving the edits of campaign %s: %w", id, err)
	}
	return nil
}

// WorkingCopy returns the stored edits, or false if there are none. A damaged file is an error that names the
// file, so that the user can recover its content.
func (c FileStore) WorkingCopy(_ context.Context, id string) (engine.WorkingCopy, bool, error) {
	b, err := os.ReadFile(c.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return engine.WorkingCopy{}, false, nil
	}
	var in file
	if err == nil {
		err = json.Unmarshal(b, &in)
	}
	out := engine.WorkingCopy{Base: in.Base, At: in.At}
	if err == nil {
		out.Body, err = doc.Parse([]byte(in.Body))
	}
	if err == nil && in.Origin != "" {
		out.Origin, err = doc.Parse([]byte(in.Origin))
	}
	if err != nil {
		return engine.WorkingCopy{}, false, fmt.Errorf("cannot read the saved edits in %s: %w", c.path(id), err)
	}
	return out, true, nil
}

// DeleteWorkingCopy deletes the stored edits, if any.
func (c FileStore) DeleteWorkingCopy(_ context.Context, id string) error {
	if err := os.Remove(c.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("discarding the saved edits of campaign %s: %w", id, err)
	}
	return nil
}
