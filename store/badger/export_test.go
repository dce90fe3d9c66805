package badger

// SetFreeSpace makes the store believe in that much free space.
func (d *DB) SetFreeSpace(n uint64) {
	d.free = func(string) (uint64, error) { return n, nil }
}

// SetThorough makes stores of more bytes of tables than n open before they are proved, until undo.
func SetThorough(n int64) (undo func()) {
	old := thorough
	thorough = n
	return func() { thorough = old }
}
