package settings

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func fileItem(f File) widget.Item {
	return widget.Item{Text: f.Name, Info: f.Path, InfoTone: themes.ToneMuted}
}

// isCommands reports whether a file is that of the user's own commands.
func (s *Screen) isCommands(f File) bool { return f.Path != "" && f.Path == s.src.Commands.Path }

func (s *Screen) fileActions() []screen.Action {
	acts := []screen.Action{s.files.On(screen.Action{Keys: []string{"enter", "y"}, Label: "copy path", Help: "copy the path", Group: group, BarPriority: 9}, nil, func(f File) tea.Cmd {
		return screen.Copy(f.Path, "the path of "+f.Name)
	})}
	if f, _ := s.files.Selected(); s.isCommands(f) {
		acts = append(acts, screen.Action{Keys: []string{"e"}, Label: "edit file", Help: "edit the file", Group: group, BarPriority: 8, Run: s.editCommands})
	}
	return acts
}

// editCommands opens the file of the user's own commands in the editor.
func (s *Screen) editCommands() tea.Cmd {
	file := s.src.Commands
	return s.editFile(file.Path, "the command file", file.Read, func() []keymap.Problem { return s.now.commandProblems })
}

// filesFoot returns the path and the description of the selected file.
func (s *Screen) filesFoot(w int) []string {
	f, ok := s.files.Selected()
	if !ok {
		return nil
	}
	lines := append([]string{""}, widget.WrapStyled(s.theme.Text, f.Path, w)...)
	lines = append(lines, widget.WrapStyled(s.theme.Muted, f.About, w)...)
	if s.isCommands(f) {
		for _, p := range s.now.commandProblems {
			lines = append(lines, widget.WrapStyled(s.theme.Danger, "✗ "+p.String(), w)...)
		}
	}
	return lines
}

func remoteItem(r Remote) widget.Item {
	item := widget.Item{Icon: " ", Text: r.Name + "  " + r.Location}
	switch {
	case r.Current && r.Default:
		item.Icon, item.IconTone, item.Info = "✓", themes.ToneSuccess, "in use"
	case r.Current:
		item.Icon, item.IconTone, item.Info = "●", themes.ToneAccent, "this window"
	case r.Default:
		item.Icon, item.IconTone, item.Info = "○", themes.ToneInfo, "next start"
	}
	return item
}

func (s *Screen) remoteActions() []screen.Action {
	isDefault := func(r Remote) string {
		if r.Default {
			return "The next start already uses it."
		}
		return ""
	}
	return []screen.Action{s.remotes.On(screen.Action{Keys: []string{"enter", " "}, Label: "use from next start", Group: group, BarPriority: 9}, isDefault, s.useRemote)}
}

// useRemote makes a remote the default for the next start.
func (s *Screen) useRemote(r Remote) tea.Cmd {
	return s.change(func() error { return s.src.Remotes.Use(r.Name) }, told("The next start uses "+r.Name+". This window stays connected as it is."))
}

// remotesFoot returns why the remotes cannot be read, and what they are.
func (s *Screen) remotesFoot(w int) []string {
	var lines []string
	if err := s.now.remotesError; err != nil {
		lines = widget.WrapStyled(s.theme.Danger, "✗ "+err.Error(), w)
	}
	text := "The selected remote is used from the next start. bugle --remote NAME uses one right away, and --remote local the store on this machine."
	if s.remotes.Len() < 2 {
		text = "There are no remotes yet. Run bugle remote add to connect to a service; bugle remote add --help shows how."
	}
	return append(append(lines, ""), widget.WrapStyled(s.theme.Muted, text, w)...)
}
