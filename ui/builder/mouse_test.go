package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

// pane returns the lines inside the nth frame of the top row of frames, and the column and line of its first
// cell.
func pane(h *uitest.Harness, n int) (lines []string, x, y int) {
	frame := strings.Split(h.Text(), "\n")
	x = -1
	for i, r := range []rune(frame[1]) {
		if r == '╭' {
			if n--; n < 0 {
				x = i
				break
			}
		}
	}
	for _, l := range frame[2:] {
		cells := []rune(l)
		if x < 0 || x >= len(cells) || cells[x] != '│' {
			break
		}
		end := x + 1
		for end < len(cells) && cells[end] != '│' && cells[end] != '┃' {
			end++
		}
		lines = append(lines, strings.TrimRight(string(cells[min(x+2, len(cells)):end]), " "))
	}
	return lines, x + 2, 2
}

// Sections, problems and what a field opens can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Sale"}}`)
		h := b.open(size.W, size.H, "")
		sections, x, y := pane(h, 0)
		for i, l := range sections {
			if name := []rune(l); len(name) > 8 {
				h.Click(x+4, y+i)
				now, _, _ := pane(h, 0)
				if !strings.HasPrefix(now[i], "▌") {
					t.Errorf("%v: the click on %q chose another section:\n%s", size, l, h.Text())
				}
			}
		}
		h.Script("ctrl+g", "@Add a message", "?─ Content ─")
		b.open(size.W, size.H, "connector.connector_name").ClickOn("Demo mail")
		b.want("connector.connector_type", `"CUSTOM_SMTP"`)
		b.open(size.W, size.H, "scheduling_details.start_time").Script("f4", "@28", "@28", "enter", "?28 Mar")
	}
}
