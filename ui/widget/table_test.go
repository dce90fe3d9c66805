package widget_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/widget"
)

// recordingRows records which rows were read.
type recordingRows struct {
	n     int
	asked map[int]bool
}

func (r *recordingRows) Len() int { return r.n }

func (r *recordingRows) Row(i int) widget.Cells {
	r.asked[i] = true
	return widget.Cells{{Text: "row"}}
}

func TestTableReadsOnlyVisibleRows(t *testing.T) {
	rows := &recordingRows{n: 1_000_000, asked: map[int]bool{}}
	table := widget.NewTable(plain(), widget.Column{Title: "Name", Min: 4, Weight: 1})
	table.SetRows(rows)
	table.SetSize(40, 11)
	table.End()
	_ = table.View()
	if len(rows.asked) != 10 || !rows.asked[999_999] || !rows.asked[999_990] {
		t.Errorf("asked for %d rows: %v", len(rows.asked), rows.asked)
	}
}

// titles returns the column headings that a table shows at a width.
func titles(width int) string {
	table := widget.NewTable(plain(), campaignColumns()...)
	table.SetRows(campaigns(1))
	table.SetSize(width, 2)
	return strings.Join(strings.Fields(strings.SplitN(table.View(), "\n", 2)[0]), " ")
}

func TestTableDropsColumns(t *testing.T) {
	for width, want := range map[int]string{
		120: "Name ↑ Status Channel Delivery Team Audience Updated",
		95:  "Name ↑ Status Channel Delivery Team Audience Updated",
		80:  "Name ↑ Status Channel Delivery Audience Updated",
		72:  "Name ↑ Status Channel Delivery Updated",
		55:  "Name ↑ Status Channel Updated",
		45:  "Name ↑ Status Channel",
		34:  "Name ↑ Status",
		18:  "Name ↑",
	} {
		if got := titles(width); got != want {
			t.Errorf("at %d cells: %q, want %q", width, got, want)
		}
	}
}

func press(y int) (tea.MouseMsg, int) {
	return tea.MouseMsg{Button: tea.MouseButtonLeft, Action: tea.MouseActionPress, Y: y}, y
}

func TestTableMouse(t *testing.T) {
	table := widget.NewTable(plain(), widget.Column{Title: "Name", Min: 4, Weight: 1})
	table.SetRows(campaigns(30))
	table.SetSize(40, 6)
	table.Mouse(tea.MouseMsg{Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress}, 2)
	if table.Offset != 3 || table.Cursor != 3 {
		t.Errorf("the wheel gives offset %d and cursor %d", table.Offset, table.Cursor)
	}
	if !table.Mouse(press(2)) || table.Cursor != 4 {
		t.Errorf("a press on the second row gives cursor %d", table.Cursor)
	}
	if table.Mouse(press(0)) {
		t.Error("a press on the head chose a row")
	}
	if i, ok := table.RowAt(5); !ok || i != 7 {
		t.Errorf("the row on line 5 is %d, %v", i, ok)
	}
	if _, ok := table.RowAt(6); ok {
		t.Error("there is a row below the table")
	}
}

func TestTableClampsCursor(t *testing.T) {
	table := widget.NewTable(plain(), widget.Column{Title: "Name", Min: 4, Weight: 1})
	table.SetRows(campaigns(30))
	table.SetSize(40, 6)
	table.End()
	table.SetRows(campaigns(3))
	if table.Cursor != 2 || table.Offset != 0 {
		t.Errorf("cursor %d and offset %d among three rows", table.Cursor, table.Offset)
	}
	table.SetRows(campaigns(0))
	if _, ok := table.RowAt(1); ok || table.Cursor != 0 {
		t.Errorf("an empty table has a row, or its cursor at %d", table.Cursor)
	}
	table.Down()
	table.PageDown()
	_ = table.View()
}

func TestSelectedRowIsOneColor(t *testing.T) {
	theme, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	table := widget.NewTable(theme, campaignColumns()...)
	table.Focused = true
	table.SetRows(campaigns(2))
	table.SetSize(80, 3)
	lines := strings.Split(table.View(), "\n")
	if n := strings.Count(lines[1], "\x1b["); n != 2 {
		t.Errorf("the selected row changes its colors %d times: %q", n, lines[1])
	}
	if !strings.Contains(lines[2], theme.Info.Render("◔ Scheduled")) {
		t.Errorf("the other row has no color for its state: %q", lines[2])
	}
}

// A million rows cost as much as fifty: compare the two benchmarks.
func benchmarkTable(b *testing.B, n int) {
	theme, err := themes.New(themes.Options{Name: themes.Dark, Profile: termenv.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	table := widget.NewTable(theme, campaignColumns()...)
	table.Focused = true
	table.SetRows(campaigns(n))
	table.SetSize(120, 40)
	for i := 0; b.Loop(); i++ {
		table.Select(i * 7919 % n)
		_ = table.View()
	}
}

func BenchmarkTableOfAMillion(b *testing.B) { benchmarkTable(b, 1_000_000) }

func BenchmarkTableOfFifty(b *testing.B) { benchmarkTable(b, 50) }
