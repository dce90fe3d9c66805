package badger_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

var fills = flag.Int("fills", 1, "how often TestDiskFilled fills the disk")

// blocks returns the bytes that a file takes on the disk.
func blocks(t *testing.T, name string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// The logs have their space before they are written, and so has the one that comes next; nobody but the
// owner may read what the database makes, whatever the process sets by default.
func TestReserved(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := t.TempDir()
	path := filepath.Join(dir, badger.Folder)
	private := func(when string) {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(path, "*"))
		if err != nil || len(names) < 4 {
			t.Fatalf("%s there are %q, %v", when, names, err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s %s is %v, %v", when, filepath.Base(name), info.Mode(), err)
			}
		}
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(db, t, "c", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	private("open")
	const space = 20 << 20
	for name, size := range map[string]int64{"00001.mem": 32 << 20, "00002.mem": 0} {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := blocks(t, filepath.Join(path, name)); info.Size() != size || got < space {
			t.Errorf("%s has %d bytes, and takes %d", name, info.Size(), got)
		}
	}
	large := `{"html":"` + strings.Repeat("0123456789", 300_000) + `"}`
	if err := put(db, t, "large", large); err != nil {
		t.Fatal(err)
	}
	if got := blocks(t, filepath.Join(path, "000001.vlog")); got < 16<<20+int64(len(large)) {
		t.Errorf("the value log takes %d", got)
	}
	for n := range 20 { // more than a log has
		if err := put(db, t, fmt.Sprint("n", n), unpackable(500_000)); err != nil {
			t.Fatal(err)
		}
	}
	private("written")
	if got := blocks(t, filepath.Join(path, "00003.mem")); got < space {
		t.Errorf("the third log takes %d", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	private("closed")
	if names, err := filepath.Glob(filepath.Join(path, "*.mem")); err != nil || len(names) > 0 {
		t.Errorf("there is %q, %v", names, err)
	}
	again := open(t, dir)
	for id, want := range map[string]string{"c": `{"n":1}`, "large": large} {
		if got, err := body(t, again, id); err != nil || got != want {
			t.Errorf("%s is %.40s, %v", id, got, err)
		}
	}
}

// unpackable is a body that cannot be packed.
func unpackable(size int) string {
	b := make([]byte, size)
	rand.Read(b)
	return `{"html":"` + hex.EncodeToString(b) + `"}`
}

// envFilled contains the path of a small disk, for the test binary that runs itself.
const envFilled = "BUGLE_STORE_TEST_FILLED"

// envReal names a folder on an existing small disk, for manual runs on another file system.
const envReal = "BUGLE_STORE_TEST_DISK"

// Another program fills the disk in bursts, while writers fill logs and tables are written and merged: the process
// survives, refuses writes without space, reads, and writes again when there is space. Nothing acknowledged is lost.
func TestDiskFilled(t *testing.T) {
	if dir := os.Getenv(envFilled); dir != "" {
		if os.Getenv(envReal) == "" { // else the folder is on a small disk already
			if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=400m"); err != nil {
				fmt.Println("no mount:", err)
				os.Exit(3)
			}
		}
		for n := range *fills {
			fillDisk(t, dir, n, n > 0 && n == *fills-1)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestDiskFilled$", "-test.v", fmt.Sprint("-fills=", *fills))
	dir := os.Getenv(envReal)
	if dir == "" {
		dir = t.TempDir()
	}
	cmd.Env = append(os.Environ(), envFilled+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 3 {
		t.Skipf("NOT TESTED: this user cannot have a small disk of its own here: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v\n%.6000s", err, out)
	}
	t.Logf("%s", out)
}

const crew = 8 // writers

// fillDisk fills the disk, in the last round also as the store is closed.
func fillDisk(t *testing.T, dir string, round int, last bool) {
	disk := dir
	dir = filepath.Join(disk, fmt.Sprint("data", round))
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	before := db.Version()
	var saved [crew]sync.Map // id to body
	var refused, done atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for w := range crew {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				id, text := fmt.Sprintf("w%d-%d", w, n%5), unpackable(100_000+50_000*(n%4))
				switch err := saveText(db, id, text); {
				case err == nil:
					saved[w].Store(id, text)
					done.Add(1)
				case errors.Is(err, store.ErrDiskFull):
					saved[w].Delete(id) // either the previous one or this one exists
					refused.Add(1)
				default:
					t.Errorf("round %d: saving: %v", round, err)
					return
				}
			}
		})
	}
	until := func(what string, cond func() bool) {
		for !cond() {
			if t.Failed() {
				stop()
				all.Wait()
				t.Fatalf("round %d: waiting for %s", round, what)
			}
			if err := db.View(t.Context(), func(tx kv.Tx) error { // somebody reads all the time
				return kv.NewWorkspaceTx(tx, "DEMO").Summaries(func(engine.Summary) error { return nil })
			}); err != nil {
				t.Errorf("round %d: reading: %v", round, err)
			}
		}
	}
	until("logs to be full", func() bool { return done.Load() > int64(60+40*(round%5)) })
	waited := false
	for range 1 + 2*min(round, 1) {
		was := refused.Load()
		empty := fillUp(t, disk)
		until("a refusal", func() bool { return refused.Load() > was || db.Waiting() > 0 })
		waited = waited || db.Waiting() > 0
		empty()
		now := done.Load()
		until("writing again", func() bool { return done.Load() > now+crew })
	}
	stop()
	all.Wait()
	after := db.Version()
	empty := func() {}
	if last {
		empty = fillUp(t, disk)
	}
	closed := db.Close()
	if closed != nil && (!last || !errors.Is(closed, store.ErrDiskFull)) {
		t.Errorf("round %d: %v", round, closed)
	}
	empty()
	fmt.Printf("round %d: %d saved (versions %d to %d), %d refused, a table waited: %v, closed: %v\n", round, done.Load(), before, after, refused.Load(), waited, closed == nil)
	if closed != nil { // it is left to the next process, and this one still has its lock
		return
	}
	again, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	for w := range crew {
		saved[w].Range(func(id, want any) bool {
			if got, err := body(t, again, id.(string)); err != nil || got != want {
				t.Errorf("round %d: %s is not what was saved: %v", round, id, err)
			}
			return true
		})
	}
	if said := again.Notices(); len(said) > 0 {
		t.Errorf("round %d: it says %q", round, said)
	}
	if err := again.Close(); err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

// fillUp leaves no space on the disk, until it is emptied.
func fillUp(t *testing.T, disk string) (empty func()) {
	var all []*os.File
	for {
		f, err := os.CreateTemp(disk, "other-*")
		if err != nil {
			break
		}
		all = append(all, f)
		size := int64(8 << 20)
		for size >= 4096 && unix.Fallocate(int(f.Fd()), 0, 0, size) != nil {
			size /= 2
		}
		if size < 4096 {
			break
		}
	}
	return func() {
		for _, f := range all {
			if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func saveText(db kv.DB, id, text string) error {
	v, err := doc.Parse([]byte(text))
	if err != nil {
		return err
	}
	return db.Update(context.Background(), func(tx kv.Tx) error {
		h := engine.Head{ID: id}
		_, err := kv.NewWorkspaceTx(tx, "DEMO").PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h, Name: id}, engine.Revision{}, false)
		return err
	})
}

// failSync makes syncing a mapped file fail from now on: a page at its end is not mapped any more.
func failSync(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasSuffix(strings.TrimSpace(line), name) {
			var from, to uintptr
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
				t.Fatal(err)
			}
			page := uintptr(os.Getpagesize())
			if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, to-page, page, 0); errno != 0 {
				t.Fatal(errno)
			}
			return
		}
	}
	t.Fatalf("%s is not mapped", name)
}

// The outcome of a change whose sync fails is unknown. The error says so, nobody reads the change, and nothing more is
// written; the next opening recovers.
func TestSyncFails(t *testing.T) {
	large := `{"html":"` + strings.Repeat("0123456789", 200_000) + `"}`
	for file, text := range map[string]string{"00001.mem": `{"n":2}`, "000001.vlog": large} {
		t.Run(file, func(t *testing.T) {
			dir := t.TempDir()
			db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := put(db, t, "c", `{"n":1}`); err != nil {
				t.Fatal(err)
			}
			failSync(t, filepath.Join(dir, badger.Folder, file))
			for n := range 2 {
				err := put(db, t, "c", text)
				if err == nil || !strings.Contains(err.Error(), "the last changes may not be saved; start bugle again to see") {
					t.Errorf("change %d: %v", n, err)
				}
				text = `{"n":3}`
			}
			if got, err := body(t, db, "c"); err != nil || got != `{"n":1}` {
				t.Errorf("c is %.40s, %v", got, err)
			}
			if err := db.Close(); err != nil && file == "00001.mem" { // the value log is synced as it is closed
				t.Error(err)
			}
			again := open(t, dir)
			if got, err := body(t, again, "c"); err != nil || got == `{"n":3}` {
				t.Errorf("c is %.40s, %v", got, err)
			}
			if err := put(again, t, "c", `{"n":4}`); err != nil {
				t.Error(err)
			}
		})
	}
}
