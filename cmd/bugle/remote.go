package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"bugle/cmd/bugle/internal/profiles"
	"bugle/engine"
	"bugle/engine/copies"
	"bugle/engine/offline"
	"bugle/engine/remote"
	"bugle/ui/screen"
)

const envProfile = "BUGLE_PROFILE"

// profileFile is the file of profiles: in the XDG configuration folder.
func (f *factory) profileFile() (*profiles.File, error) {
	dir := f.getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir = xdg.ConfigHome
	}
	return profiles.Open(filepath.Join(dir, "bugle", "profiles.json"))
}

// remoteProfile gives the profile to work with: --profile, BUGLE_PROFILE, or the one in use. The
// second result is false for this machine's own store.
func (f *factory) remoteProfile() (profiles.Profile, bool, error) {
	name := f.remoteName
	if name == "" {
		name = f.getenv(envProfile)
	}
	if name == profiles.Local {
		return profiles.Profile{}, false, nil
	}
	file, err := f.profileFile()
	if err != nil {
		return profiles.Profile{}, false, err
	}
	if name == "" && f.data == "" {
		name = file.Current()
	}
	if name == "" {
		return profiles.Profile{}, false, nil
	}
	p, err := file.Get(name)
	if err != nil {
		return p, false, usageError{err}
	}
	return p, true, nil
}

// campaigns gives the service of the ten operations: the profile's, or the local workspace's.
func (f *factory) campaigns(ctx context.Context) (engine.Service, error) {
	p, ok, err := f.remoteProfile()
	if err != nil {
		return nil, err
	}
	if !ok {
		return f.service(ctx)
	}
	return f.remote(p, func(c *remote.Config) {
		c.Waiting = func(w remote.Wait) {
			if !w.Over {
				fmt.Fprintln(f.err, "bugle: "+line(waitWords(w)))
			}
		}
	})
}

func (f *factory) remote(p profiles.Profile, more func(*remote.Config)) (*remote.Service, error) {
	c := f.remoteConfig(p)
	more(&c)
	s, err := remote.New(c)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return s, nil
}

func (f *factory) remoteConfig(p profiles.Profile) remote.Config {
	c := p.Config()
	c.Key = p.KeyOf(f.getenv)
	c.UserAgent = "bugle/" + version()
	return c
}

// waitWords tells what a call waits for, and how long.
func waitWords(w remote.Wait) string {
	return fmt.Sprintf("waiting %s: %s; ctrl+c ends it", w.For.Round(time.Second), w.Why)
}

// remembering gives the service of a profile for somebody at a terminal: what was read from it is kept
// in files of this machine, and stays readable while it cannot be reached.
func (f *factory) remembering(p profiles.Profile, observe func(remote.Exchange)) (*offline.Service, error) {
	c := f.remoteConfig(p)
	c.Observe = observe
	// What one service said is not what another one says, though the profile has the same name.
	where := sha256.Sum256([]byte(strings.Join([]string{c.BaseURL, c.DC, c.Workspace}, "\n")))
	s, err := offline.Open(c, offline.Options{Dir: filepath.Join(f.stateDir(), "read", folder(p.Name), hex.EncodeToString(where[:8]))})
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return s, nil
}

// folder gives the name of a folder for what a profile calls something, which may be the way to another one.
func folder(name string) string {
	if filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\`+"\x00") {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "-" + hex.EncodeToString(sum[:8])
}

// stateDir is the folder of what this machine remembers between two starts (XDG base directories).
func (f *factory) stateDir() string {
	dir := f.getenv("XDG_STATE_HOME")
	if dir == "" {
		dir = xdg.StateHome
	}
	return filepath.Join(dir, "bugle")
}

// remoteDeps gives the screens what they need for the service of a profile. Edits wait in files of
// this machine until they are applied.
func (f *factory) remoteDeps(deps screen.Deps, p profiles.Profile, s *offline.Service) screen.Deps {
	deps.Service, deps.Workspace, deps.Author = s, p.Workspace+" @ "+p.Name, f.author(p.Author)
	deps.Copies = copies.In(filepath.Join(f.stateDir(), "edits", folder(p.Name), folder(p.Workspace)))
	return deps
}
