package engine

import "context"

// ProfileImporter takes many profiles at once. Its calls are repeatable: the same rows twice leave what
// they left the first time.
type ProfileImporter interface {
	// ImportProfiles stores the rows in their order. A row that cannot be stored ends the import with
	// VALIDATION_FAILED about that row; those before it may be stored then, and no part of it is.
	ImportProfiles(ctx context.Context, r ProfileImport) (ProfilesImported, error)
}

// ProfileImport is a batch of profiles: some hundreds are a good number.
type ProfileImport struct {
	Rows []ProfileRow
	// Merge keeps of a profile that is there what its row does not speak of: other attributes, devices
	// and events. Otherwise the row takes its place.
	Merge bool
}

// ProfileRow is one profile of an import.
type ProfileRow struct {
	Profile
	// KeepOptedOut says that the row does not tell whether the user has opted out.
	KeepOptedOut bool
}

// ProfilesImported counts what became of the rows.
type ProfilesImported struct{ Added, Changed int }

// Add counts another batch in.
func (n *ProfilesImported) Add(more ProfilesImported) {
	n.Added += more.Added
	n.Changed += more.Changed
}

// Total is how many rows were stored.
func (n ProfilesImported) Total() int { return n.Added + n.Changed }
