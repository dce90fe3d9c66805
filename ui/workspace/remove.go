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

// recordUses is what was found of a record that may be deleted, or is only asked about.
type recordUses struct {
	name string
	uses []engine.ContentUse
	deleted bool // it was deleted
	onlyShow bool // nothing more was asked
}

// remover deletes records, and tells what uses them.
type remover struct {
	service engine.Service
	tasks   taskRunner
	section func() *settings.Section
	report     reportFunc
	load    func() tea.Cmd // reads everything again
}

// find finds what still uses a record: to tell it where look says so, and to ask whether to delete it otherwise.
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
	case errors.As(r.Err, &inUse): // somebody began to use it meanwhile
		return m.ask(recordUses{name: u.name, uses: inUse.Uses})
	case r.Err != nil:
		return errorNotice(r.Err)
	case u.onlyShow && len(u.uses) == 0:
		return screen.Notify(widget.LevelInfo, "Nothing uses "+recordName(m.section(), u.name)+".")
	case u.onlyShow:
		m.report("Used in", false, sentence(recordName(m.section(), u.name)+" is used in "+phrase.Count(len(u.uses), "place")), useLines(u.uses, len(u.uses)))
		return nil
	case u.deleted:
		return tea.Batch(screen.Notify(widget.LevelSuccess, "Deleted "+recordName(m.section(), u.name)+"."), m.load(), screen.Changed(""))
	}
	return m.ask(u)
}

// maxUses is how many places a question names.
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
			return m.tasks.Run(taskDelete, func(ctx context.Context) (any, error) {
				return recordUses{name: u.name, deleted: true}, sec.Delete(ctx, svc, u.name, force)
			})
		},
	})
}

// useLines names the places, a line each.
func useLines(uses []engine.ContentUse, most int) string {
	var out []string
	for i, u := range uses {
		if i == most {
			out = append(out, fmt.Sprintf("… and %d more", len(uses)-i))
			break
		}
		out = append(out, "· "+widget.Clean(settings.UseWords(u)))
	}
	return strings.Join(out, "\n")
}

// showReport shows a report in the place of the table.
func (s *List) showReport(title string, failed bool, words, detail string) {
	s.report.show(s.theme, title, failed, words, detail)
	s.focus = paneReport
	s.show()
}
