package main

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
	"bugle/ui/screen"
)

// The environment variables that name the remote to use; the second is what earlier versions read.
const (
	envRemote       = "BUGLE_REMOTE"
	envFormerRemote = "BUGLE_PROFILE"
)

// remotesFile opens the file of remotes, which is in the XDG configuration folder.
func (e *environment) remotesFile() (*remotes.File, error) { return remotes.Open(e.configDir()) }

// remote returns the remote to work with: --remote, BUGLE_REMOTE, or the one in use. The second result is false
// for the store on this machine.
func (e *environment) remote() (remotes.Remote, bool, error) {
	name := cmp.Or(e.remoteName, e.getenv(envRemote), e.getenv(envFormerRemote))
	if name == remotes.Local {
		return remotes.Remote{}, false, nil
	}
	file, err := e.remotesFile()
	if err != nil {
		return remotes.Remote{}, false, err
	}
	if name == "" && e.data == "" {
		name = file.Current()
	}
	if name == "" {
		return remotes.Remote{}, false, nil
	}
	p, err := file.Get(name)
	if err != nil {
		return p, false, misuse(err)
	}
	return p, true, nil
}

// checkRemote fails if --remote names no remote.
func (e *environment) checkRemote() error {
	if e.remoteName == "" {
		return nil
	}
	_, _, err := e.remote()
	return err
}

// campaigns returns the service of the ten operations: that of the remote, or of the local workspace.
func (f *factory) campaigns(ctx context.Context) (engine.Service, error) {
	p, ok, err := f.remote()
	if err != nil {
		return nil, err
	}
	if !ok {
		return f.service(ctx)
	}
	return f.dial(p, func(c *remote.Config) {
		c.Waiting = func(w remote.Wait) {
			if !w.Over {
				fmt.Fprintln(f.err, "bugle: "+line(waitWords(w)))
			}
		}
	})
}

func (e *environment) dial(p remotes.Remote, more func(*remote.Config)) (*remote.Service, error) {
	c := e.remoteConfig(p)
	more(&c)
	s, err := remote.New(c)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", p.Name, err)
	}
	return s, nil
}

func (e *environment) remoteConfig(p remotes.Remote) remote.Config {
	c := p.Config()
	c.Key = p.KeyOf(e.getenv)
	c.UserAgent = "bugle/" + version()
	return c
}

// waitWords describes what a call waits for, and how long.
func waitWords(w remote.Wait) string {
	return fmt.Sprintf("waiting %s: %s (ctrl+c cancels)", w.For.Round(time.Second), w.Why)
}

// remembering returns the service of a remote for the terminal program: what was read from it is cached on this
// machine, and stays readable while the service is offline.
func (e *environment) remembering(p remotes.Remote, observe func(remote.Exchange)) (*offline.Service, error) {
	c := e.remoteConfig(p)
	c.Observe = observe
	// What one service said is not what another one says, though the remote has the same name.
	where := sha256.Sum256([]byte(strings.Join([]string{c.BaseURL, c.DC, c.Workspace}, "\n")))
	s, err := offline.Open(c, offline.Options{Dir: filepath.Join(e.stateDir(), "read", folder(p.Name), hex.EncodeToString(where[:8]))})
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", p.Name, err)
	}
	return s, nil
}

// folder returns a name of a folder for a name of a remote or workspace, which could be a path elsewhere.
func folder(name string) string {
	if filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\`+"\x00") {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "-" + hex.EncodeToString(sum[:8])
}

// stateDir is the folder of what this machine remembers between two starts (XDG base directories).
func (e *environment) stateDir() string {
	dir := e.getenv("XDG_STATE_HOME")
	if dir == "" {
		dir = xdg.StateHome
	}
	return filepath.Join(dir, "bugle")
}

// remoteDeps returns what the screens need for the service of a remote. Edits are kept in files on this machine
// until they are applied.
func remoteDeps(f *factory, deps screen.Deps, p remotes.Remote, s *offline.Service) screen.Deps {
	deps.Service, deps.Workspace, deps.Author = s, p.Workspace+" @ "+p.Name, f.author(p.Author)
	deps.Copies = edit.CopiesIn(filepath.Join(f.stateDir(), "edits", folder(p.Name), folder(p.Workspace)))
	return deps
}
