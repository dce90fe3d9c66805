package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/files"
	"bugle/engine/process"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

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
	m.editing = true
	edit := func(ctx context.Context) *exec.Cmd { return process.Foreground(ctx, args[0], args[1:]...) }
	return m.opts.giveTerminal(inTerminalMsg{edit, func(err error) tea.Cmd { return m.closeEditor(msg, file, err) }})
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
func (m *Model) closeEditor(msg screen.OpenEditorMsg, file string, err error) tea.Cmd {
	m.editing = false
	cmd := takeText(msg, file, err, m.opts.Context.Err() != nil)
	if m.ending == nil {
		return cmd
	}
	return tea.Sequence(cmd, screen.Send(*m.ending))
}

// takeText delivers the edited text: what was saved, if the program has ended the editor, because it ends itself.
func takeText(msg screen.OpenEditorMsg, file string, failed error, ended bool) tea.Cmd {
	text, err := os.ReadFile(file)
	if err == nil && string(text) != msg.Text {
		text, err = files.Decode(text)
	}
	if err == nil && !ended {
		err = failed
	}
	if err != nil {
		// The text stays in the file, so that nothing typed is lost if the editor fails.
		return screen.Notify(widget.LevelError, fmt.Sprintf("The editor failed (%v); its text is in %s", err, file))
	}
	if !ended {
		os.RemoveAll(filepath.Dir(file))
	} else if os.Remove(file) == nil {
		os.Remove(filepath.Dir(file)) // unless the editor has kept there what was not saved
	}
	after := string(text)
	if after == msg.Text+"\n" {
		after = msg.Text // editors end the last line with a newline
	}
	return msg.Then(after, after != msg.Text)
}
