package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/schema"
	"bugle/store/badger"
)

// The environment variables that are read.
const (
	envData      = "BUGLE_DATA"
	envWorkspace = "BUGLE_WORKSPACE"
	envAuthor    = "BUGLE_AUTHOR"
	envTheme     = "BUGLE_THEME"
)

// factory provides what commands work with, opened on first use.
type factory struct {
	printer
	environment

	// running reports that the arguments were parsed and a command is running.
	running bool

	// last, if set, is called after everything is written.
	last func()

	node    *attach.Node
	heard   sync.WaitGroup // the reader of the node's notices
	notices notices
	sealing storeKeys
}

// newFactory returns a factory for the streams and environment of a process.
func newFactory(io streams, getenv func(string) string) *factory {
	return &factory{printer: printer{streams: io}, environment: environment{getenv: getenv}}
}

// environment finds the store, the remotes and the folders that the environment variables and persistent flags name.
type environment struct {
	getenv func(string) string

	// The persistent flags.
	data       string
	workspace  string
	remoteName string
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// dataDir returns the folder of the store: --data, BUGLE_DATA, or the XDG data folder.
func (e *environment) dataDir() string {
	switch {
	case e.data != "":
		return e.data
	case e.getenv(envData) != "":
		return e.getenv(envData)
	case e.getenv("XDG_DATA_HOME") != "":
		return filepath.Join(e.getenv("XDG_DATA_HOME"), "bugle")
	}
	return filepath.Join(xdg.DataHome, "bugle")
}

// url matches the beginning of a URL, and no path.
var url = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+://`)

// checkDataDir refuses a URL as the folder of the store.
func (e *environment) checkDataDir() error {
	scheme := url.FindString(e.dataDir())
	if scheme == "" {
		return nil
	}
	return misused("the store must be a folder, not the URL %s…; choose a folder with --data or %s", scheme, envData) // the rest may hold a password
}

// hasStore reports whether there is a store already, without making one.
func (e *environment) hasStore() (bool, error) {
	_, err := os.Stat(filepath.Join(e.dataDir(), badger.Folder))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, fmt.Errorf("cannot read %s: %w; choose another folder with --data or %s", e.dataDir(), cause(err), envData)
}

// errNoWorkspace reports that the store has no workspace yet.
var errNoWorkspace = errors.New("no workspace yet; create one with `bugle init`, or with sample data with `bugle init --sample`")

// wanted returns the id of the workspace that was asked for, or an empty string.
func (e *environment) wanted() string {
	if e.workspace != "" {
		return e.workspace
	}
	return e.getenv(envWorkspace)
}

// service opens the service of the local workspace. It does not create a store, and fails if a remote is in use.
func (f *factory) service(ctx context.Context) (attach.Service, error) {
	if p, ok, err := f.remote(); err != nil {
		return nil, err
	} else if ok {
		return nil, misused("this command works on local workspaces only, and %s is a remote; add --remote %s", p.Name, remotes.Local)
	}
	if have, err := f.hasStore(); err != nil {
		return nil, err
	} else if !have {
		return nil, errNoWorkspace
	}
	node, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	id, err := f.workspaceID(ctx, node)
	if err != nil {
		return nil, err
	}
	return node.Service(id), nil
}

// author returns the email address to sign changes with: BUGLE_AUTHOR, that of the workspace, or one made from the
// names of the user and the machine.
func (e *environment) author(ofWorkspace string) string {
	if a := e.getenv(envAuthor); a != "" {
		return a
	}
	if ofWorkspace != "" {
		return ofWorkspace
	}
	user := e.getenv("USER")
	if user == "" {
		user = "me"
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	if a := user + "@" + host; schema.Email.Matches(a) {
		return a
	}
	return "me@localhost"
}

// signer returns who makes a change: by, or else the author.
func (f *factory) signer(ctx context.Context, svc engine.Service, by string) (string, error) {
	if by != "" {
		return by, nil
	}
	k, ok := svc.(engine.WorkspaceKeeper)
	if !ok {
		p, _, err := f.remote()
		return f.author(p.Author), err
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return "", err
	}
	return f.author(w.Author), nil
}
