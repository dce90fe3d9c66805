package badger

// SetFreeSpace makes the store believe in that much free space.
func (d *DB) SetFreeSpace(n uint64) {
	d.free = func(string) (uint64, error) { return n, nil }
}
