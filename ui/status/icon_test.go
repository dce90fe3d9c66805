package status_test

import (
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/status"
	"bugle/ui/widget"
)

// The states can be told apart without colors.
func TestIconsAreDistinct(t *testing.T) {
	seen := map[string]catalog.State{}
	for _, s := range catalog.States {
		icon, _ := status.Icon(s)
		if other, ok := seen[icon]; ok || widget.Width(icon) != 1 {
			t.Errorf("%s has the icon %q, which %s may have too", s, icon, other)
		}
		seen[icon] = s
	}
}
