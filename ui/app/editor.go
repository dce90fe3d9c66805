package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

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
func (o *Options) openEditor(msg screen.OpenEditorMsg) tea.Cmd {
	file, err := editFile(msg)
	if err != nil {
		return screen.Notify(widget.LevelError, "Can't open the editor: "+err.Error())
	}
	args, err := o.Editor(file)
	if err != nil {
		os.RemoveAll(filepath.Dir(file))
		return screen.Notify(widget.LevelError, err.Error())
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout = o.Input, o.Output
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

// finish delivers the edited text. The mouse is off after another program has used the terminal.
func (e editorClosedMsg) finish() tea.Cmd {
	cmds := []tea.Cmd{tea.EnableMouseCellMotion}
	text, err := os.ReadFile(e.file)
	if err == nil {
		err = e.err
	}
	if err != nil {
		// The text stays in the file, so that nothing typed is lost if the editor fails.
		cmds = append(cmds, screen.Notify(widget.LevelError, fmt.Sprintf("The editor failed (%v); its text is in %s", err, e.file)))
		return tea.Batch(cmds...)
	}
	os.RemoveAll(filepath.Dir(e.file))
	after := string(text)
	if after == e.msg.Text+"\n" {
		after = e.msg.Text // editors end the last line with a newline
	}
	return tea.Batch(append(cmds, e.msg.Then(after, after != e.msg.Text))...)
}
