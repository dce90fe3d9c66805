package engine

import "context"

// NameUses tells what refers to the names that a workspace gives: connectors, categories, teams,
// locales, events, attributes and segments. Content has [ContentStore.ContentUses].
type NameUses interface {
	// NameUses returns the campaigns that still can be sent, and the parts of the workspace itself,
	// that refer to a name. Where nothing does, or nothing of that name is there, it returns none. A
	// list that [Workspace.Lists] does not know is [ValidationFailed].
	NameUses(ctx context.Context, ref NameRef) ([]ContentUse, error)
}

// NameRef is a name of one of the lists of a workspace, as [Workspace.Lists] calls them, such as "teams".
type NameRef struct {
	List string `json:"list"`
	Name string `json:"name"`
}

// KindSegment names a segment as the place of a use. Segments are no content, and not among the
// [ContentKinds].
const KindSegment ContentKind = "segment"
