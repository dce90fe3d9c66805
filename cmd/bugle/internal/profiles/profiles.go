// Package profiles keeps what is needed to work against remote services: a file of profiles that
// holds no secret, and the ways to a profile's key.
package profiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"bugle/engine/remote"
)

// Local is the name that stands for no profile: the store of this machine.
const Local = "local"

// Profile says how to reach one remote workspace. It holds no key, but where the key is.
type Profile struct {
	Name      string `json:"name"`
	BaseURL   string `json:"base_url"` // may have a {dc} segment
	DC        string `json:"dc,omitempty"`
	Workspace string `json:"workspace"`
	Author    string `json:"author,omitempty"`
	Key       Source `json:"key"`
	// Dialect is the service's own words for those of the specification (gaps.md, Vendor words).
	Dialect  *remote.Dialect `json:"dialect,omitempty"`
	Insecure bool            `json:"insecure,omitempty"`
}

// Source says where a key is. Exactly one member is set.
type Source struct {
	Keyring bool     `json:"keyring,omitempty"` // the system's keyring
	Env     string   `json:"env,omitempty"`     // an environment variable
	Command []string `json:"command,omitempty"` // a command that prints it
}

// String names the source for people.
func (s Source) String() string {
	switch {
	case s.Keyring:
		return "the system keyring"
	case s.Env != "":
		return "the environment variable " + s.Env
	case len(s.Command) > 0:
		return "the command " + strings.Join(s.Command, " ")
	}
	return "nowhere"
}

// File is the file of profiles.
type File struct {
	path string
	data contents
}

type contents struct {
	Current  string    `json:"current,omitempty"`
	Profiles []Profile `json:"profiles"`
}

// Open reads the file; one that is not there has no profiles.
func Open(path string) (*File, error) {
	f := &File{path: path}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &f.data)
	}
	if err != nil {
		return nil, fmt.Errorf("the profiles in %s cannot be read: %w", path, err)
	}
	return f, nil
}

// All gives the profiles, by name.
func (f *File) All() []Profile { return slices.Clone(f.data.Profiles) }

// Current gives the name of the profile in use; empty for the local store.
func (f *File) Current() string { return f.data.Current }

// Get gives the profile of a name.
func (f *File) Get(name string) (Profile, error) {
	for _, p := range f.data.Profiles {
		if p.Name == name {
			return p, nil
		}
	}
	var names []string
	for _, p := range f.data.Profiles {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return Profile{}, fmt.Errorf("there is no profile %q, nor any other; `bugle profile add` makes one", name)
	}
	return Profile{}, fmt.Errorf("there is no profile %q; there is %s", name, strings.Join(names, ", "))
}

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Put adds a profile, or puts it in the place of the one of its name.
func (f *File) Put(p Profile) error {
	if !name.MatchString(p.Name) || p.Name == Local {
		return fmt.Errorf("%q is no name for a profile: it takes letters, digits, dots, dashes and underscores, and %q means this machine's own store", p.Name, Local)
	}
	if p.Workspace == "" {
		return errors.New("a profile needs the id of the workspace: --workspace-id")
	}
	if err := p.Key.check(); err != nil {
		return err
	}
	if _, err := remote.New(p.Config()); err != nil {
		return err
	}
	next := slices.DeleteFunc(f.All(), func(o Profile) bool { return o.Name == p.Name })
	next = append(next, p)
	slices.SortFunc(next, func(a, b Profile) int { return strings.Compare(a.Name, b.Name) })
	return f.save(contents{Current: f.data.Current, Profiles: next})
}

func (s Source) check() error {
	n := 0
	for _, set := range []bool{s.Keyring, s.Env != "", len(s.Command) > 0} {
		if set {
			n++
		}
	}
	if n != 1 {
		return errors.New("say where the key is, in one way: --keyring, --key-env NAME, or --key-command 'COMMAND'")
	}
	return nil
}

// Remove takes a profile away; its key in the keyring stays the caller's to remove.
func (f *File) Remove(name string) error {
	if _, err := f.Get(name); err != nil {
		return err
	}
	next := contents{Current: f.data.Current, Profiles: slices.DeleteFunc(f.All(), func(p Profile) bool { return p.Name == name })}
	if next.Current == name {
		next.Current = ""
	}
	return f.save(next)
}

// Use makes a profile the one in use; [Local] goes back to this machine's own store.
func (f *File) Use(name string) error {
	if name == Local {
		return f.save(contents{Profiles: f.data.Profiles})
	}
	if _, err := f.Get(name); err != nil {
		return err
	}
	return f.save(contents{Current: name, Profiles: f.data.Profiles})
}

// save writes the file whole or not at all, readable by its owner alone.
func (f *File) save(c contents) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the profiles: %w", err)
	}
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing the profiles: %w", err)
	}
	tmp, err := os.CreateTemp(dir, "profiles-*.tmp")
	if err != nil {
		return fmt.Errorf("writing the profiles: %w", err)
	}
	_, err = tmp.Write(append(b, '\n'))
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), f.path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("writing the profiles: %w", err)
	}
	f.data = c
	return nil
}

// Config gives what the client of the remote service is made from, but for its key.
func (p Profile) Config() remote.Config {
	c := remote.Config{BaseURL: p.BaseURL, DC: p.DC, Workspace: p.Workspace, Insecure: p.Insecure, Limits: true}
	if p.Dialect != nil {
		c.Dialect = *p.Dialect
	}
	return c
}
