package settings

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// filesTab is the tab with the paths of the program's files. The file of the user's own commands can be edited here.
type filesTab struct {
	tabHost
	theme    *themes.Theme
	src      Sources
	list     *list.List[File]
	problems []keymap.Problem // of the commands
}

func newFilesTab(t *themes.Theme, src Sources, of tabHost) filesTab {
	f := filesTab{tabHost: of, theme: t, src: src}
	f.list = list.Items(t, "file", func(file File) widget.Item {
		return widget.Item{Text: file.Name, Info: file.Path, InfoTone: themes.ToneMuted}
	})
	f.list.Focused, f.list.Empty = true, "There are no files."
	f.list.Set(src.Files)
	return f
}

// isCommands reports whether a file is that of the user's own commands.
func (f *filesTab) isCommands(file File) bool {
	return file.Path != "" && file.Path == f.src.Commands.Path
}

func (f *filesTab) actions() []screen.Action {
	acts := []screen.Action{f.list.On(screen.Action{Keys: []string{"enter", "y"}, Label: "copy path", Help: "copy the path", Group: group, BarPriority: 9}, nil, func(file File) tea.Cmd {
		return screen.Copy(file.Path, "the path of "+file.Name)
	})}
	if file, _ := f.list.Selected(); f.isCommands(file) {
		acts = append(acts, screen.Action{Keys: []string{"e"}, Label: "edit file", Help: "edit the file", Group: group, BarPriority: 8, Run: f.edit})
	}
	return acts
}

// commandsRead is the content of the file of the user's own commands.
type commandsRead struct {
	commands []commands.Command
	problems []keymap.Problem
	edited   bool   // the user edited the file
	undo     bool   // from undo or redo
	before   []byte // the file before it was edited
	after    []byte
}

func readCommands(file commands.File, keys keymap.Map) commandsRead {
	var r commandsRead
	r.commands, r.problems = file.Load(keys)
	return r
}

// readAgain reads the file of commands again.
func (f *filesTab) readAgain() tea.Cmd {
	src := f.src
	return screen.Go(f.tasks, taskCommands, func(context.Context) (commandsRead, error) {
		keys, _ := src.Keys.Load()
		return readCommands(src.Commands, keys), nil
	}, orNotify(f.applyCommands))
}

// edit opens the file of commands in the user's editor.
func (f *filesTab) edit() tea.Cmd {
	file := f.src.Commands
	return editFile(f.tasks, func() (screen.OpenEditorMsg, error) {
		before, err := file.Read()
		return screen.OpenEditorMsg{Text: string(before), Suffix: ".yaml", Then: func(text string, changed bool) tea.Cmd {
			if !changed {
				return nil
			}
			return f.replace([]byte(text), commandsRead{edited: true, before: before, after: []byte(text)})
		}}, err
	})
}

// replace replaces the file of commands and reads it.
func (f *filesTab) replace(text []byte, done commandsRead) tea.Cmd {
	src := f.src
	return screen.Write(f.tasks, taskCommands, func(context.Context) (commandsRead, error) {
		if err := src.Commands.Write(text); err != nil {
			return commandsRead{}, err
		}
		keys, _ := src.Keys.Load()
		done.commands, done.problems = src.Commands.Load(keys)
		return done, nil
	}, orNotify(f.applyCommands))
}

// applyCommands replaces the commands of the program with those that were read.
func (f *filesTab) applyCommands(r commandsRead) tea.Cmd {
	if f.src.Commands.Path == "" {
		return nil
	}
	f.problems = r.problems
	use := screen.Send(screen.SetCommandsMsg{Commands: r.commands})
	if r.edited && !r.undo {
		f.pushUndo(screen.UndoStep{
			Label: "edit of the commands", OwnNotice: true,
			Undo: func() tea.Cmd { return f.restore(r.before, "Undone: edit of the commands") },
			Redo: func() tea.Cmd { return f.restore(r.after, "Redone: edit of the commands") },
		})
		level, text := widget.LevelSuccess, "Loaded the commands."
		if len(r.problems) > 0 {
			level, text = widget.LevelError, fmt.Sprintf("Some of the commands were ignored: %s", r.problems[0])
		}
		return tea.Batch(use, screen.NotifyAbout(screen.TopicEdit, level, text))
	}
	return use
}

func (f *filesTab) restore(text []byte, said string) tea.Cmd {
	return tea.Batch(f.open(), f.replace(text, commandsRead{edited: true, undo: true}), screen.NotifyAbout(screen.TopicEdit, widget.LevelSuccess, said))
}

// view draws the list, and the path and the description of the selected file.
func (f *filesTab) view(w, h int) string {
	lines := strings.Split(f.list.View(), "\n")
	if file, ok := f.list.Selected(); ok {
		lines = append(lines, "")
		lines = append(lines, widget.WrapStyled(f.theme.Text, file.Path, w)...)
		lines = append(lines, widget.WrapStyled(f.theme.Muted, file.About, w)...)
		if f.isCommands(file) {
			for _, p := range f.problems {
				lines = append(lines, widget.WrapStyled(f.theme.Danger, "✗ "+p.String(), w)...)
			}
		}
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}
