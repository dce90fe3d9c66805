package catalog_test

import (
	"testing"
	"time"

	"bugle/engine/catalog"
)

// A start waits for the tables, so compiling them must stay far below what a person notices.
func TestTablesCompile(t *testing.T) {
	began := time.Now()
	all := catalog.All()
	t.Logf("%d tables compiled in %s", len(all), time.Since(began))
	for name, s := range all {
		t.Logf("%-28s %4d nodes", name, len(s.Nodes()))
	}
}
