package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/adrg/xdg"

	"bugle/cmd/bugle/internal/profiles"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	settingsscreen "bugle/ui/settings"
)

// configDir is the folder of what a person sets by hand (XDG base directories).
func (f *factory) configDir() string {
	return filepath.Join(cmp.Or(f.getenv("XDG_CONFIG_HOME"), xdg.ConfigHome), "bugle")
}

func (f *factory) themesDir() string { return filepath.Join(f.configDir(), "themes") }

func (f *factory) keysFile() keymap.File {
	return keymap.File{Path: filepath.Join(f.configDir(), "keys.yaml")}
}

// themeShelf is the themes to choose from: those that are built in, and those of a folder. It may be
// used from several goroutines.
type themeShelf struct {
	dir string

	mu   sync.Mutex
	dark bool // the terminal's background
	set  themes.Set
}

// on says whether the terminal's background is dark.
func (t *themeShelf) on(dark bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dark = dark
}

// Names lists the themes.
func (t *themeShelf) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.Names()
}

// Dir is the folder of the own ones.
func (t *themeShelf) Dir() string { return t.dir }

// Reload reads the own themes anew, and gives what is wrong with their files.
func (t *themeShelf) Reload() []error {
	set, wrong := themes.Load(t.dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set = set
	return wrong
}

func (t *themeShelf) get(name string) (themes.Theme, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.Get(name, t.dark)
}

// first gives the theme to start with: that of the flag, of BUGLE_THEME, or the one that was chosen the
// last time. news tells why that one is not it.
func (t *themeShelf) first(flag, env string, p *prefs.Prefs) (theme themes.Theme, news []string, err error) {
	if asked := cmp.Or(flag, env); asked != "" {
		if theme, err = t.get(asked); err != nil {
			from := envTheme
			if flag != "" {
				from = "--theme"
			}
			err = misused("%s: %w", from, err)
		}
		return theme, nil, err
	}
	chosen, err := app.Theme(p)
	if err != nil {
		news = append(news, err.Error())
	}
	if theme, err = t.get(chosen); err != nil {
		news = append(news, fmt.Sprintf("The theme %s that you chose is gone or broken; this is auto.", chosen))
		theme, err = t.get(themes.Auto)
	}
	return theme, news, err
}

// personal is what a person set by hand, and what of it is not followed.
type personal struct {
	themes *themeShelf
	keys   keymap.Map
	news   []string
}

// personal reads the person's files. Nothing that is wrong with them keeps the program from starting.
func (f *factory) personal(dark bool) personal {
	p := personal{themes: &themeShelf{dir: f.themesDir(), dark: dark}}
	wrong := p.themes.Reload()
	keys, problems := f.keysFile().Load()
	p.keys = keys
	if len(wrong) > 0 {
		p.news = append(p.news, told(wrong[0].Error(), len(wrong)-1))
	}
	if len(problems) > 0 {
		p.news = append(p.news, told("keys.yaml, "+problems[0].String(), len(problems)-1))
	}
	return p
}

// told says one problem, and how many more Settings tells of.
func told(text string, more int) string {
	if more == 0 {
		return text
	}
	return fmt.Sprintf("%s (and %d more: see Settings)", text, more)
}

// sources are what the Settings screen shows.
func (f *factory) sources(shelf *themeShelf) settingsscreen.Sources {
	config, state := f.configDir(), f.stateDir()
	return settingsscreen.Sources{
		Themes: shelf, Keys: f.keysFile(), Profiles: profileList{f},
		Places: []settingsscreen.Place{
			{Name: "Store", Path: f.dataDir(), About: "Campaigns, workspaces, revisions and the outbox. --data or " + envData + " chooses another folder."},
			{Name: "Settings", Path: config, About: "What you set by hand. XDG_CONFIG_HOME moves it."},
			{Name: "Keys", Path: f.keysFile().Path, About: "Names of actions and the keys you gave them."},
			{Name: "Themes", Path: f.themesDir(), About: "Themes of your own, a file each."},
			{Name: "Profiles", Path: filepath.Join(config, "profiles.json"), About: "How to reach remote services; it holds no key. bugle profile changes it."},
			{Name: "State", Path: state, About: "What this machine remembers: your choices, what was read from services, edits not applied yet. XDG_STATE_HOME moves it."},
		},
	}
}

// profileList is the profiles as the Settings screen shows them.
type profileList struct{ f *factory }

// List gives this machine's own store and the profiles.
func (l profileList) List() ([]settingsscreen.Profile, error) {
	file, err := l.f.profileFile()
	if err != nil {
		return nil, err
	}
	open, far, err := l.f.remoteProfile()
	if err != nil {
		return nil, err
	}
	out := []settingsscreen.Profile{{Name: profiles.Local, Where: l.f.dataDir(), Here: !far, Next: file.Current() == ""}}
	for _, p := range file.All() {
		out = append(out, settingsscreen.Profile{Name: p.Name, Where: p.Workspace + " at " + p.BaseURL, Here: far && open.Name == p.Name, Next: file.Current() == p.Name})
	}
	return out, nil
}

// Use makes a profile the one of the next start.
func (l profileList) Use(name string) error {
	file, err := l.f.profileFile()
	if err != nil {
		return err
	}
	return file.Use(name)
}
