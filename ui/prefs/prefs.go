// Package prefs stores the user's preferences on this machine: saved views, searches, columns, named groups of
// recipients. They are not part of a workspace, and losing them loses no campaign.
package prefs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	disk sync.Mutex // held while changes are stored; locked before mu

	mu      sync.Mutex
	files   map[string][]byte
	pending map[string][]*update // of each path, in the order of Update
	before  map[string][]byte    // what the path had before the changes that are being stored, which are still pending
}

// update is a change that was made.
type update struct {
	change func([]byte) ([]byte, error)
	stored []byte // nil until it is stored
}

// New returns the preferences below dir, which is created when the first one is stored.
func New(dir string) *Prefs {
	return &Prefs{dir: dir, mem: &memory{pending: map[string][]*update{}, before: map[string][]byte{}}}
}

// NewInMemory returns preferences that last until the program ends.
func NewInMemory() *Prefs {
	return &Prefs{mem: &memory{files: map[string][]byte{}, pending: map[string][]*update{}, before: map[string][]byte{}}}
}

// Within returns the preferences of one scope: a workspace, a remote. Its name can be any text.
func (p *Prefs) Within(part string) *Prefs {
	if p == nil {
		return nil
	}
	return &Prefs{dir: filepath.Join(p.dir, fileName(part)), mem: p.mem}
}

// Read returns the preference of that name with all changes, or the zero value if there is none. If the file cannot be
// read as T, the error names the file and the value is zero.
func Read[T any](p *Prefs, name string) (T, error) {
	var zero T
	if p == nil {
		return zero, nil
	}
	p.mem.mu.Lock()
	defer p.mem.mu.Unlock()
	b, err := p.mem.load(p.path(name))
	if err != nil {
		return zero, err
	}
	results, err := p.mem.results(p.path(name), b)
	if err != nil {
		return zero, err
	}
	return decode[T](results[len(results)-1], p.path(name))
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

// Update makes a change of the preference. The returned function stores it and returns the result. It waits for the
// disk, so screens run it beside their own work, in any order: the changes of one preference are stored in the order of
// Update, on top of those of another terminal, and atomically. One that cannot be stored is stored with the next, or
// by [Prefs.Flush].
func Update[T any](p *Prefs, name string, change func(T) T) (store func() (T, error)) {
	if p == nil {
		return func() (T, error) {
			var zero T
			return change(zero), nil
		}
	}
	path := p.path(name)
	u := &update{change: func(b []byte) ([]byte, error) {
		old, err := decode[T](b, path)
		if err != nil {
			return nil, err
		}
		b, err = json.MarshalIndent(change(old), "", "  ")
		return append(b, '\n'), err
	}}
	p.mem.mu.Lock()
	defer p.mem.mu.Unlock()
	p.mem.pending[path] = append(p.mem.pending[path], u)
	return func() (T, error) {
		p.mem.disk.Lock()
		defer p.mem.disk.Unlock()
		if u.stored == nil {
			if err := p.mem.flush(path); err != nil {
				var zero T
				return zero, err
			}
		}
		return decode[T](u.stored, path)
	}
}

// Flush stores the changes that are not stored yet.
func (p *Prefs) Flush() error {
	if p == nil {
		return nil
	}
	p.mem.disk.Lock()
	defer p.mem.disk.Unlock()
	p.mem.mu.Lock()
	paths := slices.Collect(maps.Keys(p.mem.pending))
	p.mem.mu.Unlock()
	var failed []error
	for _, path := range paths {
		failed = append(failed, p.mem.flush(path))
	}
	return errors.Join(failed...)
}

// flush stores the changes of one preference, while others are made. After an error they all stay. The caller holds disk.
func (m *memory) flush(path string) error {
	var results [][]byte
	err := m.update(path, func(b []byte) (_ []byte, err error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.before[path] = b
		results, err = m.results(path, b)
		return results[len(results)-1], err
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.before, path)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", filepath.Base(path), err)
	}
	stored := len(results) - 1
	for i, u := range m.pending[path][:stored] {
		u.stored = results[i+1]
	}
	if m.pending[path] = m.pending[path][stored:]; len(m.pending[path]) == 0 {
		delete(m.pending, path)
	}
	return nil
}

// results returns what is stored, and what it becomes with each of the changes.
func (m *memory) results(path string, b []byte) (out [][]byte, err error) {
	out = [][]byte{b}
	for _, u := range m.pending[path] {
		if b, err = u.change(b); err != nil {
			break
		}
		out = append(out, b)
	}
	return out, err
}

// load returns what is stored, without the changes that are pending.
func (m *memory) load(path string) ([]byte, error) {
	if b, ok := m.before[path]; ok {
		return b, nil
	}
	if m.files != nil {
		return m.files[path], nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the preferences: %w", err)
	}
	return b, nil
}

func (m *memory) update(path string, change func([]byte) ([]byte, error)) error {
	if m.files == nil {
		return files.Update(path, change)
	}
	m.mu.Lock()
	b := m.files[path]
	m.mu.Unlock()
	b, err := change(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.files[path] = b
	}
	return err
}

func (p *Prefs) path(name string) string { return filepath.Join(p.dir, fileName(name)+".json") }

// fileName encodes a name as one path element; different names stay different.
func fileName(name string) string {
	var out []byte
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			out = append(out, c)
		default:
			out = fmt.Appendf(out, "%%%02x", c)
		}
	}
	if len(out) == 0 {
		return "%"
	}
	return string(out)
}
