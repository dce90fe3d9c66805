// Package prefs stores the user's preferences on this machine: saved views, searches, columns, named groups of
// recipients. They are not part of a workspace, and losing them loses no campaign.
package prefs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"bugle/engine/files"
)

// Prefs is a folder with one small JSON file per name, with mode 0600. A nil *Prefs stores nothing: every read
// returns the zero value. It is safe for concurrent use.
type Prefs struct {
	dir string
	mem *memory
}

// memory has the changes that are not stored yet. Its files replace the folder in tests, and if the machine has no
// place for state.
type memory struct {
	disk  sync.Mutex        // held while files are read or written; locked before mu
	files map[string][]byte // nil if they are in the folder

	mu      sync.Mutex
	pending map[string][]change // of each path, in the order of Update
}

// change returns what a file becomes.
type change func([]byte) ([]byte, error)

// New returns the preferences below dir, which is created when the first one is stored.
func New(dir string) *Prefs { return &Prefs{dir: dir, mem: &memory{pending: map[string][]change{}}} }

// NewInMemory returns preferences that last until the program ends.
func NewInMemory() *Prefs {
	return &Prefs{mem: &memory{files: map[string][]byte{}, pending: map[string][]change{}}}
}

// Within returns the preferences of one scope: a workspace, a remote. Its name can be any text.
func (p *Prefs) Within(part string) *Prefs {
	if p == nil {
		return nil
	}
	return &Prefs{dir: filepath.Join(p.dir, "in-"+url.QueryEscape(part)), mem: p.mem}
}

// Read returns the preference of that name with all changes, or the zero value if there is none. If the file cannot be
// read as T, the error names the file and the value is zero.
func Read[T any](p *Prefs, name string) (T, error) {
	var zero T
	if p == nil {
		return zero, nil
	}
	b, err := p.mem.read(p.path(name))
	if err != nil {
		return zero, err
	}
	return decode[T](b, p.path(name))
}

func decode[T any](b []byte, path string) (T, error) {
	var out, zero T
	if b == nil {
		return zero, nil
	}
	if err := json.Unmarshal(b, &out); err != nil {
		return zero, fmt.Errorf("the preferences in %s cannot be read (delete the file to begin anew): %w", path, err)
	}
	return out, nil
}

// Update makes a change of the preference. The returned function stores it. It waits for the disk, so screens run it beside
// their own work, in any order: the changes of one preference are stored in the order of Update, on top of those of another
// terminal, and atomically. One that cannot be stored is stored with the next, or by [Prefs.Flush].
func Update[T any](p *Prefs, name string, change func(T) T) (store func() error) {
	if p == nil {
		return func() error { return nil }
	}
	path := p.path(name)
	p.mem.add(path, func(b []byte) ([]byte, error) {
		old, err := decode[T](b, path)
		if err != nil {
			return nil, err
		}
		b, err = json.MarshalIndent(change(old), "", "  ")
		return append(b, '\n'), err
	})
	return func() error { return p.mem.store(path) }
}

// Flush stores the changes that are not stored yet.
func (p *Prefs) Flush() error {
	if p == nil {
		return nil
	}
	p.mem.mu.Lock()
	paths := slices.Collect(maps.Keys(p.mem.pending))
	p.mem.mu.Unlock()
	var failed []error
	for _, path := range paths {
		failed = append(failed, p.mem.store(path))
	}
	return errors.Join(failed...)
}

func (m *memory) add(path string, c change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending[path] = append(m.pending[path], c)
}

// changes returns the changes of a path that are not stored yet.
func (m *memory) changes(path string) []change {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pending[path]
}

// store stores the changes of one preference, while others are made. After an error they all stay.
func (m *memory) store(path string) error {
	m.disk.Lock()
	defer m.disk.Unlock()
	changes := m.changes(path)
	if len(changes) == 0 {
		return nil
	}
	all := func(b []byte) ([]byte, error) { return apply(b, changes) }
	var err error
	if m.files == nil {
		err = files.Update(path, all)
	} else if b, failed := all(m.files[path]); failed != nil {
		err = failed
	} else {
		m.files[path] = b
	}
	if err != nil {
		return fmt.Errorf("keeping %s: %w", filepath.Base(path), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending[path] = m.pending[path][len(changes):]; len(m.pending[path]) == 0 {
		delete(m.pending, path)
	}
	return nil
}

func apply(b []byte, changes []change) (_ []byte, err error) {
	for _, c := range changes {
		if b, err = c(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// read returns a file with all changes; nil if there is none.
func (m *memory) read(path string) ([]byte, error) {
	m.disk.Lock()
	defer m.disk.Unlock()
	b := m.files[path]
	if m.files == nil {
		var err error
		if b, err = os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the preferences: %w", err)
		}
	}
	return apply(b, m.changes(path))
}

func (p *Prefs) path(name string) string { return filepath.Join(p.dir, url.QueryEscape(name)+".json") }
