package engine

import "context"

// NameUses finds references to the names of a workspace: connectors, categories, teams, locales, events,
// attributes and segments. For content there is [ContentStore].ContentUses.
type NameUses interface {
	// NameUses returns the campaigns that can still be sent and the parts of the workspace that refer to a
	// name. It returns none for a name that does not exist, and [ValidationFailed] for an unknown list.
	NameUses(ctx context.Context, ref NameRef) ([]ContentUse, error)
}

// NameRef is a name in one of the workspace's lists (see [Workspace.Lists]), such as "teams".
type NameRef struct {
	List string `json:"list"`
	Name string `json:"name"`
}

// KindSegment marks a segment as the place of a [ContentUse]. Segments are not content and not among the
// [ContentKinds].
const KindSegment ContentKind = "segment"
