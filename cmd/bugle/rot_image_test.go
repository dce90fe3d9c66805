//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
)

// rotSizes are the initial stores of rounds: the number of campaigns, and the usual and the maximum length of their
// texts. The first one is so small that all its blocks are verified when it opens.
var rotSizes = []struct{ campaigns, most, some int }{
	{150, 1_500, 6_000},
	{300, 4_000, 60_000},
	{350, 6_000, 20_000},
}

// rotImage is the files of a store as a process that was killed leaves them: tables of several levels, with
// several versions of campaigns and some deletions, and a log.
type rotImage struct {
	key   string // of the API
	model *rotModel
	files []rotFile
	whole []byte // a backup of it
}

type rotFile struct {
	name  string
	text  []byte // without the zeros at its end
	size  int64
	mtime time.Time
}

// rotFiller fills the store of an image.
type rotFiller struct {
	t     *testing.T
	dir   string
	kind  int
	rnd   *rand.Rand
	image *rotImage
	db    *badger.DB
	ids   []string
}

// newRotImage makes a store in several sessions.
func newRotImage(t *testing.T, kind int) *rotImage {
	t.Helper()
	f := &rotFiller{
		t: t, dir: t.TempDir(), kind: kind, rnd: rand.New(rand.NewPCG(uint64(kind), 11)),
		image: &rotImage{model: &rotModel{campaigns: map[string]*rotCampaign{}}},
	}
	many := rotSizes[kind].campaigns
	f.open()
	var err error
	if f.image.key, err = local.CreateWorkspace(t.Context(), f.db, crashSettings()); err != nil {
		t.Fatal(err)
	}
	f.profiles(100)
	var first string
	for range 4 { // each leaves a table, and four of them are compacted
		f.create(many * 2 / 10)
		f.change(many / 16)
		f.remove(many / 80)
		f.close()
		if first == "" {
			first = rotTables(t, f.dir)[0]
		}
		f.open()
	}
	for slices.Contains(rotTables(t, f.dir), first) {
		time.Sleep(time.Millisecond)
	}
	f.close()
	for range 2 {
		f.open()
		f.create(many / 20)
		f.change(many / 10)
		f.remove(many / 40)
		f.close()
	}
	f.open()
	f.create(many / 20)
	f.change(many / 10)
	f.image.read(t, filepath.Join(f.dir, badger.Folder))
	f.backup()
	f.close()
	return f.image
}

func (f *rotFiller) open() {
	f.t.Helper()
	var err error
	if f.db, err = badger.Open(f.t.Context(), badger.Options{Dir: f.dir}); err != nil {
		f.t.Fatal(err)
	}
}

func (f *rotFiller) close() {
	f.t.Helper()
	if err := f.db.Close(); err != nil {
		f.t.Fatal(err)
	}
}

func (f *rotFiller) update(change func(store.WorkspaceTx) error) {
	f.t.Helper()
	if err := f.db.Write(f.t.Context(), func(tx store.Tx) error { return change(tx.Workspace(crashWorkspace)) }); err != nil {
		f.t.Fatal(err)
	}
}

func (f *rotFiller) profiles(n int) {
	f.update(func(sp store.WorkspaceTx) error {
		for i := range n {
			id := fmt.Sprintf("user%d", i)
			p := engine.User{ID: id, Attributes: map[string]any{engine.AttrEmail: id + "@example.com", "Note": rotText(f.rnd, 300)}}
			if err := sp.PutProfile(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// create makes campaigns with random ids.
func (f *rotFiller) create(n int) {
	for range n {
		id := fmt.Sprintf("66%06x%016x", f.rnd.Uint32()>>8, f.rnd.Uint64())
		f.ids = append(f.ids, id)
		f.put(id)
	}
}

// change saves campaigns again.
func (f *rotFiller) change(n int) {
	for range n {
		f.put(f.ids[f.rnd.IntN(len(f.ids))])
	}
}

func (f *rotFiller) put(id string) {
	size := rotSizes[f.kind].most
	if f.rnd.IntN(6) == 0 {
		size = rotSizes[f.kind].some
	}
	name := "old-" + id
	body := doc.NewObject(rotBody(f.rnd, name, size)...)
	now := time.Now().UTC()
	h := engine.Head{
		ID: id, CampaignID: id, Status: catalog.Draft, Channel: catalog.Email, DeliveryType: catalog.OneTime,
		CreatedBy: crashAuthor, CreatedAt: now, UpdatedBy: crashAuthor, UpdatedAt: now,
	}
	c := engine.Campaign{Head: h, Body: body}
	f.update(func(sp store.WorkspaceTx) error {
		_, err := sp.PutCampaign(c, engine.Summarize(c), engine.Revision{At: now, By: crashAuthor}, false)
		return err
	})
	f.image.model.try(id, name, sumOf(body), now)
	f.image.model.done(id)
}

func (f *rotFiller) remove(n int) {
	for range n {
		at := f.rnd.IntN(len(f.ids))
		id := f.ids[at]
		f.ids = append(f.ids[:at], f.ids[at+1:]...)
		f.update(func(sp store.WorkspaceTx) error { return sp.DeleteCampaign(id) })
		f.image.model.tryDelete(id)
		f.image.model.deleted(id)
	}
}

func (f *rotFiller) backup() {
	f.t.Helper()
	file := filepath.Join(f.dir, "whole"+backup.Suffix)
	_, err := backup.Write(f.t.Context(), f.db, file, backup.Options{})
	if err == nil {
		f.image.whole, err = os.ReadFile(file)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// read reads the files of a store that is open.
func (m *rotImage) read(t *testing.T, folder string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "LOCK" {
			continue
		}
		info, err := f.Info()
		text, err2 := os.ReadFile(filepath.Join(folder, f.Name()))
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		m.files = append(m.files, rotFile{f.Name(), bytes.TrimRight(text, "\x00"), int64(len(text)), info.ModTime()})
	}
}

// has reports whether a file is one of the image's.
func (m *rotImage) has(name string) bool {
	return slices.ContainsFunc(m.files, func(f rotFile) bool { return f.name == name })
}

// write makes the store in a data folder.
func (m *rotImage) write(t *testing.T, dir string) {
	t.Helper()
	folder := filepath.Join(dir, badger.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.files {
		name := filepath.Join(folder, f.name)
		if err := errors.Join(os.WriteFile(name, f.text, 0o600), os.Truncate(name, f.size), os.Chtimes(name, f.mtime, f.mtime)); err != nil {
			t.Fatal(err)
		}
	}
}

// rotText returns text that no compression makes much shorter.
func rotText(rnd *rand.Rand, n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	b := make([]byte, n)
	for i := 0; i < n; {
		for x, k := rnd.Uint64(), 0; k < 10 && i < n; k++ {
			b[i], x, i = letters[x%64], x/64, i+1
		}
	}
	return string(b)
}

// rotBody returns the components of an email with a random text of that length.
func rotBody(rnd *rand.Rand, name string, size int) []doc.Member {
	content := crashParse(`{"content":{"email":{"subject":%q,"from_address":"shop@example.com","sender_name":"Shop","html_content":%q}}}`,
		"News of "+name, "<p>"+rotText(rnd, size)+"</p>"+crashEnd)
	return []doc.Member{crashBasics(name, "rot"), crashConnector(), doc.M(string(catalog.CampaignContent), content)}
}
