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

	"bugle/cmd/bugle/internal/profiles"
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

// factory gives commands what they work with, opened when first asked for.
type factory struct {
	streams
	getenv func(string) string

	// The flags that every command has.
	data       string
	workspace  string
	remoteName string
	json       bool

	// running says that the arguments were taken and a command has begun its work.
	running bool

	// last is called when everything was said; nil: nothing is.
	last func()

	node    *attach.Node
	heard   sync.WaitGroup // what the node tells
	notices notices
	sealing storeKeys
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// dataDir is the folder of the store: --data, BUGLE_DATA, or the XDG data folder.
func (f *factory) dataDir() string {
	switch {
	case f.data != "":
		return f.data
	case f.getenv(envData) != "":
		return f.getenv(envData)
	case f.getenv("XDG_DATA_HOME") != "":
		return filepath.Join(f.getenv("XDG_DATA_HOME"), "bugle")
	}
	return filepath.Join(xdg.DataHome, "bugle")
}

// url matches what begins as a URL does, and no path of a folder.
var url = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]+://`)

// checkDataDir refuses a URL as the folder of the store.
func (f *factory) checkDataDir() error {
	scheme := url.FindString(f.dataDir())
	if scheme == "" {
		return nil
	}
	return misused("this bugle keeps its store in a folder, not at %s: name a folder with --data or %s", scheme, envData) // the rest may hold a password
}

// hasStore reports whether there is a store already, without making one.
func (f *factory) hasStore() (bool, error) {
	_, err := os.Stat(filepath.Join(f.dataDir(), badger.Folder))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, fmt.Errorf("cannot look into %s: %w; choose another folder with --data or %s", f.dataDir(), cause(err), envData)
}

// errNoWorkspace says that the store holds no workspace yet.
var errNoWorkspace = errors.New("there is no workspace here yet; `bugle init --sample` makes one to try things in, `bugle init` an empty one")

// wanted gives the workspace that is asked for; empty where none is.
func (f *factory) wanted() string {
	if f.workspace != "" {
		return f.workspace
	}
	return f.getenv(envWorkspace)
}

// service opens the local service of the workspace. Where there is no store it makes none, and
// with a profile it refuses: what it is asked for is this machine's own.
func (f *factory) service(ctx context.Context) (attach.Service, error) {
	if p, ok, err := f.remoteProfile(); err != nil {
		return nil, err
	} else if ok {
		return nil, misused("this works on a workspace of this machine, and profile %s is remote; add --profile %s", p.Name, profiles.Local)
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

// author is the e-mail address that changes are signed with: BUGLE_AUTHOR, that of the
// workspace, or one made of the names of the user and the machine.
func (f *factory) author(ofWorkspace string) string {
	if a := f.getenv(envAuthor); a != "" {
		return a
	}
	if ofWorkspace != "" {
		return ofWorkspace
	}
	user := f.getenv("USER")
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

// signer gives who changes something: by where it was said, or the author.
func (f *factory) signer(ctx context.Context, svc engine.Service, by string) (string, error) {
	if by != "" {
		return by, nil
	}
	k, ok := svc.(engine.WorkspaceKeeper)
	if !ok {
		p, _, err := f.remoteProfile()
		return f.author(p.Author), err
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return "", err
	}
	return f.author(w.Author), nil
}
