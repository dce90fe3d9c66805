package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/edit"
	"bugle/engine/service/offline"
	"bugle/engine/service/remote"
)

// EnvRemote is the environment variable that selects a remote.
const EnvRemote = "BUGLE_REMOTE"

// RemotesFile opens the file of remotes in the XDG configuration folder.
func (e *Environment) RemotesFile() (*remotes.File, error) { return remotes.Open(e.ConfigDir()) }

// Remote returns the selected remote: --remote, BUGLE_REMOTE, or the one in use; --data goes before the last two. The
// second result is false for a store.
func (e *Environment) Remote() (remotes.Remote, bool, error) {
	name := e.RemoteName
	if name == "" && e.Data == "" {
		name = e.Getenv(EnvRemote)
	}
	if name == remotes.Local || name == "" && e.Data != "" {
		return remotes.Remote{}, false, nil
	}
	file, err := e.RemotesFile()
	if err != nil {
		return remotes.Remote{}, false, err
	}
	if name = cmp.Or(name, file.Current()); name == "" {
		return remotes.Remote{}, false, nil
	}
	p, err := file.Get(name)
	if err != nil {
		return p, false, Misuse(err)
	}
	return p, true, nil
}

// remoteOrigin describes what selects a remote without --remote.
func (e *Environment) remoteOrigin() string {
	if e.Getenv(EnvRemote) != "" {
		return ", which " + EnvRemote + " selects,"
	}
	return ", which is in use,"
}

// Campaigns returns the service of the ten API operations: that of the remote, or of the local workspace.
func (f *Factory) Campaigns(ctx context.Context) (engine.Service, error) {
	p, ok, err := f.Remote()
	if err != nil {
		return nil, err
	}
	if !ok {
		return f.Service(ctx)
	}
	return f.Dial(p, func(c *remote.Config) {
		c.Waiting = func(_ context.Context, w remote.Wait) {
			if !w.Done && w.For >= 500*time.Millisecond { // nobody notices less
				fmt.Fprintln(f.Err, "bugle: "+Line(waitWords(w)))
			}
		}
	})
}

// Dismissals returns what keeps the dismissed warnings of the campaigns of a service: the service itself or, for a remote,
// files on this machine, beside the edits that are not applied.
func (f *Factory) Dismissals(svc engine.Service) (engine.DismissalStore, error) {
	if kept, ok := svc.(engine.DismissalStore); ok {
		return kept, nil
	}
	p, _, err := f.Remote()
	return f.FilesOf(p), err
}

// FilesOf returns the folder on this machine for the edits and dismissed warnings of a remote.
func (e *Environment) FilesOf(p remotes.Remote) edit.FileStore {
	return edit.NewFileStore(filepath.Join(e.StateDir(), "edits", Folder(p.Name), Folder(p.Workspace)))
}

// Dial returns the service of a remote. more may change its configuration.
func (e *Environment) Dial(p remotes.Remote, more func(*remote.Config)) (*remote.Service, error) {
	c := e.remoteConfig(p)
	more(&c)
	s, err := remote.New(c)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", p.Name, err)
	}
	return s, nil
}

func (e *Environment) remoteConfig(p remotes.Remote) remote.Config {
	c := p.Config()
	c.Key = p.KeyOf(e.Getenv)
	c.UserAgent = "bugle/" + Version()
	return c
}

// waitWords describes what a call is waiting for, and how long.
func waitWords(w remote.Wait) string {
	return fmt.Sprintf("waiting %s: %s (ctrl+c cancels)", w.For.Round(time.Second), w.Why)
}

// Remembering returns the service of a remote for the terminal program, with a cache on this machine that is readable
// while the service is offline.
func (e *Environment) Remembering(p remotes.Remote, observe func(remote.Exchange)) (*offline.Service, error) {
	c := e.remoteConfig(p)
	c.Observe = observe
	// The cache is separate for each service, even if a remote with the same name is changed.
	where := sha256.Sum256([]byte(strings.Join([]string{c.BaseURL, c.DC, c.Workspace}, "\n")))
	s, err := offline.Open(c, offline.Options{Dir: filepath.Join(e.StateDir(), "read", Folder(p.Name), hex.EncodeToString(where[:8]))})
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", p.Name, err)
	}
	return s, nil
}

// Folder returns a folder name for the name of a remote or workspace, which might otherwise be a path.
func Folder(name string) string {
	if filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\`+"\x00") {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "-" + hex.EncodeToString(sum[:8])
}

// StateDir returns the folder for state between two starts (XDG base directories).
func (e *Environment) StateDir() string {
	return filepath.Join(cmp.Or(e.Getenv("XDG_STATE_HOME"), xdg.StateHome), "bugle")
}
