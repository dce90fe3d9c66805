package screen_test

import (
	"testing"

	"bugle/ui/screen"
)

func TestActionHasKey(t *testing.T) {
	a := screen.Action{Keys: []string{"enter", "l"}}
	for key, want := range map[string]bool{"enter": true, "l": true, "L": false, "": false} {
		if a.HasKey(key) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
	a.HelpOnly = true
	if a.HasKey("l") {
		t.Error("an entry of the help takes a key")
	}
}
