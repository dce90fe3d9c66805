package badger

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The CLOSED file lists the tables that the process verified or wrote before it closed the store, one per line, with
// their size, modification time, and time of the last verification. Tables that match are not verified again at once.
const closedFile = "CLOSED"

type closedTable struct {
	stamp  string
	proved time.Time // zero if unknown
}

type closedTables map[string]closedTable

func stamp(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}

func readClosed(path string) closedTables {
	out := closedTables{}
	b, err := os.ReadFile(filepath.Join(path, closedFile))
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) < 3 {
			continue
		}
		t := closedTable{stamp: words[1] + " " + words[2]}
		if len(words) > 3 {
			if at, err := strconv.ParseInt(words[3], 10, 64); err == nil {
				t.proved = time.Unix(at, 0)
			}
		}
		out[words[0]] = t
	}
	return out
}

func (c closedTables) has(info fs.FileInfo) bool { return c[info.Name()].stamp == stamp(info) }

// writeClosed lists the tables of a database that was just closed; since returns when a table was last verified. If it
// fails, the next process has to verify more.
func writeClosed(path string, since func(name string) time.Time) {
	files, err := os.ReadDir(path)
	if err != nil {
		return
	}
	var b strings.Builder
	for _, f := range files {
		if info, err := f.Info(); err == nil && filepath.Ext(f.Name()) == ".sst" {
			fmt.Fprintf(&b, "%s %s %d\n", f.Name(), stamp(info), since(f.Name()).Unix())
		}
	}
	_ = os.WriteFile(filepath.Join(path, closedFile), []byte(b.String()), 0o600)
}
