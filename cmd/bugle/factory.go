package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"bugle/engine/local"
	"bugle/store"
	"bugle/store/badger"
)

// factory gives commands what they work with, opened when first asked for.
type factory struct {
	streams
	getenv func(string) string

	// The flags that every command has.
	data      string
	workspace string
	json      bool

	db  *badger.DB
	log *os.File
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// dataDir is the folder of the store: --data, BUGLE_DATA, or the XDG data folder.
func (f *factory) dataDir() string {
	switch {
	case f.data != "":
		return f.data
	case f.getenv("BUGLE_DATA") != "":
		return f.getenv("BUGLE_DATA")
	case f.getenv("XDG_DATA_HOME") != "":
		return filepath.Join(f.getenv("XDG_DATA_HOME"), "bugle")
	}
	return filepath.Join(xdg.DataHome, "bugle")
}

// hasStore reports whether there is a store already, without making one.
func (f *factory) hasStore() bool {
	_, err := os.Stat(filepath.Join(f.dataDir(), "MANIFEST"))
	return err == nil
}

// store opens the store; every command that needs it shares the one.
func (f *factory) store(ctx context.Context) (*badger.DB, error) {
	if f.db != nil {
		return f.db, nil
	}
	db, err := badger.Open(ctx, badger.Options{Dir: f.dataDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	f.db = db
	return db, nil
}

func (f *factory) close() error {
	if f.db == nil {
		return nil
	}
	db := f.db
	f.db = nil
	if err := db.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}

// errNoWorkspace says that the store holds no workspace yet.
var errNoWorkspace = errors.New("there is no workspace here yet; `bugle init --sample` makes one to try things in, `bugle init` an empty one")

// workspaceID gives the workspace to work in: the one asked for, or the only one there is.
func (f *factory) workspaceID(ctx context.Context, db store.DB) (string, error) {
	id := f.workspace
	if id == "" {
		id = f.getenv("BUGLE_WORKSPACE")
	}
	var ids []string
	err := db.View(ctx, func(tx store.Tx) error {
		var err error
		ids, err = store.Workspaces(tx)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(ids) == 0:
		return "", errNoWorkspace
	case id == "" && len(ids) == 1:
		return ids[0], nil
	case id == "":
		return "", misused("there are several workspaces (%s); choose one with --workspace", strings.Join(ids, ", "))
	}
	for _, have := range ids {
		if have == id {
			return id, nil
		}
	}
	return "", misused("there is no workspace %q here; there is %s", id, strings.Join(ids, ", "))
}

// service opens the local service of the workspace.
func (f *factory) service(ctx context.Context) (*local.Service, string, error) {
	db, err := f.store(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := f.workspaceID(ctx, db)
	if err != nil {
		return nil, "", err
	}
	s, err := local.Open(db, id, local.Options{})
	return s, id, err
}

// author is the e-mail address that changes are signed with: BUGLE_AUTHOR, or what the
// workspace says.
func (f *factory) author(workspace string) string {
	if a := f.getenv("BUGLE_AUTHOR"); a != "" {
		return a
	}
	if workspace != "" {
		return workspace
	}
	user := f.getenv("USER")
	if user == "" {
		user = "me"
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	return user + "@" + host
}
