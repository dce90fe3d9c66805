package builder_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

// pane returns what stands inside the nth frame of the first line of frames, line by line, and the
// column and line of its first cell.
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

// label returns the label of a form's row that a line of it begins with; "" where it is no row.
func label(line string) string {
	text, ok := strings.CutPrefix(line, "  ")
	if !ok || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "!") || strings.HasPrefix(text, "↓") || strings.HasPrefix(text, "↑") {
		return ""
	}
	text, _, _ = strings.Cut(text, "  ")
	text, _, _ = strings.Cut(text, " *")
	text, _, _ = strings.Cut(text, " ›")
	text, _, _ = strings.Cut(text, "…")
	return text
}

// Clicks land on the field under the pointer: in every section, with banners and problems over the
// fields, in every layout.
func TestClicksLandOnTheFieldUnderThePointer(t *testing.T) {
	for _, ch := range []catalog.Channel{catalog.Email, catalog.Push} {
		for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
			t.Run(fmt.Sprint(ch, size), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, ch, `{"basic_details":{"name":"Sale"}}`)
				clicked := 0
				for _, section := range []string{"basic_details", "connector", "trigger_condition", "scheduling_details", "delivery_controls", "conversion_goal_details", "control_group_details", "utm_params", "campaign_audience_limit", "advanced"} {
					h := b.open(size[0], size[1], section)
					lines, _, _ := pane(h, 1)
					for _, l := range lines {
						name := label(l)
						if name == "" {
							continue
						}
						now, x, y := pane(h, 1)
						for i, l := range now {
							if label(l) == name {
								h.Click(x+3, y+i)
								clicked++
								after, _, _ := pane(h, 1)
								if !strings.Contains(strings.Join(after, "\n"), "▸ "+name) {
									t.Fatalf("%s: the click on %q went elsewhere. Before:\n%s\nafter:\n%s", section, name, strings.Join(now, "\n"), strings.Join(after, "\n"))
								}
								break
							}
						}
					}
				}
				if clicked < 12 {
					t.Errorf("only %d fields were found to click", clicked)
				}
			})
		}
	}
}

// Sections, views and problems take clicks, in every layout.
func TestClicksBesideTheForm(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		b := newBench(t, catalog.Email, `{"basic_details":{"name":"Sale"}}`)
		h := b.open(size[0], size[1])
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
		h.ClickOn("JSON")
		h.Want("[JSON]")
		h.ClickOn("Problems")
		h.Want("[Problems]")
		h.ClickOn("Content: required")
		h.Want("▏ ○ Content")
	}
}
