package activity_test

import (
	"testing"

	calls "bugle/engine/service/activity"
)

func TestPictures(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	h.GoldenSizes("calls")
	h.Resize(80, 24)
	h.WantFits()
	h.Press("down", "enter")
	h.Golden("call-80x24")
	h.WantFits()
	h.Press("tab")
	h.WantFits()
	h.Press("esc", "/")
	h.Type("4xx")
	h.Golden("filter-80x24")
	h.WantFits()

	empty := open(t, &calls.Log{})
	empty.Golden("empty-80x24")
	empty.WantFits()
}
