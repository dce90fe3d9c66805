package newdraft

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
	"bugle/engine/templates"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// taskReadFile is the kind of the task that reads a file.
const taskReadFile = "read"

// maxFileSize is the maximum size of a source file: the service accepts 1 MiB, and a file may be indented.
const maxFileSize = 4 << 20

// chooseTemplate lists the templates.
func chooseTemplate() tea.Cmd {
	all, err := templates.All()
	if err != nil {
		return screen.Notify(widget.LevelError, err.Error())
	}
	options := make([]widget.Option, len(all))
	for i, st := range all {
		options[i] = widget.Option{Label: st.Title, Help: st.Help}
	}
	return screen.Send(screen.ChooseMsg{Title: "Start from a template", Options: options, Then: func(a widget.Answer) tea.Cmd {
		return restartWith(all[a.Index].Doc)
	}})
}

// askFile asks for the source file.
func (s *Screen) askFile() tea.Cmd {
	return screen.Send(screen.InputMsg{Title: "Start from a file", Placeholder: "campaign.json", Value: s.file,
		Validate: func(name string) string {
			if strings.TrimSpace(name) == "" {
				return "Type the name of a file."
			}
			return ""
		},
		Then: func(name string) tea.Cmd {
			s.file = name
			return screen.Go(&s.Base, taskReadFile, func(context.Context) (doc.Value, error) { return readFile(files.ExpandHome(name)) }, s.readResult)
		},
	})
}

// readFile reads a campaign file.
func readFile(name string) (doc.Value, error) {
	b, err := files.Read(name, maxFileSize)
	if errors.Is(err, files.ErrTooLarge) {
		return doc.Value{}, fmt.Errorf("%s is too large for a campaign (more than 4 MiB)", name)
	}
	if err != nil {
		return doc.Value{}, fmt.Errorf("cannot read the file: %w", err)
	}
	if b, err = files.Decode(b); err != nil {
		return doc.Value{}, fmt.Errorf("cannot use %s: %w", name, err)
	}
	v, err := parse(name, b)
	if err == nil && v.Kind() != doc.Object {
		err = fmt.Errorf("expected an object, found %s", v.Kind())
	}
	if err != nil {
		return doc.Value{}, fmt.Errorf("%s is not a campaign: %w", name, err)
	}
	return v, nil
}

// parse reads the document of a JSON or YAML file.
func parse(name string, b []byte) (doc.Value, error) {
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".yaml" && ext != ".yml" {
		return doc.Parse(b)
	}
	return yamldoc.Parse(b)
}

// readResult restarts with the file's document, or asks for the file again.
func (s *Screen) readResult(from doc.Value, err error) tea.Cmd {
	if err != nil {
		return tea.Batch(screen.Notify(widget.LevelError, err.Error()), s.askFile())
	}
	return restartWith(from)
}

// restartWith reopens the screen with a source document.
func restartWith(from doc.Value) tea.Cmd {
	return screen.Replace(screen.Route{Name: screen.NewDraft, Doc: from})
}
