// Package race reports whether a test runs with the race detector, which makes computations about ten times as slow.
// Tests of how much work something is try less there.
package race

// Factor returns n with the race detector, and 1 without it.
func Factor(n int) int {
	if Enabled {
		return n
	}
	return 1
}

// Some returns every nth element of a list with the race detector, from the first one on, and all without it.
func Some[T any](n int, list []T) (some []T) {
	for i := 0; i < len(list); i += Factor(n) {
		some = append(some, list[i])
	}
	return some
}
