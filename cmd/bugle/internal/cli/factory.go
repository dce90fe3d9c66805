// Package cli contains what the commands share: streams, output, errors and exit codes, access to the store and to
// remotes, choices and completions, and reading files.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/schema"
	"bugle/engine/service/activity"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/postgres"
)

// The environment variables that are read.
const (
	EnvData      = "BUGLE_DATA"
	EnvWorkspace = "BUGLE_WORKSPACE"
	EnvAuthor    = "BUGLE_AUTHOR"
	EnvTheme     = "BUGLE_THEME"
)

// Factory provides what commands work with, opened on first use.
type Factory struct {
	Printer
	Environment

	// running reports that the arguments were parsed and a command is running; command is its name.
	running bool
	command string

	// Last, if set, is called after everything is written.
	Last func()

	store   *Store
	Notices Notices
	Fresh   *crypt.Key // the key for a new store, if it is to be encrypted
	keys    *storekey.Ring
	db      *postgres.DB // store in a database, once opened
}

// New returns a factory for the streams and environment of a process.
func New(io Streams, getenv func(string) string) *Factory {
	return &Factory{Printer: Printer{Streams: io}, Environment: Environment{Getenv: getenv}}
}

// Keys returns the source of the keys of encrypted stores.
func (f *Factory) Keys() *storekey.Ring {
	if f.keys == nil {
		f.keys = storekey.New(f.Getenv)
	}
	return f.keys
}

// Environment determines the store, the remotes, and the folders from the environment variables and persistent flags.
type Environment struct {
	Getenv func(string) string

	// The persistent flags.
	Data       string
	Workspace  string
	RemoteName string
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// data returns the location of the store: --data, BUGLE_DATA, or "".
func (e *Environment) data() string { return cmp.Or(e.Data, e.Getenv(EnvData)) }

// Database returns the URL of the database that contains the store, or false if the store is in a folder.
func (e *Environment) Database() (url string, ok bool) {
	url = e.data()
	return url, postgres.IsURL(url)
}

// Place returns the location of the store for people: the folder, or the URL of the database without its secrets.
func (e *Environment) Place() string {
	if url, ok := e.Database(); ok {
		return postgres.Redact(url)
	}
	return e.DataDir()
}

// DataDir returns the folder of the store: --data, BUGLE_DATA, or the XDG data folder. For a store in a database, it
// returns the XDG data folder, where this machine keeps backups.
func (e *Environment) DataDir() string {
	if _, ok := e.Database(); !ok && e.data() != "" {
		return e.data()
	}
	return filepath.Join(cmp.Or(e.Getenv("XDG_DATA_HOME"), xdg.DataHome), "bugle")
}

// mistyped matches what is no name of a folder, but was meant as the URL or the settings of a database or another server,
// and may have a password.
var mistyped = regexp.MustCompile(`(?i)://|^\s*postgres(ql)?(:|//)|pass(word|wd)?\s*=|[^/\\@:]+:[^/\\@]+@`)

// checkData returns an error for what is neither a folder nor the URL of a database, and for a password that other users of
// the machine could read.
func (e *Environment) checkData() error {
	switch isURL := postgres.IsURL(e.data()); {
	case !isURL && mistyped.MatchString(e.data()): // which is not printed
		return Misused("the store must be a folder or a postgres:// URL, and what --data or %s has is neither; write it as postgres://USER@HOST/DATABASE", EnvData)
	case isURL && postgres.HasPassword(e.Data):
		return Misused("--data must not have a password, because other users of this machine can see it; put it in %s, PGPASSWORD or ~/.pgpass", EnvData)
	}
	return nil
}

// CheckFolder returns [ErrNoWorkspace] if there is no store in the folder, without creating one.
func (e *Environment) CheckFolder() error {
	switch _, err := os.Stat(filepath.Join(e.DataDir(), badger.Folder)); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoWorkspace
	default:
		return fmt.Errorf("cannot read %s: %w; %s", e.DataDir(), Cause(err), store.FolderRemedy(e.DataDir(), err))
	}
}

// ErrNoWorkspace reports that the store has no workspace yet.
var ErrNoWorkspace = errors.New("no workspace yet; create one with `bugle init`, or with sample data with `bugle init --sample`")

// Wanted returns the id of the requested workspace: that of --workspace, of BUGLE_WORKSPACE, or the one in use in this store;
// or "".
func (e *Environment) Wanted() (string, error) {
	if id := cmp.Or(e.Workspace, e.Getenv(EnvWorkspace)); id != "" {
		return id, nil
	}
	return e.WorkspaceInUse()
}

// WorkspaceInUse returns the id of the workspace that `bugle workspace use` chose for this store, or "".
func (e *Environment) WorkspaceInUse() (string, error) {
	file, err := e.RemotesFile()
	if err != nil {
		return "", err
	}
	return file.Workspace(e.storeName()), nil
}

// UseWorkspace makes commands use a workspace of this store from now on; "" makes them use none.
func (e *Environment) UseWorkspace(id string) error {
	file, err := e.RemotesFile()
	if err != nil {
		return err
	}
	return file.UseWorkspace(e.storeName(), id)
}

// storeName returns the name of the store in the settings of the user: the whole path of its folder, or the URL of its
// database without secrets.
func (e *Environment) storeName() string {
	if _, ok := e.Database(); !ok {
		if dir, err := filepath.Abs(e.DataDir()); err == nil {
			return dir
		}
	}
	return e.Place()
}

// Service opens the service of the local workspace. It does not create a store, and fails if a remote is in use.
func (f *Factory) Service(ctx context.Context) (activity.Service, error) {
	s, err := f.Store(ctx)
	if err != nil {
		return nil, err
	}
	id, err := f.WorkspaceID(ctx, s)
	if err != nil {
		return nil, err
	}
	return s.Service(ctx, id)
}

// Author returns the email address to sign changes with: BUGLE_AUTHOR, that of the workspace, the one that git signs with, or
// one made from the names of the user and the machine.
func (e *Environment) Author(ofWorkspace string) string {
	if a := cmp.Or(e.Getenv(EnvAuthor), ofWorkspace); a != "" {
		return a
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "git", "config", "user.email").Output(); err == nil {
		if a := strings.TrimSpace(string(out)); schema.Email.Matches(a) {
			return a
		}
	}
	host, err := os.Hostname()
	if a := cmp.Or(e.Getenv("USER"), "me") + "@" + host; err == nil && schema.Email.Matches(a) {
		return a
	}
	return "me@localhost"
}

// Signer returns by, or else the author of changes.
func (f *Factory) Signer(ctx context.Context, svc engine.Service, by string) (string, error) {
	if by != "" {
		return by, nil
	}
	k, ok := svc.(engine.WorkspaceStore)
	if !ok {
		p, _, err := f.Remote()
		return f.Author(p.Author), err
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return "", err
	}
	return f.Author(w.Author), nil
}

// ConfigDir returns the folder of the user's configuration (XDG base directories).
func (e *Environment) ConfigDir() string {
	return filepath.Join(cmp.Or(e.Getenv("XDG_CONFIG_HOME"), xdg.ConfigHome), "bugle")
}

// Trust returns the list of keys that the push gateways of a store may use on this machine.
func (e *Environment) Trust() secret.Trust {
	return secret.Trust{Path: filepath.Join(e.ConfigDir(), secret.TrustFile)}
}

// ThemesDir returns the folder of the user's own themes.
func (e *Environment) ThemesDir() string { return filepath.Join(e.ConfigDir(), "themes") }
