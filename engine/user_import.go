package engine

import "context"

// UserImporter takes many profiles at once. Its calls are repeatable: the same rows twice leave what
// they left the first time.
type UserImporter interface {
	// ImportUsers stores the rows in their order. A row that cannot be stored ends the import with
	// VALIDATION_FAILED about that row; those before it may be stored then, and no part of it is.
	ImportUsers(ctx context.Context, r UserImport) (UserImportResult, error)
}

// UserImport is a batch of profiles: some hundreds are a good number.
type UserImport struct {
	Rows []UserRow
	// Merge keeps of a profile that is there what its row does not speak of: other attributes, devices
	// and events. Otherwise the row takes its place.
	Merge bool
}

// UserRow is one profile of an import.
type UserRow struct {
	User
	// KeepOptedOut says that the row does not tell whether the user has opted out.
	KeepOptedOut bool
}

// UserImportResult counts what became of the rows.
type UserImportResult struct{ Added, Changed int }

// Add counts another batch in.
func (n *UserImportResult) Add(more UserImportResult) {
	n.Added += more.Added
	n.Changed += more.Changed
}

// Total is how many rows were stored.
func (n UserImportResult) Total() int { return n.Added + n.Changed }
