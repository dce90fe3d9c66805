package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// recordUses has the uses of a record that is to be deleted, or only checked.
type recordUses struct {
	name     string
	uses     []engine.ContentUse
	deleted  bool // it has been deleted
	onlyShow bool // only show the uses
}

// remover deletes records, and shows what uses them.
type remover struct {
	service engine.Service
	tasks   taskRunner
	section func() *settings.Section
	report  reportFunc
	load    func() tea.Cmd // reloads everything
}

// find finds what still uses a record, and shows it if look is set, or asks whether to delete the record.
func (m *remover) find(name string, look bool) tea.Cmd {
	sec, svc := m.section(), m.service
	return m.tasks.Run(taskDelete, func(ctx context.Context) (any, error) {
		uses, err := sec.Uses(ctx, svc, name)
		return recordUses{name: name, uses: uses, onlyShow: look}, err
	})
}

func (m *remover) handleResult(r screen.Result) tea.Cmd {
	u, _ := r.Value.(recordUses)
	var inUse *settings.InUse
	switch {
	case screen.Canceled(r.Err):
		return nil
	case errors.As(r.Err, &inUse): // it has been used meanwhile
		return m.ask(recordUses{name: u.name, uses: inUse.Uses})
	case r.Err != nil:
		return errorNotice(r.Err)
	case u.onlyShow && len(u.uses) == 0:
		return screen.Notify(widget.LevelInfo, "Nothing uses "+recordName(m.section(), u.name)+".")
	case u.onlyShow:
		m.report("Used in", false, phrase.Sentence(recordName(m.section(), u.name)+" is used in "+phrase.Count(len(u.uses), "place")), useLines(u.uses, len(u.uses)))
		return nil
	case u.deleted:
		return tea.Batch(screen.Notify(widget.LevelSuccess, "Deleted "+recordName(m.section(), u.name)+"."), m.load(), screen.Changed(""))
	}
	return m.ask(u)
}

// maxUses is how many uses a question lists.
const maxUses = 8

func (m *remover) ask(u recordUses) tea.Cmd {
	sec, svc := m.section(), m.service
	body := "This cannot be undone."
	force := len(u.uses) > 0
	if force {
		body = fmt.Sprintf("It is still used in %s:\n%s\n\nThese will have a broken reference. This cannot be undone.", phrase.Count(len(u.uses), "place"), useLines(u.uses, maxUses))
	}
	return screen.Ask(screen.Question{
		Title: "Delete " + recordName(sec, u.name) + "?", Body: body, Danger: true, Focus: 1,
		Buttons: []widget.Button{{Label: "Delete", Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return m.tasks.Write(taskDelete, func(ctx context.Context) (any, error) {
				return recordUses{name: u.name, deleted: true}, sec.Delete(ctx, svc, u.name, force)
			})
		},
	})
}

// useLines lists the uses, one per line.
func useLines(uses []engine.ContentUse, most int) string {
	var out []string
	for i, u := range uses {
		if i == most {
			out = append(out, fmt.Sprintf("… and %d more", len(uses)-i))
			break
		}
		out = append(out, "· "+widget.Clean(settings.DescribeUse(u)))
	}
	return strings.Join(out, "\n")
}

// showReport shows a report instead of the table.
func (s *List) showReport(title string, failed bool, words, detail string) {
	s.report.show(s.theme, title, failed, words, detail)
	s.focus = paneReport
	s.show()
}
