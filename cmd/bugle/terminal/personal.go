package terminal

import (
	"cmp"
	"fmt"
	"path/filepath"

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

// firstTheme returns the theme to start with: from the flag, BUGLE_THEME, or the saved choice. If that cannot be used, news
// contains the reason.
func firstTheme(shelf *themes.Shelf, flag, env string, p *prefs.Prefs) (theme *themes.Theme, news []string, err error) {
	if asked := cmp.Or(flag, env); asked != "" {
		if theme, err = shelf.Get(asked); err != nil {
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
	if theme, err = shelf.Get(chosen); err != nil {
		news = append(news, fmt.Sprintf("Cannot load your theme %s; using auto.", chosen))
		theme, err = shelf.Get(themes.Auto)
	}
	return theme, news, err
}

// personal is the user's settings files, and the problems in them.
type personal struct {
	themes   *themes.Shelf
	keys     keymap.Map
	commands []commands.Command
	news     []string
}

// newPersonal reads the user's files. Problems with them never prevent the program from starting.
func newPersonal(e *cli.Environment, dark bool) personal {
	p := personal{themes: themes.NewShelf(e.ThemesDir(), dark)}
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
func settingsSources(e *cli.Environment, shelf *themes.Shelf) settingsscreen.Sources {
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
