package widget_test

import (
	"strconv"
	"strings"
	"testing"

	"bugle/ui/widget"
)

// Tabs wrap around, and a click on a name, of those that fit, finds its tab.
func TestTabs(t *testing.T) {
	tabs := widget.NewTabs(plain(), "One", "Two", "Three")
	if tabs.Prev(); tabs.Active != 2 {
		t.Errorf("before the first comes %d", tabs.Active)
	}
	if tabs.Next(); tabs.Active != 0 {
		t.Errorf("after the last comes %d", tabs.Active)
	}
	tabs.Next()
	for width, want := range map[int]string{30: "000   111   22222", 10: "  111  "} {
		tabs.SetSize(width, 1)
		got := ""
		for x := range width {
			if i, ok := tabs.At(x); ok {
				got += strconv.Itoa(i)
			} else {
				got += " "
			}
		}
		if strings.TrimRight(got, " ") != strings.TrimRight(want, " ") {
			t.Errorf("at %d cells, clicks on %q find %q", width, tabs.View(), got)
		}
	}
}
