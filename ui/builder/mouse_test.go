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

// Sections, tabs and problems can be clicked in every layout.
func TestClicksOutsideForm(t *testing.T) {
	for _, size := range [][2]int{{60, 20}, {80, 24}, {120, 40}} {
		b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"Sale"}}`)
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
		h.Press("ctrl+g")
		h.ClickOn("Add a message")
		h.Want("─ Content ─")
	}
}

// Everything that a field opens can be clicked: choices, checklists, suggestions, timespans, the calendar; so
// can the platform tabs and the views of the preview.
func TestClicksInOpenField(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Email, `{}`)
		h := b.open(size.W, size.H, "connector", "connector_name")
		h.ClickOn("Demo mail")
		if got := b.value("connector.connector_type"); got != `"CUSTOM_SMTP"` {
			t.Errorf("%v: a click on a suggestion chose the type %s:\n%s", size, got, h.Text())
		}
		h = b.open(size.W, size.H, "scheduling_details", "delivery_type")
		h.Press("enter")
		h.ClickOn("At a fixed time")
		if got := b.value("scheduling_details.delivery_type"); got != `"AT_FIXED_TIME"` {
			t.Errorf("%v: a click on an option chose %s:\n%s", size, got, h.Text())
		}
		h = b.open(size.W, size.H, "scheduling_details", "start_time")
		h.Press("f4")
		h.ClickOn("28")
		h.ClickOn("28")
		h.Press("enter")
		if got := b.value("scheduling_details.start_time"); !strings.Contains(got, "-28T09:00:00") {
			t.Errorf("%v: a click on a day chose %s:\n%s", size, got, h.Text())
		}

		b = newTestbed(t, catalog.Push, `{"basic_details":{"platforms":["WEB"]}}`)
		h = b.open(size.W, size.H, "basic_details", "platforms")
		h.Press("enter")
		h.ClickOn("Android")
		h.Press("enter")
		if got := b.value("basic_details.platforms"); got != `["WEB","ANDROID"]` {
			t.Errorf("%v: a click on a tick left %s:\n%s", size, got, h.Text())
		}
		h = b.open(size.W, size.H, "campaign_content", "content", "push", "android", "basic_details", "title")
		h.Want("Content › Android")
		h.ClickOn("Web")
		h.Want("Content › Web")
		h.ClickOn("Android │")
		h.Want("Content › Android")
	}
}
