package engine

import "context"

// UserImporter imports many users at once. Imports are idempotent: importing the same rows twice has the
// effect of importing them once.
type UserImporter interface {
	// ImportUsers stores the rows in order. At a row that cannot be stored it stops with VALIDATION_FAILED
	// for that row. Earlier rows may be stored by then; the row itself is not stored in part.
	ImportUsers(ctx context.Context, r UserImport) (UserImportResult, error)
}

// UserImport is a batch of users. A few hundred users is a good batch size.
type UserImport struct {
	Rows []UserRow
	// Merge keeps attributes, devices and events of an existing user that the row does not mention. Otherwise
	// the row replaces the user.
	Merge bool
}

// UserRow is one user of an import.
type UserRow struct {
	User
	// KeepOptedOut reports that the row does not say whether the user opted out.
	KeepOptedOut bool
}

// UserImportResult counts the users that an import added and changed.
type UserImportResult struct{ Added, Changed int }

// Add adds the counts of another batch.
func (n *UserImportResult) Add(more UserImportResult) {
	n.Added += more.Added
	n.Changed += more.Changed
}

// Total returns the number of stored rows.
func (n UserImportResult) Total() int { return n.Added + n.Changed }
