package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/themes"
	"bugle/ui/widget"
)

func campaignColumns() []widget.Column {
	return []widget.Column{
		{Title: "Name ↑", Min: 18, Weight: 3},
		{Title: "Status", Min: 11},
		{Title: "Channel", Min: 7, Priority: 1},
		{Title: "Delivery", Min: 15, Priority: 2},
		{Title: "Team", Min: 10, Max: 20, Weight: 1, Priority: 4},
		{Title: "Audience", Min: 9, Align: widget.AlignRight, Priority: 3},
		{Title: "Updated", Min: 8, Align: widget.AlignRight, Priority: 1},
	}
}

// campaigns is a table of that many rows, generated on demand.
type campaigns int

func (c campaigns) Len() int { return int(c) }

func (c campaigns) Row(i int) widget.Cells {
	names := []string{"Spring sale, first wave", "Welcome series", "Cart reminder 世界", "Weekly digest for readers of the newsletter", "Win back 🎉 customers"}
	states := []widget.Cell{{Text: "○ Draft"}, {Text: "◔ Scheduled", Tone: themes.ToneInfo}, {Text: "● Active", Tone: themes.ToneSuccess},
		{Text: "► Sending", Tone: themes.ToneAccent}, {Text: "◐ Paused", Tone: themes.ToneWarning}, {Text: "✓ Sent", Tone: themes.ToneMuted},
		{Text: "■ Stopped", Tone: themes.ToneDanger}, {Text: "▪ Archived", Tone: themes.ToneFaint}}
	return widget.Cells{
		{Text: fmt.Sprintf("%s %d", names[i%len(names)], i+1)},
		states[i%len(states)],
		{Text: []string{"Push", "Email"}[i%2]},
		{Text: []string{"One time", "Event triggered"}[i%2], Tone: themes.ToneMuted},
		{Text: "Lifecycle", Tone: themes.ToneMuted},
		{Text: fmt.Sprint((i * 7919) % 100000)},
		{Text: fmt.Sprintf("%dh ago", i+1), Tone: themes.ToneFaint},
	}
}

func campaignScreen(w, h int) string {
	table := widget.NewTable(plain(), campaignColumns()...)
	table.Focused = true
	table.Marked = func(i int) bool { return i == 4 || i == 6 }
	panel := widget.NewPanel(plain(), "Campaigns")
	panel.Focused = true
	panel.SetSize(w, h)
	table.SetRows(campaigns(400))
	table.SetSize(panel.Inner())
	table.Move(5)
	panel.Info = fmt.Sprintf("%d of %d", table.Cursor+1, table.Len)
	return panel.View(table.View())
}

func TestGoldenTable(t *testing.T) {
	golden(t, "table-80x24", campaignScreen(80, 24))
	golden(t, "table-24x8", campaignScreen(24, 8))

	empty := widget.NewTable(plain(), campaignColumns()...)
	empty.Empty = "No campaign matches “spring”.\nPress esc to see all of them."
	empty.SetSize(50, 6)
	golden(t, "table-empty", empty.View())
}

func TestGoldenBars(t *testing.T) {
	var lines []string
	tabs := widget.NewTabs(plain(), "Problems (3)", "Preview", "JSON", "Help")
	for _, w := range []int{12, 30, 60} {
		for active := range 4 {
			tabs.Active = active
			tabs.SetSize(w, 1)
			lines = append(lines, tabs.View())
		}
	}
	for i, w := range []int{20, 40, 80} {
		lines = append(lines, widget.Progress(plain(), "Sending tests", i, i*20, 40, w))
	}
	lines = append(lines, widget.Progress(plain(), "Sending tests", 3, 0, 0, 80))
	golden(t, "bars", strings.Join(lines, "\n"))
}
