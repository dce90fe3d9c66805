package engine_test

import (
	"testing"

	"bugle/engine"
)

// A scope includes those before it in the list.
func TestGrants(t *testing.T) {
	known := engine.KnownScopes()
	for i, held := range known {
		for j, need := range known {
			if got := engine.Grants([]string{held}, need); got != (j <= i) {
				t.Errorf("%s grants %s: %v", held, need, got)
			}
		}
	}
	if engine.Grants(nil, engine.ScopeView) || engine.Grants([]string{engine.ScopePublish}, "campaigns:own") {
		t.Error("a scope is granted that nobody has")
	}
}
