package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/bubbletea"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/terminal"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// A daily backup that fails is reported once, however often it is tried.
func TestNoticesOfDailyBackup(t *testing.T) {
	t.Parallel()
	f := &cli.Factory{Environment: cli.Environment{Getenv: func(string) string { return "" }, Data: t.TempDir()}}
	ended := f.DailyEnded()
	for range 3 {
		ended(os.ErrPermission)
	}
	if got := f.Notices.Take(); len(got) != 1 || got[0] != "no daily backup was made, and the earlier ones are kept: permission denied" {
		t.Errorf("it says %q", got)
	}
	ended(nil)
	ended(os.ErrPermission)
	if got := f.Notices.Take(); len(got) != 1 {
		t.Errorf("after one that was made it says %q", got)
	}
}

// rotten makes a workspace SHOP in a folder, and damages a table of its store so that opening it does not
// show: the store is too large for each block to be read then.
func rotten(t *testing.T, dir string) {
	t.Helper()
	c := newBugle(t).at(dir)
	c.must("init", "--id", "SHOP")
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	for n := range 8 {
		err := db.Update(t.Context(), func(tx *kv.Tx) error {
			for i := range 200 {
				key, value := fmt.Appendf(nil, "zz%04d", 200*n+i), make([]byte, 4000)
				_, _ = random.Read(value)
				if err := tx.Set(key, kv.EncodeValue(key, value)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	damageStore(t, dir, damages["flipped"])
}

// shortDir returns a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "n")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Damage that is found while the store is open is reported at once, and once, in every terminal that uses the store.
func TestNoticesOfDamageFoundLater(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	rotten(t, dir)
	var all []<-chan string
	var stores []*cli.Store
	for range 2 {
		f := &cli.Factory{Environment: cli.Environment{Getenv: func(string) string { return "" }, Data: dir}}
		store, err := f.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, store)
		said := make(chan string, 16)
		all = append(all, said)
		ctx, stop := context.WithCancel(t.Context())
		var watch sync.WaitGroup
		watch.Go(func() {
			terminal.WatchStore(ctx, store, &f.Notices, func(m tea.Msg) {
				if n, ok := m.(screen.NotifyMsg); ok && n.Level == widget.LevelWarning {
					said <- n.Text
				}
			})
		})
		t.Cleanup(func() {
			stop()
			watch.Wait()
			close(said)
			for again := range said {
				t.Errorf("then it says %q", again)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	for range 2 { // finds it; to find it again is nothing new
		if _, err := stores[1].Check(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for n, said := range all {
		if text := <-said; !strings.Contains(text, "is damaged") || !strings.Contains(text, "`bugle doctor`") {
			t.Errorf("%s: it says %q", stores[n].Folder().State().Role, text)
		}
	}
}

// A server reports problems of its store when they are found, not when it ends; doctor does not notify itself.
func TestServeNotices(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.env[cli.EnvData] = shortDir(t)
	rotten(t, b.env[cli.EnvData])
	s := b.serve()
	if _, errs := b.run(cli.ExitFailed, "", "doctor"); errs != "" {
		t.Errorf("bugle doctor wrote %q on standard error", errs)
	}
	s.waitFor(`"level":"WARN","msg":"store","notice":"`, "is damaged", "`bugle doctor`")
	s.ends(cli.ExitDone)
	if n := strings.Count(s.log(), `"notice":`); n != 1 {
		t.Errorf("it says so %d times:\n%s", n, s.log())
	}

	s = b.serve() // problems found when it opens
	s.waitFor(`"msg":"store","notice":"`, "is damaged")
	s.ends(cli.ExitDone)
	if n := strings.Count(s.log(), `"notice":`); n != 1 {
		t.Errorf("it says so %d times:\n%s", n, s.log())
	}
}
