package offline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/engine/files"
)

// The limits of the cache. Above them the least recently read entries are removed.
const (
	maxAnswers = 2000 // -
	maxBytes   = 64 << 20
	// tidyEvery is the number of writes between two checks of the limits.
	tidyEvery = 128
)

const (
	suffix = ".json"
	format = 2 // format version of the files; others are not read
)

// cache stores responses in the files of a folder, which is created with the first one. Several processes may
// share it. Only the owner can read the files, because campaigns may be confidential.
type cache struct {
	dir                  string
	maxAnswers, maxBytes int

	mu      sync.Mutex
	puts    int
	written map[string][sha256.Size]byte // hashes of what this process wrote, by path
}

// file is one cached response.
type file struct {
	Format int             `json:"format"`
	Kind   string          `json:"kind"`
	Key    string          `json:"key"`
	Answer json.RawMessage `json:"answer"`
}

func newCache(dir string) *cache {
	return &cache{dir: dir, maxAnswers: maxAnswers, maxBytes: maxBytes, written: map[string][sha256.Size]byte{}}
}

// path names the file with a hash, because ids of a server may contain characters that file names cannot.
func (m *cache) path(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(m.dir, kind+"-"+hex.EncodeToString(sum[:12])+suffix)
}

// put stores a response atomically. It skips a response that this process has already written.
func (m *cache) put(kind, key string, answer any) error {
	b, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("remembering %s %s: %w", kind, key, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	path, sum := m.path(kind, key), sha256.Sum256(b)
	if now := time.Now(); m.written[path] == sum && os.Chtimes(path, now, now) == nil {
		return nil
	}
	b, err = json.Marshal(file{Format: format, Kind: kind, Key: key, Answer: b})
	if err == nil {
		err = os.MkdirAll(m.dir, 0o700)
	}
	if err == nil {
		err = files.SaveUnsynced(path, b) // what a crash of the machine loses can be read again
	}
	if err != nil {
		return fmt.Errorf("remembering %s %s: %w", kind, key, err)
	}
	m.written[path] = sum
	return m.evict()
}

// get returns a cached response, or false if there is none that can be read.
func (m *cache) get(kind, key string) (json.RawMessage, bool) {
	b, err := os.ReadFile(m.path(kind, key))
	if err != nil {
		return nil, false
	}
	var in file
	ok := json.Unmarshal(b, &in) == nil && in.Format == format && in.Kind == kind && in.Key == key
	return in.Answer, ok
}

// drop removes a response, if it is cached.
func (m *cache) drop(kind, key string) error {
	if err := os.Remove(m.path(kind, key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forgetting %s %s: %w", kind, key, err)
	}
	return nil
}

// staleAfter is the age from which an unfinished file is considered abandoned.
const staleAfter = time.Hour

// evict keeps the folder within its bounds, every now and then. The caller holds the lock.
func (m *cache) evict() error {
	m.puts++
	if m.puts%tidyEvery != 1 {
		return nil
	}
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return fmt.Errorf("reading the cached data: %w", err)
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil: // another process was faster
		case strings.HasSuffix(e.Name(), suffix):
			kept = append(kept, info)
		case time.Since(info.ModTime()) > staleAfter:
			os.Remove(filepath.Join(m.dir, e.Name()))
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	size := int64(0)
	for i, info := range kept {
		size += info.Size()
		if i >= m.maxAnswers || size > int64(m.maxBytes) {
			path := filepath.Join(m.dir, info.Name())
			os.Remove(path)
			delete(m.written, path)
		}
	}
	return nil
}
