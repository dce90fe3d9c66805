//go:build race

package badger_test

// slow is how many times fewer stores are damaged with the race detector, which takes ten times as long for the bytes
// of a log and finds the same in any store.
const slow = 4
