package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"bugle/cmd/bugle/internal/profiles"
	"bugle/engine"
	"bugle/engine/copies"
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
				fmt.Fprintln(f.err, "bugle: "+waitWords(w))
			}
		}
	})
}

func (f *factory) remote(p profiles.Profile, more func(*remote.Config)) (*remote.Service, error) {
	c := p.Config()
	c.Key = p.KeyOf(f.getenv)
	c.UserAgent = "bugle/" + version()
	more(&c)
	s, err := remote.New(c)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", p.Name, err)
	}
	return s, nil
}

// waitWords tells what a call waits for, and how long.
func waitWords(w remote.Wait) string {
	return fmt.Sprintf("waiting %s: %s; ctrl+c ends it", w.For.Round(time.Second), w.Why)
}

// remoteDeps gives the screens what they need for a profile. Edits wait in files of this machine
// until they are applied.
func (f *factory) remoteDeps(deps screen.Deps, p profiles.Profile, more func(*remote.Config)) (screen.Deps, error) {
	svc, err := f.remote(p, more)
	if err != nil {
		return deps, err
	}
	dir := f.getenv("XDG_STATE_HOME")
	if dir == "" {
		dir = xdg.StateHome
	}
	deps.Service, deps.Workspace, deps.Author = svc, p.Workspace+" @ "+p.Name, f.author(p.Author)
	deps.Copies = copies.In(filepath.Join(dir, "bugle", "edits", p.Name, p.Workspace))
	return deps, nil
}
