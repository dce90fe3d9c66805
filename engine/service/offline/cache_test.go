package offline

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func size(t *testing.T, dir string) (files, bytes int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += int(info.Size())
	}
	return len(entries), bytes
}

// What was read longest ago is forgotten first.
func TestTheMemoryIsBounded(t *testing.T) {
	for name, bound := range map[string]func(*cache){
		"answers": func(m *cache) { m.maxAnswers = 40 },
		"bytes":   func(m *cache) { m.maxBytes = 40 * 1000 },
	} {
		t.Run(name, func(t *testing.T) {
			m := newCache(t.TempDir())
			bound(m)
			text := strings.Repeat("x", 900)
			const puts = 3*tidyEvery + 1 // the last one tidies
			for i := range puts {
				key := strconv.Itoa(i)
				if err := m.put("campaign", key, text); err != nil {
					t.Fatal(err)
				}
				at := time.Unix(int64(i), 0) // files of one moment have no order
				if err := os.Chtimes(m.path("campaign", key), at, at); err != nil {
					t.Fatal(err)
				}
			}
			if files, bytes := size(t, m.dir); files > 41 || files < 30 || bytes > 41*1000 {
				t.Errorf("there are %d files of %d bytes", files, bytes)
			}
			if _, ok := m.get("campaign", "0"); ok {
				t.Error("the oldest is there")
			}
			if _, ok := m.get("campaign", strconv.Itoa(puts-1)); !ok {
				t.Error("the newest is gone")
			}
		})
	}
}

func TestAbandonedTempFileIsRemoved(t *testing.T) {
	m := newCache(t.TempDir())
	left := filepath.Join(m.dir, "answer-1.tmp")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	if err := m.put("list", "", 1); err != nil {
		t.Fatal(err)
	}
	if files, _ := size(t, m.dir); files != 1 {
		t.Errorf("%d files are left", files)
	}
}

// Two processes on one folder never see half an answer.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	var both sync.WaitGroup
	for range 2 {
		m := newCache(dir)
		both.Go(func() {
			for i := range 200 {
				if err := m.put("list", "", strings.Repeat(strconv.Itoa(i%10), 5000)); err != nil {
					t.Error(err)
				}
				if b, ok := m.get("list", ""); !ok || len(b) != 5002 {
					t.Errorf("an answer of %d bytes, %v", len(b), ok)
				}
			}
		})
	}
	both.Wait()
}
