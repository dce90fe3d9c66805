package campaigns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/themes"
	"bugle/ui/list"
	"bugle/ui/screen"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// reportPane lists the failures of a bulk action.
type reportPane struct {
	screen.Box
	work   *bulkActions
	theme  *themes.Theme
	task   bulkTask
	report bulk.Report
	list   *list.List[bulk.Failure]
}

const groupReport = "Report"

func newReportPane(w *bulkActions, t bulkTask, r bulk.Report) *reportPane {
	p := &reportPane{work: w, theme: w.deps.Theme, task: t, report: r, list: list.Items(w.deps.Theme, "campaign", failureItem)}
	p.list.Focused = true
	p.list.Set(slices.Concat(r.Failed, r.Skipped))
	return p
}

// failureItem returns the row of a campaign that is not done.
func failureItem(f bulk.Failure) widget.Item {
	item := widget.Item{Icon: "✗", IconTone: themes.ToneDanger, Text: cmp.Or(f.Row.Name, f.Row.ID)}
	if f.Err == nil {
		item.Icon, item.IconTone = "○", themes.ToneMuted
	}
	return item
}

// Actions returns what can be done about the failures.
func (p *reportPane) Actions() []screen.Action {
	return []screen.Action{
		{Keys: []string{"r"}, Label: "retry", Help: "retry campaigns that are not done", Group: groupReport, BarPriority: 10, Run: p.retry},
		p.list.On(screen.Action{Keys: []string{"enter"}, Label: "open", Help: "edit the campaign in the builder", Group: groupReport, BarPriority: 8}, nil, func(f bulk.Failure) tea.Cmd {
			return screen.Open(screen.Route{Name: screen.Builder, ID: f.Row.ID})
		}),
		{Keys: []string{"y"}, Label: "copy", Help: "copy the report", Group: groupReport, BarPriority: 7, Run: func() tea.Cmd { return screen.Copy(p.text(), "the report") }},
		{Keys: []string{"esc", "q"}, Label: "close", Help: "back to the list; campaigns that are not done stay selected", Group: groupReport, BarPriority: 9, Run: p.Close},
	}
}

func (p *reportPane) retry() tea.Cmd {
	var rows []engine.Summary
	for _, f := range p.list.Shown() {
		row := f.Row
		if now, ok := p.work.row(row.ID); ok {
			row = now
		}
		rows = append(rows, row)
	}
	return p.work.start(p.task, rows)
}

// Typing returns false: there is no text field.
func (p *reportPane) Typing() bool { return false }

// Key moves the cursor.
func (p *reportPane) Key(msg tea.KeyMsg) tea.Cmd {
	p.list.Key(msg)
	return nil
}

// Mouse scrolls, and selects a failure.
func (p *reportPane) Mouse(msg tea.MouseMsg) tea.Cmd {
	msg.Y -= 3
	p.list.Mouse(msg)
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
	for _, f := range p.list.Shown() {
		lines = append(lines, fmt.Sprintf("%s  %s: %s", f.Row.ID, f.Row.Name, strings.ReplaceAll(p.failureReason(f), "\n", " · ")))
	}
	return strings.Join(lines, "\n")
}

// reasonLines is how many lines the reason below the list takes.
const reasonLines = 3

// View draws the box.
func (p *reportPane) View(width, height int) string {
	panel := widget.NewPanel(p.theme, "Some campaigns failed")
	panel.Focused, panel.Danger = true, len(p.report.Failed) > 0
	panel.Info = p.list.Position()
	panel.Footer = "failed campaigns stay selected"
	panel.SetSize(min(width-4, 84), min(height-4, p.list.Len()+reasonLines+5))
	w, h := panel.Inner()
	p.list.SetSize(w, max(h-reasonLines-3, 1))
	f, _ := p.list.Selected()
	why := widget.Wrap(widget.CleanLines(p.failureReason(f)), w)
	why = why[:min(len(why), reasonLines)]
	for i := range why {
		why[i] = p.theme.Text.Render(why[i])
	}
	body := []string{p.theme.Strong.Render(widget.Truncate(p.headline(), w)), "", p.list.View(), ""}
	return panel.View(strings.Join(append(body, why...), "\n"))
}
