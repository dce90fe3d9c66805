package campaigns

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// reportPane lists the failures of a bulk action.
type reportPane struct {
	work   *bulkActions
	theme  *themes.Theme
	task   bulkTask
	report bulk.Report
	list   widget.List
	rows   []bulk.Failure
}

const groupReport = "Report"

func newReportPane(w *bulkActions, t bulkTask, r bulk.Report) *reportPane {
	p := &reportPane{work: w, theme: w.deps.Theme, task: t, report: r, list: widget.NewList(w.deps.Theme)}
	p.list.Focused = true
	p.rows = append(append(p.rows, r.Failed...), r.Skipped...)
	var items []widget.Item
	for _, f := range p.rows {
		name := f.Row.Name
		if name == "" {
			name = f.Row.ID
		}
		item := widget.Item{Icon: "✗", IconTone: themes.ToneDanger, Text: name}
		if f.Err == nil {
			item.Icon, item.IconTone = "○", themes.ToneMuted
		}
		items = append(items, item)
	}
	p.list.SetItems(items)
	return p
}

func (p *reportPane) actions() []screen.Action {
	row := p.rows[p.list.Cursor].Row
	return []screen.Action{
		{Keys: []string{"r"}, Label: "retry", Help: "retry campaigns that are not done", Group: groupReport, BarPriority: 10, Run: p.retry},
		{Keys: []string{"enter"}, Label: "open", Help: "edit the campaign in the builder", Group: groupReport, BarPriority: 8, Run: func() tea.Cmd { return screen.Open(screen.Route{Name: screen.Builder, ID: row.ID}) }},
		{Keys: []string{"y"}, Label: "copy", Help: "copy the report", Group: groupReport, BarPriority: 7, Run: func() tea.Cmd { return screen.Copy(p.text(), "the report") }},
		{Keys: []string{"esc", "q"}, Label: "close", Help: "back to the list; campaigns that are not done stay selected", Group: groupReport, BarPriority: 9, Run: p.close},
	}
}

func (p *reportPane) close() tea.Cmd {
	p.work.show(nil)
	return nil
}

func (p *reportPane) retry() tea.Cmd {
	rows := make([]engine.Summary, len(p.rows))
	for i, f := range p.rows {
		rows[i] = f.Row
		if now, ok := p.work.row(f.Row.ID); ok {
			rows[i] = now
		}
	}
	return p.work.start(p.task, rows)
}

func (p *reportPane) key(msg tea.KeyMsg) { p.list.Update(msg) }

func (p *reportPane) mouse(msg tea.MouseMsg, y int) tea.Cmd {
	p.list.Mouse(msg, y-2)
	return nil
}

// headline summarizes the result in one line.
func (p *reportPane) headline() string {
	text := fmt.Sprintf("%s %s.", campaignCount(len(p.report.Done)), p.task.past)
	if len(p.report.Done) == 0 {
		text = "None " + p.task.past + "."
	}
	if n := len(p.report.Failed); n > 0 {
		text += fmt.Sprintf(" %d failed.", n)
	}
	if n := len(p.report.Skipped); n > 0 {
		text += fmt.Sprintf(" Canceled: %d not done.", n)
	}
	return text
}

// failureReason returns why a campaign failed.
func (p *reportPane) failureReason(f bulk.Failure) string {
	if f.Err == nil {
		return "Canceled before this campaign."
	}
	return status.Refusal(f.Row.Channel, f.Err)
}

// text returns the whole report, for the clipboard.
func (p *reportPane) text() string {
	lines := []string{p.headline()}
	for _, f := range p.rows {
		lines = append(lines, fmt.Sprintf("%s  %s: %s", f.Row.ID, f.Row.Name, strings.ReplaceAll(p.failureReason(f), "\n", " · ")))
	}
	return strings.Join(lines, "\n")
}

// reasonLines is how many lines the reason below the list takes.
const reasonLines = 3

func (p *reportPane) view(width, height int) string {
	panel := widget.NewPanel(p.theme, "Some campaigns failed")
	panel.Focused, panel.Danger = true, len(p.report.Failed) > 0
	panel.Info = fmt.Sprintf("%d of %d", p.list.Cursor+1, len(p.rows))
	panel.Footer = "failed campaigns stay selected"
	panel.SetSize(min(width-4, 84), min(height-2, len(p.rows)+reasonLines+5))
	w, h := panel.Inner()
	p.list.SetSize(w, max(h-reasonLines-3, 1))
	why := widget.Wrap(widget.CleanLines(p.failureReason(p.rows[p.list.Cursor])), w)
	why = why[:min(len(why), reasonLines)]
	for i := range why {
		why[i] = p.theme.Text.Render(why[i])
	}
	body := []string{p.theme.Strong.Render(widget.Truncate(p.headline(), w)), "", p.list.View(), ""}
	return panel.View(strings.Join(append(body, why...), "\n"))
}
