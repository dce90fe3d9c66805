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

// remover deletes records, and shows what uses them.
type remover struct {
	service engine.Service
	tasks   *screen.Base
	section func() *settings.Section
	report  reportFunc
	load    func() tea.Cmd // reloads everything
}

// find finds what still uses a record, and shows it if look is set, or asks whether to delete the record.
func (m *remover) find(name string, look bool) tea.Cmd {
	sec, svc := m.section(), m.service
	read := func(ctx context.Context) ([]engine.ContentUse, error) { return sec.Uses(ctx, svc, name) }
	return screen.Go(m.tasks, taskDelete, read, orNotify(func(uses []engine.ContentUse) tea.Cmd {
		switch {
		case !look:
			return m.ask(name, uses)
		case len(uses) == 0:
			return screen.Notify(widget.LevelInfo, "Nothing uses "+recordName(m.section(), name)+".")
		}
		m.report("Used in", false, phrase.Sentence(recordName(m.section(), name)+" is used in "+phrase.Count(len(uses), "place")), useLines(uses, len(uses)))
		return nil
	}))
}

// maxUses is how many uses a question lists.
const maxUses = 8

func (m *remover) ask(name string, uses []engine.ContentUse) tea.Cmd {
	sec := m.section()
	body := "This cannot be undone."
	force := len(uses) > 0
	if force {
		body = fmt.Sprintf("It is still used in %s:\n%s\n\nThese will have a broken reference. This cannot be undone.", phrase.Count(len(uses), "place"), useLines(uses, maxUses))
	}
	return screen.Ask(screen.Question{
		Title: "Delete " + recordName(sec, name) + "?", Body: body, Danger: true, Focus: 1,
		Buttons: []widget.Button{{Label: "Delete", Key: "y", Danger: true}, {Label: "Keep", Key: "n"}},
		Then: func(a widget.Answer) tea.Cmd {
			if !a.Yes() {
				return nil
			}
			return m.remove(sec, name, force)
		},
	})
}

func (m *remover) remove(sec *settings.Section, name string, force bool) tea.Cmd {
	svc := m.service
	work := func(ctx context.Context) (struct{}, error) { return struct{}{}, sec.Delete(ctx, svc, name, force) }
	return screen.Write(m.tasks, taskDelete, work, func(_ struct{}, err error) tea.Cmd {
		var inUse *settings.InUse
		switch {
		case errors.As(err, &inUse): // it has been used meanwhile
			return m.ask(name, inUse.Uses)
		case screen.Canceled(err):
			return nil
		case err != nil:
			return errorNotice(err)
		}
		return tea.Batch(screen.Notify(widget.LevelSuccess, "Deleted "+recordName(sec, name)+"."), m.load(), screen.Changed(""))
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
	s.focusRecords()
}
