package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/files"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// importProgress is how far an import of users is.
type importProgress struct {
	file string
	settings.ImportProgress
}

// String describes the progress in a few words.
func (p importProgress) String() string {
	words := "checking " + p.file
	if p.Checked {
		words = "importing " + p.file + " · " + phrase.Count(p.Users, "user")
	}
	if p.Size == 0 {
		return words
	}
	return fmt.Sprintf("%s · %d%%", words, p.Done*100/p.Size)
}

func (s *List) importDisabledReason() string {
	if _, ok := s.deps.Service.(engine.UserImporter); !ok {
		return "This service cannot import users."
	}
	if s.Running(taskImport) {
		return "An import is running. Press X to cancel it."
	}
	return ""
}

// askImport asks for a file, and then how to treat existing users.
func (s *List) askImport() tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Import users from a file", Placeholder: "~/users.csv or users.jsonl",
		Validate: func(text string) string {
			info, err := os.Stat(files.ExpandHome(text))
			switch {
			case strings.TrimSpace(text) == "":
				return "Enter a file name."
			case err != nil:
				return "No such file."
			case info.IsDir():
				return "This is a folder, not a file."
			}
			return ""
		},
		Then: func(text string) tea.Cmd {
			return screen.Send(screen.ChooseMsg{
				Title: "What about users who already exist?", Body: filepath.Base(files.ExpandHome(text)),
				Options: []widget.Option{
					{Label: "Merge", Help: "Keeps attributes, devices and events that are not in the file."},
					{Label: "Replace", Help: "Replaces each user with the line that has the same ID."},
				},
				Then: func(a widget.Answer) tea.Cmd {
					return s.importUsers(settings.Import{File: files.ExpandHome(text), Merge: a.Index == 0})
				},
			})
		},
	})
}

func (s *List) importUsers(i settings.Import) tea.Cmd {
	s.progress = importProgress{file: filepath.Base(i.File)}
	svc := s.deps.Service
	return screen.Stream(&s.Base, taskImport, func(ctx context.Context, emit func(settings.ImportProgress)) (settings.ImportResult, error) {
		return i.Import(ctx, svc, emit)
	}, func(p settings.ImportProgress) tea.Cmd {
		s.progress.ImportProgress = p
		return nil
	}, func(out settings.ImportResult, err error) tea.Cmd {
		return tea.Batch(importResult(s.progress.file, out, err), s.load())
	})
}

// importResult shows the result of an import.
func importResult(file string, out settings.ImportResult, err error) tea.Cmd {
	done := fmt.Sprintf("%d added, %d changed.", out.Added, out.Changed)
	switch {
	case screen.Canceled(err):
		return report("Import", "The import was canceled: "+done, "Users imported so far are kept. You can safely import the same file again.", true)
	case err != nil && out.Total() == 0:
		return report("Import", phrase.Sentence(err.Error()), "No changes made.", true)
	case err != nil:
		return report("Import", phrase.Sentence(err.Error()), "Users before it were imported: "+done, true)
	case out.Invalid > 0:
		return report("Import", "Cannot import "+file+": "+phrase.Count(out.Invalid, "invalid line")+". No changes made.", invalidLines(out), true)
	case len(out.NewAttributes) > 0:
		return report("Import", "Imported "+file+": "+done, "The workspace does not have these attributes: "+strings.Join(out.NewAttributes, ", ")+". If they are meant, add them to the workspace; if not, correct the file and import it again.", false)
	}
	return screen.Notify(widget.LevelSuccess, "Imported "+file+": "+done)
}

func invalidLines(out settings.ImportResult) string {
	var text []string
	for _, err := range out.LineErrors {
		text = append(text, err.Error())
	}
	if more := out.Invalid - len(out.LineErrors); more > 0 {
		text = append(text, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(text, "\n")
}
