//go:build linux

package badger_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// What a power cut leaves is derived from the calls of a process, as strace records them: of a folder the names
// that were there when it was last synced, of a file what it holds where it was ever synced.

// node is a file or folder.
type node struct {
	live    map[string]*node // nil: a file
	durable map[string]*node
	changes []func(names map[string]*node) // since it was synced
	synced  bool                           // what it holds, once at least
	dirty   bool                           // it was written since
	content string                         // the path where that is found
}

// change changes the names in a folder.
func (n *node) change(fn func(names map[string]*node)) {
	fn(n.live)
	n.changes = append(n.changes, fn)
}

func newFolder() *node { return &node{live: map[string]*node{}, durable: map[string]*node{}} }

// disk is what a process has made of a folder.
type disk struct {
	t       *testing.T
	root    string
	keep    string // has what was in the folders that were removed, by their names
	tree    *node
	mapped  map[string]*node // by address
	acked   []string         // what the process has said
	swapped bool             // a store was renamed
	// seen is called after each durable change, and after each printed word.
	heard func()
	// files are all files that ever existed; their contents are reused when a trace is replayed.
	files    []*node
	contents []string
}

func newDisk(t *testing.T, root, keep string) *disk {
	return &disk{t: t, root: root, keep: keep, mapped: map[string]*node{}, heard: func() {}}
}

// file makes the node of a file.
func (d *disk) file(content string) *node {
	n := &node{content: content}
	if i := len(d.files); i < len(d.contents) {
		n.content = d.contents[i]
	}
	d.files = append(d.files, n)
	return n
}

// isRepeat returns the disk for going through a record again, with the contents that are known now.
func (d *disk) again(before *node) *disk {
	fresh := newDisk(d.t, d.root, d.keep)
	for _, n := range d.files {
		fresh.contents = append(fresh.contents, n.content)
	}
	fresh.tree = fresh.same(before)
	return fresh
}

// same copies a tree as it was scanned.
func (d *disk) same(n *node) *node {
	if n.live == nil {
		out := d.file("")
		out.synced = true
		return out
	}
	out := newFolder()
	for _, name := range slices.Sorted(maps.Keys(n.durable)) {
		out.live[name] = d.same(n.durable[name])
	}
	out.durable = maps.Clone(out.live)
	return out
}

// scan reads the files that exist before the process begins, which are all durable.
func (d *disk) scan(path string) *node {
	entries, err := os.ReadDir(path)
	if err != nil {
		d.t.Fatal(err)
	}
	n := newFolder()
	for _, e := range entries {
		if e.IsDir() {
			n.live[e.Name()] = d.scan(filepath.Join(path, e.Name()))
			continue
		}
		child := d.file(filepath.Join(path, e.Name()))
		child.synced = true
		n.live[e.Name()] = child
	}
	n.durable = maps.Clone(n.live)
	return n
}

// check finds a path of the process; nil, where it is elsewhere or not there.
func (d *disk) at(path string) (parent, n *node, name string) {
	rel, ok := strings.CutPrefix(path, d.root)
	if !ok {
		return nil, nil, ""
	}
	n = d.tree
	for part := range strings.SplitSeq(strings.Trim(rel, "/"), "/") {
		if part == "" {
			continue
		}
		if n == nil || n.live == nil {
			return nil, nil, ""
		}
		parent, n, name = n, n.live[part], part
	}
	return parent, n, name
}

var (
	callLine = regexp.MustCompile(`^\d+ +(\w+)\((.*)\) += (\S+)`)
	fdPath   = regexp.MustCompile(`^-?\w+<([^>]*)>`)
	atPath   = regexp.MustCompile(`(?:\w+<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)
	resumed  = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
)

// replay goes through the record of a process.
func (d *disk) replay(record string) {
	f, err := os.Open(record)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	begun := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if head, ok := strings.CutSuffix(line, " <unfinished ...>"); ok {
			begun[strings.Fields(line)[0]] = head
			continue
		}
		if m := resumed.FindStringSubmatch(line); m != nil {
			line = begun[m[1]] + m[2]
		}
		if m := callLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[3], "-") {
			d.call(m[1], m[2], m[3])
		}
	}
	if err := lines.Err(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *disk) call(name, args, result string) {
	var on *node
	if m := fdPath.FindStringSubmatch(args); m != nil {
		_, on, _ = d.at(m[1])
	}
	paths := []string{}
	for _, m := range atPath.FindAllStringSubmatch(args, -1) {
		path := m[2]
		if !filepath.IsAbs(path) {
			path = filepath.Join(m[1], path)
		}
		paths = append(paths, path)
	}
	switch name {
	case "openat", "mkdirat", "mkdir":
		parent, n, base := d.at(paths[0])
		switch {
		case parent == nil || n != nil:
		case name != "openat":
			made := newFolder()
			parent.change(func(names map[string]*node) { names[base] = made })
		case strings.Contains(args, "O_CREAT"):
			n = d.file("")
			n.synced = strings.Contains(args, "SYNC") // each write is
			parent.change(func(names map[string]*node) { names[base] = n })
		}
	case "renameat", "renameat2", "rename":
		from, n, base := d.at(paths[0])
		to, _, as := d.at(paths[1])
		if n == nil || to == nil {
			return
		}
		if from != to {
			d.t.Fatalf("%s is moved to another folder", paths[0])
		}
		from.change(func(names map[string]*node) { delete(names, base); names[as] = n })
		if base == badger.Folder+".new" {
			d.swapped = true
			for name, file := range n.live {
				if file.dirty || n.durable[name] != file {
					d.t.Errorf("%s is not durable as the store takes the place of another", name)
				}
			}
		}
		d.heard()
	case "unlinkat", "unlink", "rmdir":
		if parent, n, base := d.at(paths[0]); n != nil {
			if n.live == nil && n.content == "" || strings.HasPrefix(n.content, d.root) {
				n.content = filepath.Join(d.keep, filepath.Base(filepath.Dir(paths[0])), base)
			}
			parent.change(func(names map[string]*node) { delete(names, base) })
		}
	case "mmap":
		if i := strings.Index(args, "</"); i > 0 && strings.Contains(args, "PROT_WRITE") {
			path, _, _ := strings.Cut(args[i+1:], ">")
			_, n, _ := d.at(path)
			if d.mapped[result] = n; n != nil {
				n.dirty = true
			}
		}
	case "msync":
		at, _, _ := strings.Cut(args, ",")
		if n := d.mapped[at]; n != nil {
			n.synced, n.dirty = true, false
			d.heard()
		}
	case "fsync", "fdatasync":
		if on == nil {
			return
		}
		on.synced, on.dirty = true, false
		if on.live != nil {
			on.durable, on.changes = maps.Clone(on.live), nil
		} else if strings.Contains(args, "/MANIFEST>") {
			d.named(".sst", "a table is named")
		}
		d.heard()
	case "write", "pwrite64", "ftruncate":
		if on != nil {
			on.dirty = true
		}
		if strings.HasPrefix(args, "1<") && len(paths) > 0 {
			d.acked = append(d.acked, strings.TrimSuffix(filepath.Base(paths[0]), `\n`))
			d.named(".mem", "a change is acknowledged")
			d.named(".vlog", "a change is acknowledged")
			d.heard()
		}
	}
}

// named expects the names of all files of a kind that were ever synced, and so are in use, to be durable.
func (d *disk) named(ext, when string) {
	folder := d.tree.live[badger.Folder]
	if folder == nil {
		return
	}
	for name, n := range folder.live {
		if strings.HasSuffix(name, ext) && n.synced && folder.durable[name] != n {
			d.t.Errorf("%s while the name of %s is not durable", when, name)
		}
	}
}

// variants calls fn for what a power cut may leave now of the names in the folder itself: what was synced
// last, and that with any one change since.
func (d *disk) variants(fn func()) {
	was := d.tree.durable
	fn()
	for _, change := range d.tree.changes {
		d.tree.durable = maps.Clone(was)
		change(d.tree.durable)
		fn()
	}
	d.tree.durable = was
}

// survive makes what a power cut would leave now. Where the contents of a file are not known any more it
// reports false.
func (d *disk) survive(to string) (known bool) {
	var write func(n *node, to string) bool
	write = func(n *node, to string) bool {
		if n.live != nil {
			ok := os.MkdirAll(to, 0o700) == nil
			for name, child := range n.durable {
				ok = write(child, filepath.Join(to, name)) && ok
			}
			return ok
		}
		if !n.synced {
			return os.WriteFile(to, nil, 0o600) == nil
		}
		b, err := os.ReadFile(n.content)
		if err != nil && !strings.HasSuffix(to, ".mem") { // what the database removes it cuts off first
			return false
		}
		return os.WriteFile(to, b, 0o600) == nil
	}
	return write(d.tree, to)
}

// locate records where the contents of the files that remain after the process are.
func (d *disk) locate(n *node, path string) {
	for name, child := range n.live {
		if child.live != nil {
			d.locate(child, filepath.Join(path, name))
		} else {
			child.content = filepath.Join(path, name)
		}
	}
}

// record runs this binary under strace, to do something in dir, and returns the path of its record.
func record(t *testing.T, dir, keep, do string) string {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("NOT TESTED: strace is not installed, and what a power cut leaves cannot be told")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "record")
	cmd := exec.CommandContext(t.Context(), "strace", "-f", "-y", "-s", "64", "-o", out, "--seccomp-bpf",
		"-e", "trace=openat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mmap,msync,fsync,fdatasync,write,pwrite64,ftruncate", exe)
	cmd.Env = append(os.Environ(), envRole+"=traced", envDir+"="+dir, envDo+"="+do, envKeep+"="+keep)
	if text, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(text), "ptrace") {
			t.Skipf("NOT TESTED: strace cannot run here: %s", text)
		}
		t.Fatalf("%s: %v\n%s", do, err, text)
	}
	return out
}

const (
	envDo   = "BUGLE_STORE_TEST_DO"
	envKeep = "BUGLE_STORE_TEST_KEEP"
)

var firstKey, secondKey = crypt.Key{1}, crypt.Key{2}

func eitherKey(_ context.Context, id string) (crypt.Key, error) {
	for _, k := range []crypt.Key{firstKey, secondKey} {
		if k.ID() == id {
			return k, nil
		}
	}
	return crypt.Key{}, crypt.ErrNoKey
}

func init() { roles["traced"] = traced }

// traced does one thing, and ends as if it were killed.
func traced(dir string) int {
	ctx := context.Background()
	badger.SetBeforeRemove(func(path string) error {
		to := filepath.Join(os.Getenv(envKeep), filepath.Base(path))
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		files, err := os.ReadDir(path)
		for _, f := range files {
			err = errors.Join(err, os.Link(filepath.Join(path, f.Name()), filepath.Join(to, f.Name())))
		}
		return err
	})
	o := badger.Options{Dir: dir, Key: eitherKey}
	var err error
	switch os.Getenv(envDo) {
	case "init":
		o.Dir = filepath.Join(dir, "new", "data")
		var db *badger.DB
		if db, err = badger.Open(ctx, o); err == nil {
			err = savePlain(db, "c", `{"n":2}`)
		}
	case "mend":
		_, err = badger.Open(ctx, o)
	case "encrypt":
		_, err = rewrite(ctx, o, &firstKey, nil)
	case "rotate":
		_, err = rewrite(ctx, o, &secondKey, nil)
	case "decrypt":
		_, err = rewrite(ctx, o, nil, nil)
	case "restore":
		_, err = badger.Replace(ctx, dir, nil, badger.Filler{
			Fill:  func(ctx context.Context, db *badger.DB) error { return savePlain(db, "c", `{"n":2}`) },
			Check: func(context.Context, *badger.DB) error { return nil },
		})
	case "backup":
		var db *badger.DB
		if db, err = badger.Open(ctx, o); err == nil {
			if err = backup.MakeFolder(dir); err == nil {
				_, err = backup.Write(ctx, db, backup.Name(dir, time.Now()), backup.Options{})
			}
		}
	case "log", "table", "value":
		err = fillLogs(o, os.Getenv(envDo))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("done")
	return 0
}

// fillLogs saves campaigns until there is a third log, a log has become a table, or there is a third value
// log, and another one then.
func fillLogs(o badger.Options, until string) error {
	db, err := badger.Open(context.Background(), o)
	path := filepath.Join(o.Dir, badger.Folder)
	for n := 0; err == nil; n++ {
		size, name, gone := 500_000, "00003.mem", false
		switch until {
		case "table":
			name, gone = "00001.mem", true
		case "value":
			size, name = 1_000_000, "000003.vlog"
		}
		info, serr := os.Stat(filepath.Join(path, name))
		reached := serr == nil && info.Size() > 0
		if gone {
			reached = errors.Is(serr, fs.ErrNotExist)
		}
		id := fmt.Sprint("n", n)
		if err = savePlain(db, id, unpackable(size)); err == nil {
			fmt.Println("saved", id)
		}
		if reached {
			break
		}
	}
	return err
}

func savePlain(db kv.DB, id, text string) error {
	v, err := doc.Parse([]byte(text))
	if err != nil {
		return err
	}
	return db.Update(context.Background(), func(tx kv.Tx) error {
		h := engine.Head{ID: id}
		s := kv.NewWorkspaceTx(tx, "DEMO")
		_, err := s.PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h, Name: id}, engine.Revision{}, false)
		return errors.Join(err, s.PutSettings(engine.Workspace{ID: "DEMO"}))
	})
}

// After a power cut at any moment there is the store as it was or the new one, whole; and the new one as
// soon as that was reported.
func TestPowerCut(t *testing.T) {
	for _, do := range []string{"init", "mend", "encrypt", "rotate", "decrypt", "restore", "backup"} {
		t.Run(do, func(t *testing.T) { t.Parallel(); powerCut(t, do) })
	}
}

func powerCut(t *testing.T, do string) {
	root, keep := t.TempDir(), t.TempDir()
	o := badger.Options{Dir: root, Key: eitherKey}
	if do == "rotate" || do == "decrypt" {
		o.Encrypt = &firstKey
	}
	if do != "init" {
		db, err := badger.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(savePlain(db, "c", `{"n":1}`), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if do == "mend" {
		if err := os.Remove(filepath.Join(root, badger.Folder, "MANIFEST")); err != nil {
			t.Fatal(err)
		}
	}
	d := newDisk(t, root, keep)
	d.tree = d.scan(root)
	before := d.again(d.tree).tree
	text := record(t, root, keep, do)

	// The contents of files are those that they have at the end: so it is gone through twice.
	d.replay(text)
	if len(d.acked) != 1 || d.acked[0] != "done" {
		t.Fatalf("it says %q", d.acked)
	}
	d.locate(d.tree, root)
	end := filepath.Join(t.TempDir(), "end")
	if !d.survive(end) {
		t.Fatal("what a power cut leaves after the end is not known")
	}
	checkSurvivor(t, end, do, true)

	cuts := 0
	d = d.again(before)
	d.heard = func() {
		if !d.swapped || do == "mend" { // opening does not use the files of a damaged store
			return
		}
		d.variants(func() {
			cuts++
			at := filepath.Join(end, fmt.Sprint("cut", cuts))
			if !d.survive(at) {
				t.Errorf("what a power cut leaves is not known: %s", at)
			}
			checkSurvivor(t, at, do, false)
		})
	}
	d.replay(text)
	if cuts < 4 && (do == "encrypt" || do == "restore") {
		t.Errorf("only %d cuts were tried", cuts)
	}
}

// checkSurvivor opens the remaining store, which must be the new one if that was reported.
func checkSurvivor(t *testing.T, dir, do string, reported bool) {
	t.Helper()
	before, after := `{"n":1}`, `{"n":1}`
	keyBefore, keyAfter := "", ""
	switch do {
	case "init":
		dir, after = filepath.Join(dir, "new", "data"), `{"n":2}`
	case "restore":
		after = `{"n":2}`
	case "encrypt":
		keyAfter = firstKey.ID()
	case "rotate":
		keyBefore, keyAfter = firstKey.ID(), secondKey.ID()
	case "decrypt":
		keyBefore = firstKey.ID()
	case "backup":
		list, err := backup.List(dir, "")
		if err != nil || len(list) != 1 {
			t.Fatalf("the backups are %v, %v", list, err)
		}
		if _, err := backup.Verify(t.Context(), list[0].File, ""); err != nil {
			t.Error(err)
		}
	}
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir, Key: eitherKey})
	if err != nil {
		t.Error(err)
		return
	}
	key, _, err := badger.Encryption(dir)
	if err != nil || key != keyAfter && (reported || key != keyBefore) {
		t.Errorf("the store has the key %q, %v", key, err)
	}
	if text, err := body(t, db, "c"); err != nil || text != after && (reported || text != before) {
		t.Errorf("c is %s, %v", text, err)
	}
	if said := db.Notices(); len(said) > 0 {
		t.Errorf("it says %q", said)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// Acknowledged changes survive a power failure, even if their log, value log, or table was created a moment before.
func TestPowerCutWhileWriting(t *testing.T) {
	for _, do := range []string{"log", "table", "value"} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			d := newDisk(t, root, "")
			d.tree = d.scan(root)
			d.replay(record(t, root, t.TempDir(), do))
			d.locate(d.tree, root)
			end := filepath.Join(t.TempDir(), "end")
			if !d.survive(end) {
				t.Fatal("what a power cut leaves is not known")
			}
			db := open(t, end)
			if said := db.Notices(); len(said) > 0 {
				t.Errorf("it says %q", said)
			}
			n := 0
			for _, word := range d.acked {
				if id, ok := strings.CutPrefix(word, "saved "); ok {
					n++
					if _, err := body(t, db, id); err != nil {
						t.Errorf("%s was saved and is gone: %v", id, err)
					}
				}
			}
			if n < 5 {
				t.Errorf("only %s were saved: %q", strconv.Itoa(n), d.acked)
			}
		})
	}
}
