// Package prefs stores the user's preferences on this machine: saved views, searches, columns, named groups of
// recipients. They are not part of a workspace, and losing them loses no campaign.
package prefs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"bugle/engine/files"
)

// Prefs is a folder with one small JSON file per name, with mode 0600. A nil *Prefs stores nothing: every read
// returns the zero value. It is safe for concurrent use.
type Prefs struct {
	dir string
	mem *memory
}

// memory replaces the folder in tests, and if the machine has no place for state.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// New returns the preferences below dir, which is created when the first one is stored.
func New(dir string) *Prefs { return &Prefs{dir: dir, mem: &memory{}} }

// NewInMemory returns preferences that last until the program ends.
func NewInMemory() *Prefs { return &Prefs{mem: &memory{files: map[string][]byte{}}} }

// Within returns the preferences of one scope: a workspace, a remote. Its name can be any text.
func (p *Prefs) Within(part string) *Prefs {
	if p == nil {
		return nil
	}
	return &Prefs{dir: filepath.Join(p.dir, fileName(part)), mem: p.mem}
}

// Read returns the preference of that name, or the zero value if there is none. If the file cannot be read as
// T, the error names the file and the value is zero.
func Read[T any](p *Prefs, name string) (T, error) {
	var none T
	if p == nil {
		return none, nil
	}
	p.mem.mu.Lock()
	defer p.mem.mu.Unlock()
	b, err := p.load(name)
	if err != nil {
		return none, err
	}
	return parse[T](p, name, b)
}

// parse returns the value of a file; nil: there is none.
func parse[T any](p *Prefs, name string, b []byte) (T, error) {
	var out, none T
	if b == nil {
		return none, nil
	}
	if err := json.Unmarshal(b, &out); err != nil {
		return none, fmt.Errorf("the preferences in %s cannot be read (delete the file to begin anew): %w", p.path(name), err)
	}
	return out, nil
}

// Update reads the preference again, so that changes of another terminal are kept, writes the result of change
// atomically, and returns it. It waits for the disk, so screens call it in a task.
func Update[T any](p *Prefs, name string, change func(T) T) (T, error) {
	var old, kept T
	if p == nil {
		return change(old), nil
	}
	p.mem.mu.Lock()
	defer p.mem.mu.Unlock()
	err := p.update(name, func(b []byte) (_ []byte, err error) {
		if old, err = parse[T](p, name, b); err != nil {
			return nil, err
		}
		kept = change(old)
		b, err = json.MarshalIndent(kept, "", "  ")
		return append(b, '\n'), err
	})
	if err != nil {
		return old, fmt.Errorf("keeping %s: %w", name, err)
	}
	return kept, nil
}

func (p *Prefs) path(name string) string { return filepath.Join(p.dir, fileName(name)+".json") }

func (p *Prefs) load(name string) ([]byte, error) {
	if p.mem.files != nil {
		return p.mem.files[p.path(name)], nil
	}
	b, err := os.ReadFile(p.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the preferences: %w", err)
	}
	return b, nil
}

func (p *Prefs) update(name string, change func([]byte) ([]byte, error)) error {
	if p.mem.files == nil {
		return files.Update(p.path(name), change)
	}
	b, err := change(p.mem.files[p.path(name)])
	if err == nil {
		p.mem.files[p.path(name)] = b
	}
	return err
}

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
