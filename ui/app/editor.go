package app

import (
	"fmt"
	"os"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/files"
	"bugle/engine/process"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// editorClosedMsg reports that the editor was closed.
type editorClosedMsg struct {
	msg  screen.OpenEditorMsg
	file string
	err  error
}

// openEditor writes the text to a private file and hands the terminal to the user's editor.
func (m *Model) openEditor(msg screen.OpenEditorMsg) tea.Cmd {
	file, err := editFile(msg)
	if err != nil {
		return screen.Notify(widget.LevelError, "Can't open the editor: "+err.Error())
	}
	args, err := m.opts.Editor(file)
	if err != nil {
		os.RemoveAll(filepath.Dir(file))
		return screen.Notify(widget.LevelError, err.Error())
	}
	cmd := process.Foreground(m.opts.Context, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout = m.opts.Input, m.opts.Output
	m.editing = true
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return editorClosedMsg{msg, file, err} })
}

func editFile(msg screen.OpenEditorMsg) (string, error) {
	dir, err := os.MkdirTemp("", "bugle-edit-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "text"+msg.Suffix)
	if err := os.WriteFile(file, []byte(msg.Text), 0o600); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return file, nil
}

// closeEditor delivers the edited text, and then ends the program if it was told to while the editor had the terminal.
func (m *Model) closeEditor(msg editorClosedMsg) tea.Cmd {
	m.editing = false
	cmd := msg.finish(m.opts.Context.Err() != nil)
	if m.ending == nil {
		return cmd
	}
	return tea.Sequence(cmd, screen.Send(*m.ending))
}

// finish delivers the edited text: what was saved, if the program has ended the editor, because it ends itself. The
// mouse is off after another program has used the terminal.
func (e editorClosedMsg) finish(ended bool) tea.Cmd {
	cmds := []tea.Cmd{tea.EnableMouseCellMotion}
	text, err := os.ReadFile(e.file)
	if err == nil && string(text) != e.msg.Text {
		text, err = files.Decode(text)
	}
	if err == nil && !ended {
		err = e.err
	}
	if err != nil {
		// The text stays in the file, so that nothing typed is lost if the editor fails.
		cmds = append(cmds, screen.Notify(widget.LevelError, fmt.Sprintf("The editor failed (%v); its text is in %s", err, e.file)))
		return tea.Batch(cmds...)
	}
	if !ended {
		os.RemoveAll(filepath.Dir(e.file))
	} else if os.Remove(e.file) == nil {
		os.Remove(filepath.Dir(e.file)) // unless the editor has kept there what was not saved
	}
	after := string(text)
	if after == e.msg.Text+"\n" {
		after = e.msg.Text // editors end the last line with a newline
	}
	return tea.Batch(append(cmds, e.msg.Then(after, after != e.msg.Text))...)
}
