package widget_test

import (
	"regexp"
	"strings"
	"testing"

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
	table.Select(table.Len - 1)
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

// cells is a table of one row.
type cells widget.Cells

func (c cells) Len() int             { return 1 }
func (c cells) Row(int) widget.Cells { return widget.Cells(c) }

// Matches are underlined as far as they are visible, and the row is as wide as without them.
func TestTableMatches(t *testing.T) {
	theme, err := themes.New(themes.Options{Name: themes.Dark, DarkBackground: true, Profile: termenv.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	underlined := regexp.MustCompile(`\x1b\[(?:[\d;]*;)?4(?:;[\d;]*)?m([^\x1b]*)`)
	for _, c := range []struct {
		text    string
		matches []widget.Span
		want    string
	}{
		{"Spring sale", []widget.Span{{0, 2}, {7, 11}}, "Sp sale"},
		{"Black Friday 世界 teaser", []widget.Span{{13, 15}}, "世界"},
		{"A long name that is cut before its end", []widget.Span{{2, 6}, {33, 36}}, "long"},
		{"a\x07b", []widget.Span{{0, 3}}, "a"},
		{"none", nil, ""},
	} {
		for _, selected := range []bool{true, false} {
			table := widget.NewTable(theme, widget.Column{Title: "Name", Min: 24, Max: 24})
			table.SetRows(cells{{Text: c.text, Matches: c.matches}})
			table.SetSize(30, 2)
			table.Focused, table.NoCursor = true, !selected
			row := strings.Split(table.View(), "\n")[1]
			var got []string
			for _, m := range underlined.FindAllStringSubmatch(row, -1) {
				got = append(got, m[1])
			}
			if strings.Join(got, " ") != c.want || widget.Width(row) != 30 {
				t.Errorf("%q, selected %v: underlined %q in %q, %d wide", c.text, selected, got, row, widget.Width(row))
			}
		}
	}
}
