package terminal

import (
	"cmp"
	"fmt"
	"path/filepath"
	"sync"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	settingsscreen "bugle/ui/settings"
)

func keysFile(e *cli.Environment) keymap.File {
	return keymap.File{Path: filepath.Join(e.ConfigDir(), "keys.yaml")}
}

func commandsFile(e *cli.Environment) commands.File {
	return commands.File{Path: filepath.Join(e.ConfigDir(), commands.FileName)}
}

// ThemeShelf is the set of available themes: the built-in ones and those in a folder. It is safe for concurrent use.
type ThemeShelf struct {
	dir string

	mu   sync.Mutex
	dark bool // whether the terminal's background is dark
	set  themes.Set
}

// setDark sets whether the background of the terminal is dark.
func (t *ThemeShelf) setDark(dark bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dark = dark
}

// Names lists the themes.
func (t *ThemeShelf) Names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.Names()
}

// Dir returns the folder of the user's own themes.
func (t *ThemeShelf) Dir() string { return t.dir }

// Reload reads the user's own themes again, and returns the errors in their files.
func (t *ThemeShelf) Reload() []error {
	set, wrong := themes.Load(t.dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set = set
	return wrong
}

func (t *ThemeShelf) get(name string) (*themes.Theme, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.Get(name, t.dark)
}

// first returns the theme to start with: from the flag, BUGLE_THEME, or the saved choice. If that cannot be used, news
// contains the reason.
func (t *ThemeShelf) first(flag, env string, p *prefs.Prefs) (theme *themes.Theme, news []string, err error) {
	if asked := cmp.Or(flag, env); asked != "" {
		if theme, err = t.get(asked); err != nil {
			from := cli.EnvTheme
			if flag != "" {
				from = "--theme"
			}
			err = cli.Misused("%s: %w", from, err)
		}
		return theme, nil, err
	}
	chosen, err := app.Theme(p)
	if err != nil {
		news = append(news, err.Error())
	}
	if theme, err = t.get(chosen); err != nil {
		news = append(news, fmt.Sprintf("Cannot load your theme %s; using auto.", chosen))
		theme, err = t.get(themes.Auto)
	}
	return theme, news, err
}

// personal is the user's settings files, and the problems in them.
type personal struct {
	themes   *ThemeShelf
	keys     keymap.Map
	commands []commands.Command
	news     []string
}

// newPersonal reads the user's files. Problems with them never prevent the program from starting.
func newPersonal(e *cli.Environment, dark bool) personal {
	p := personal{themes: &ThemeShelf{dir: e.ThemesDir(), dark: dark}}
	if wrong := p.themes.Reload(); len(wrong) > 0 {
		p.tell("", wrong[0].Error(), len(wrong))
	}
	var problems []keymap.Problem
	if p.keys, problems = keysFile(e).Load(); len(problems) > 0 {
		p.tell("keys.yaml, ", problems[0].String(), len(problems))
	}
	if p.commands, problems = commandsFile(e).Load(p.keys); len(problems) > 0 {
		p.tell(commands.FileName+", ", problems[0].String(), len(problems))
	}
	return p
}

// tell adds one problem of a file to the news, and counts those that only the Settings screen lists.
func (p *personal) tell(file, text string, problems int) {
	if problems > 1 {
		text += fmt.Sprintf(" (and %d more: see Settings)", problems-1)
	}
	p.news = append(p.news, file+text)
}

// settingsSources returns the data of the Settings screen.
func settingsSources(e *cli.Environment, shelf *ThemeShelf) settingsscreen.Sources {
	config, state := e.ConfigDir(), e.StateDir()
	return settingsscreen.Sources{
		Themes: shelf, Keys: keysFile(e), Commands: commandsFile(e), Remotes: remoteList{e},
		Files: []settingsscreen.File{
			{Name: "Store", Path: e.Place(), About: "Campaigns, workspaces, history and the outbox. Choose another folder with --data or " + cli.EnvData + "."},
			{Name: "Settings", Path: config, About: "Your keys, themes and remotes. Move it with XDG_CONFIG_HOME."},
			{Name: "Keys", Path: keysFile(e).Path, About: "Your key bindings."},
			{Name: "Commands", Path: commandsFile(e).Path, About: "Your own commands on keys."},
			{Name: "Themes", Path: e.ThemesDir(), About: "Your own themes, one file each."},
			{Name: "Remotes", Path: filepath.Join(config, remotes.FileName), About: "Connections to remote services, without their keys. Change them with bugle remote."},
			{Name: "State", Path: state, About: "Your choices, data cached from services, and edits that are not applied yet. Move it with XDG_STATE_HOME."},
		},
	}
}

// remoteList lists the remotes for the Settings screen.
type remoteList struct{ env *cli.Environment }

// List returns the local store and the remotes.
func (l remoteList) List() ([]settingsscreen.Remote, error) {
	file, err := l.env.RemotesFile()
	if err != nil {
		return nil, err
	}
	open, far, err := l.env.Remote()
	if err != nil {
		return nil, err
	}
	out := []settingsscreen.Remote{{Name: remotes.Local, Location: l.env.Place(), Current: !far, Default: file.Current() == ""}}
	for _, p := range file.All() {
		out = append(out, settingsscreen.Remote{Name: p.Name, Location: p.Workspace + " at " + p.BaseURL, Current: far && open.Name == p.Name, Default: file.Current() == p.Name})
	}
	return out, nil
}

// Use selects the remote for the next start.
func (l remoteList) Use(name string) error {
	file, err := l.env.RemotesFile()
	if err != nil {
		return err
	}
	return file.Use(name)
}
