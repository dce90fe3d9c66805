package api

import "bugle/engine"

// ComparedHashes returns the lengths that [FindKey] compares: of a key as it is made, and of what stands in
// for those of a workspace that is not there.
func ComparedHashes(made engine.APIKey) map[string]string {
	return map[string]string{"a key": made.Hash, "no key": noKeys[0].Hash}
}

// Watcher returns what watches the headers of one connection, for a benchmark.
func Watcher() func([]byte) { return new(framing).watch }
