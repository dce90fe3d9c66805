package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// reportFunc shows a report instead of the table.
type reportFunc func(title string, failed bool, words, detail string)

// userImport imports users from a file and shows the progress.
type userImport struct {
	service engine.Service
	tasks   *screen.Base
	report  reportFunc
	load    func() tea.Cmd // reloads everything

	file     string
	progress settings.ImportProgress
	frame    int
}

func (w *userImport) disabledReason() string {
	if _, ok := w.service.(engine.UserImporter); !ok {
		return "This service cannot import users."
	}
	if w.tasks.Running(taskImport) {
		return "An import is running. Press X to cancel it."
	}
	return ""
}

// ask asks for a file, and then how to treat existing users.
func (w *userImport) ask() tea.Cmd {
	return screen.Send(screen.InputMsg{
		Title: "Import users from a file", Placeholder: "~/users.csv or users.jsonl",
		Validate: func(text string) string {
			info, err := os.Stat(expandHome(text))
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
				Title: "What about users who already exist?", Body: filepath.Base(expandHome(text)),
				Options: []widget.Option{
					{Label: "Merge", Help: "Keeps attributes, devices and events that are not in the file."},
					{Label: "Replace", Help: "Replaces each user with the line that has the same ID."},
				},
				Then: func(a widget.Answer) tea.Cmd {
					return w.start(settings.Import{File: expandHome(text), Merge: a.Index == 0})
				},
			})
		},
	})
}

// expandHome replaces ~ with the home folder.
func expandHome(path string) string {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return home + rest
		}
	}
	return path
}

func (w *userImport) start(i settings.Import) tea.Cmd {
	w.file, w.progress, w.frame = filepath.Base(i.File), settings.ImportProgress{}, 0
	svc := w.service
	return screen.Stream(w.tasks, taskImport, func(ctx context.Context, emit func(settings.ImportProgress)) (settings.ImportResult, error) {
		return i.Import(ctx, svc, emit)
	}, func(p settings.ImportProgress) tea.Cmd {
		w.progress = p
		w.frame++
		return nil
	}, w.finish)
}

func (w *userImport) cancel() tea.Cmd {
	w.tasks.Cancel(taskImport)
	return nil
}

// finish shows the result of an import.
func (w *userImport) finish(out settings.ImportResult, err error) tea.Cmd {
	done := fmt.Sprintf("%d added, %d changed.", out.Added, out.Changed)
	switch {
	case screen.Canceled(err):
		w.report("Import", true, "The import was canceled: "+done, "Users imported so far are kept. You can safely import the same file again.")
	case err != nil:
		w.report("Import", true, phrase.Sentence(err.Error()), "Users before it were imported: "+done)
		if out.Total() == 0 {
			w.report("Import", true, phrase.Sentence(err.Error()), "No changes made.")
		}
	case out.Invalid > 0:
		w.report("Import", true, fmt.Sprintf("Cannot import %s: %s invalid. No changes made.", w.file, lineCount(out.Invalid)), invalidLines(out))
	case len(out.NewAttributes) > 0:
		w.report("Import", true, "Imported "+w.file+": "+done, "The workspace does not have these attributes: "+strings.Join(out.NewAttributes, ", ")+". If they are meant, add them to the workspace; if not, correct the file and import it again.")
	default:
		return tea.Batch(screen.Notify(widget.LevelSuccess, "Imported "+w.file+": "+done), w.load())
	}
	return w.load()
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line is"
	}
	return fmt.Sprintf("%d lines are", n)
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

// line draws the progress.
func (w *userImport) line(t *themes.Theme, width int) string {
	what := "Checking " + w.file
	if w.progress.Checked {
		what = fmt.Sprintf("Importing %s · %d users", w.file, w.progress.Users)
	}
	p := widget.NewProgress(t, what)
	p.Frame = w.frame
	const percent = 100
	if w.progress.Size > 0 {
		p.Done, p.Total = int(w.progress.Done*percent/w.progress.Size), percent
	}
	p.SetSize(width, 1)
	return p.View()
}
