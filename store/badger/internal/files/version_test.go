package files

import (
	"os"
	"regexp"
	"testing"
)

// The version of Badger whose formats this package reads.
const readVersion = "v4.9.6"

// Another version may write its files in another way, which would look like damage. Whoever changes the version reads
// these files of Badger again (memtable.go, value.go, manifest.go, key_registry.go, levels.go, and those of table), and
// then changes readVersion.
func TestBadgerVersion(t *testing.T) {
	b, err := os.ReadFile("../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`github\.com/dgraph-io/badger/v4(?: v\S+)?(?: => \S+)? (v\S+)`).FindAllSubmatch(b, -1)
	if len(all) == 0 {
		t.Fatal("go.mod has no version of Badger")
	}
	for _, version := range all {
		if string(version[1]) != readVersion {
			t.Errorf("go.mod has Badger %s, but this package reads the formats of %s: compare them, then change readVersion", version[1], readVersion)
		}
	}
}
