package bench

import (
	"context"
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store/badger"
)

// emptyStore creates a store with an empty workspace.
func (r *run) emptyStore(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp(r.tmp, "empty-"); err != nil {
		return "", err
	}
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return "", err
	}
	_, err = local.CreateWorkspace(ctx, db, engine.Workspace{ID: Workspace})
	return dir, errors.Join(err, db.Close())
}

// disk measures the disk space of an empty store, the filled store, and the program.
func (r *run) disk(ctx context.Context) error {
	empty, err := r.emptyStore(ctx)
	if err != nil {
		return err
	}
	if err := r.folder(empty, 0, atMost(ofValue, 1)); err != nil {
		return err
	}
	if err := r.folder(r.store, r.Campaigns); err != nil {
		return err
	}
	return r.binary()
}

// folder measures a closed store.
func (r *run) folder(dir string, campaigns int, targets ...Target) error {
	var apparent, onDisk int64
	known := true
	err := filepath.WalkDir(filepath.Join(dir, badger.Folder), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		n, ok := allocated(info)
		apparent, onDisk, known = apparent+info.Size(), onDisk+n, known && ok
		return nil
	})
	if err != nil {
		return err
	}
	what := "store"
	if campaigns == 0 {
		what = "empty store"
	}
	row := value(Disk, what+", apparent size", "MB", float64(apparent)/megabyte)
	if known {
		row.Campaigns = campaigns
		r.add(row)
		row = value(Disk, what+", allocated on the disk", "MB", float64(onDisk)/megabyte)
	}
	row.Campaigns, row.Targets = campaigns, targets
	r.add(row)
	return nil
}

// binary measures the size of the program without what `-ldflags=-s` strips.
func (r *run) binary() error {
	info, err := os.Stat(r.Program)
	if err != nil {
		return err
	}
	size, note := info.Size(), "as it is; only of an ELF file is known what could be stripped"
	if f, err := elf.Open(r.Program); err == nil {
		note = "it is stripped"
		for _, s := range f.Sections {
			if s.Name == ".symtab" || s.Name == ".strtab" || strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
				size -= int64(s.FileSize)
				note = "it is not stripped: without the symbols and debugging data that it has"
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
		if note != "it is stripped" {
			r.add(value(Disk, "program, as it is", "MB", float64(info.Size())/megabyte))
		}
	}
	row := value(Disk, "program, stripped", "MB", float64(size)/megabyte, atMost(ofValue, 40))
	row.Note = note
	r.add(row)
	return nil
}
