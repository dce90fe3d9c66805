package postgres

// URL returns the URL that the store was opened with.
func (d *DB) URL() string { return d.o.URL }
