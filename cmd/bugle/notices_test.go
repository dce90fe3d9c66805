package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/attach"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// A terminal that takes the store over from another one tells what it finds wrong with it.
func TestNoticesOfTakeover(t *testing.T) {
	dir, err := os.MkdirTemp("", "n") // its path leaves room for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := commands{t: t, dir: dir, env: map[string]string{}}
	c.must("init", "--id", "SHOP")
	part := func() (*factory, *attach.Node) {
		f := &factory{getenv: func(string) string { return "" }, data: dir}
		node, err := f.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return f, node
	}
	first, _ := part()
	second, node := part()
	defer func() {
		if err := second.close(); err != nil {
			t.Error(err)
		}
	}()
	if node.State().Role != attach.Attached {
		t.Fatalf("it is %v", node.State().Role)
	}
	said := make(chan screen.NotifyMsg, 16)
	ctx, stop := context.WithCancel(t.Context())
	wait := opening{node: node}.watch(ctx, &second.notices, func(m tea.Msg) {
		if n, ok := m.(screen.NotifyMsg); ok {
			said <- n
		}
	})
	tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("there are %q, %v", tables, err)
	}
	if err := os.Remove(tables[0]); err != nil {
		t.Fatal(err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	for n := range said {
		if n.Level == widget.LevelWarning {
			if !strings.Contains(n.Text, "was damaged") || !strings.Contains(n.Text, "`bugle doctor`") {
				t.Errorf("it says %q", n.Text)
			}
			break
		}
	}
	stop()
	wait()
}

// A daily backup that cannot be made is told of once, however often it is tried.
func TestNoticesOfDailyBackup(t *testing.T) {
	f := &factory{getenv: func(string) string { return "" }, data: t.TempDir()}
	db, err := badger.Open(t.Context(), badger.Options{Dir: f.data})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	told := f.daily(owned{db}).Made
	for range 3 {
		told(backup.Info{}, os.ErrPermission)
	}
	<-f.notices.arrived()
	if got := f.notices.take(); len(got) != 1 || got[0] != "the daily backup was not made: permission denied" {
		t.Errorf("it says %q", got)
	}
	told(backup.Info{}, nil)
	told(backup.Info{}, os.ErrPermission)
	if got := f.notices.take(); len(got) != 1 {
		t.Errorf("after one that was made it says %q", got)
	}
}
