package bench

import "testing"

// BenchmarkSwitchPreviewedUser shows a large email as one user after another.
func BenchmarkSwitchPreviewedUser(b *testing.B) {
	s, err := newPreviewed(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	s.press("u")
	for b.Loop() {
		s.press("alt+n")
	}
}
