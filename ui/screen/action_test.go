package screen_test

import (
	"testing"

	"bugle/ui/screen"
)

func TestAnActionDoesItsKeys(t *testing.T) {
	a := screen.Action{Keys: []string{"enter", "l"}}
	for key, want := range map[string]bool{"enter": true, "l": true, "L": false, "": false} {
		if a.Does(key) != want {
			t.Errorf("%q: %v", key, !want)
		}
	}
	a.Info = true
	if a.Does("l") {
		t.Error("an entry of the help takes a key")
	}
}
