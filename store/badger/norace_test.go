//go:build !race

package badger_test

const slow = 1
