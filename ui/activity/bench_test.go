package activity_test

import (
	"testing"

	"bugle/ui/uitest"
)

// BenchmarkKeys measures keys at 120×40, from the key to the drawn frame, with 500 calls in the log.
func BenchmarkKeys(b *testing.B) {
	l := newFilledLog(b)
	for _, c := range l.Calls() {
		for range 80 {
			l.Add(c)
		}
	}
	h := uitest.New(b, idleScreen{newScreen(l)}, 120, 40)
	keys := []string{"down", "up"}
	for i := 0; b.Loop(); i++ {
		h.Press(keys[i%2])
		_ = h.View()
	}
}
