package widget_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain keeps rapid from writing failed cases next to the golden files; the seed it prints is enough to
// repeat them.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
