// Package remotes stores what commands work on if nothing else is said: the remote in use, and the workspace in use of each
// store. It stores the configuration of the remotes, too. The file contains no secrets, only where to find the key of each
// service.
package remotes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/files"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/service/remote"
)

// Local is the name of the store on this machine, rather than a remote.
const Local = "local"

// Remote describes how to reach one workspace of a remote service. It contains the location of the key, not the key.
type Remote struct {
	Name      string           `json:"name"`
	BaseURL   string           `json:"base_url"` // may have a {dc} segment
	DC        string           `json:"dc,omitempty"`
	Workspace string           `json:"workspace"`
	Author    string           `json:"author,omitempty"`
	Key       engine.SecretRef `json:"key"`
	// Dialect maps the names of the specification to those of the service (CONTRACT.md, Dialects).
	Dialect  *remote.Dialect `json:"dialect,omitempty"`
	Insecure bool            `json:"insecure,omitempty"`
}

// FileName is the name of the file in the configuration folder.
const FileName = "remotes.json"

// File is the file of remotes.
type File struct {
	path string
	data contents
}

type contents struct {
	Current    string            `json:"current,omitempty"`
	Remotes    []Remote          `json:"remotes"`
	Workspaces map[string]string `json:"workspaces,omitempty"` // store → workspace in use
}

// Open reads the remotes of a configuration folder; without a file there are none.
func Open(dir string) (*File, error) {
	f := &File{path: filepath.Join(dir, FileName)}
	b, err := os.ReadFile(f.path)
	if err == nil {
		err = json.Unmarshal(b, &f.data)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the remotes in %s: %w", f.path, err)
	}
	return f, nil
}

// All returns the remotes, sorted by name.
func (f *File) All() []Remote { return slices.Clone(f.data.Remotes) }

// Current returns the name of the remote in use, or "" for the local store.
func (f *File) Current() string { return f.data.Current }

// Workspace returns the id of the workspace in use of a store, or "".
func (f *File) Workspace(store string) string { return f.data.Workspaces[store] }

// UseWorkspace selects a workspace of a store; "" selects none.
func (f *File) UseWorkspace(store, id string) error {
	if f.Workspace(store) == id {
		return nil
	}
	return f.update(func(c *contents) error {
		delete(c.Workspaces, store)
		if c.Workspaces == nil {
			c.Workspaces = map[string]string{}
		}
		if id != "" {
			c.Workspaces[store] = id
		}
		return nil
	})
}

// Get returns the remote of that name.
func (f *File) Get(name string) (Remote, error) { return f.data.get(name) }

func (c contents) get(name string) (Remote, error) {
	for _, r := range c.Remotes {
		if r.Name == name {
			return r, nil
		}
	}
	if len(c.Remotes) == 0 {
		return Remote{}, fmt.Errorf("no remote named %q; `bugle remote add` adds one", name)
	}
	var names []string
	for _, r := range c.Remotes {
		names = append(names, r.Name)
	}
	return Remote{}, fmt.Errorf("no remote named %q; choose from %s", name, strings.Join(append(names, Local), ", "))
}

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Put adds a remote, or replaces the one with its name.
func (f *File) Put(r Remote) error {
	if r.Name == Local {
		return fmt.Errorf("%q is the store on this machine; choose another name", Local)
	}
	if !name.MatchString(r.Name) {
		return fmt.Errorf("%q cannot be the name of a remote: use up to 64 letters, digits, dots, dashes and underscores", r.Name)
	}
	if err := secret.Check(r.Key); err != nil {
		return err
	}
	if _, err := remote.New(r.Config()); err != nil {
		return err
	}
	return f.update(func(c *contents) error {
		c.Remotes = append(slices.DeleteFunc(c.Remotes, func(o Remote) bool { return o.Name == r.Name }), r)
		slices.SortFunc(c.Remotes, func(a, b Remote) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
}

// Remove removes a remote. The caller must remove its key from the keyring.
func (f *File) Remove(name string) error {
	return f.update(func(c *contents) error {
		if _, err := c.get(name); err != nil {
			return err
		}
		c.Remotes = slices.DeleteFunc(c.Remotes, func(r Remote) bool { return r.Name == name })
		if c.Current == name {
			c.Current = ""
		}
		return nil
	})
}

// Use selects a remote; [Local] selects the store on this machine.
func (f *File) Use(name string) error {
	return f.update(func(c *contents) error {
		if c.Current = name; name == Local {
			c.Current = ""
			return nil
		}
		_, err := c.get(name)
		return err
	})
}

// update changes what the file contains now, which may be more than when it was opened.
func (f *File) update(change func(*contents) error) error {
	return files.Update(f.path, func(b []byte) ([]byte, error) {
		var next contents
		if b != nil {
			if err := json.Unmarshal(b, &next); err != nil {
				return nil, fmt.Errorf("cannot read the remotes in %s: %w", f.path, err)
			}
		}
		if err := change(&next); err != nil {
			return nil, err
		}
		f.data = next
		b, err := json.MarshalIndent(next, "", "  ")
		return append(b, '\n'), err
	})
}

// Config returns the configuration of the client of the remote, without its key.
func (r Remote) Config() remote.Config {
	c := remote.Config{BaseURL: r.BaseURL, DC: r.DC, Workspace: r.Workspace, Insecure: r.Insecure, Limits: true}
	if r.Dialect != nil {
		c.Dialect = *r.Dialect
	}
	return c
}

// KeyOf returns the function that fetches the key of the remote.
func (r Remote) KeyOf(getenv func(string) string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		key := getenv(r.Key.Env)
		if r.Key.Env == "" || key == "" {
			b, err := secret.Read(ctx, r.Key)
			if err != nil {
				return "", fmt.Errorf("cannot get the API key of remote %s: %w", r.Name, err)
			}
			key = string(b)
		}
		if strings.ContainsAny(key, "\r\n\x00") {
			return "", fmt.Errorf("cannot get the API key of remote %s: %s has a key with a line break", r.Name, secret.DescribeFully(r.Key))
		}
		return key, nil
	}
}
