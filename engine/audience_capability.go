package engine

import (
	"context"
	"iter"

	"bugle/engine/doc"
)

// AudienceReader finds the users of the workspace that match filters (CONTRACT.md, Audience).
// Filters are a segmentation_details, a trigger_condition or a filter group. Filters that
// are not finished fail with [ValidationFailed], what they lack in the details.
type AudienceReader interface {
	// EstimateAudience counts who matches. An ended ctx ends the count with its error.
	EstimateAudience(ctx context.Context, r AudienceRequest) (AudienceCount, error)
	// AudienceMembers returns at most r.Limit of the profiles that match, by id; 0 means all.
	AudienceMembers(ctx context.Context, r AudienceRequest) ([]User, error)
	// StreamAudience returns the same profiles one after the other, a few of them in memory at a time. Users that are
	// stored meanwhile may be among them. An error, such as that of an ended ctx, comes last.
	StreamAudience(ctx context.Context, r AudienceRequest) iter.Seq2[User, error]
	// ExplainAudience tells which filters let one profile in or keep it out. It fails with
	// [NotFound] where there is no such profile.
	ExplainAudience(ctx context.Context, r AudienceRequest) (AudienceResult, error)
}

// AudienceRequest names an audience, and what to tell of it.
type AudienceRequest struct {
	Filters doc.Value
	Limit   int    // of members
	After   string // members: only those whose id comes after this one
	UserID  string // whom to explain
	// Progress, where it is not nil, is told of a count as it grows, from the goroutine that counts.
	// It stays in the process.
	Progress func(AudienceCount) `json:"-"`
}

// AudienceCount is how many profiles match, and how many of those a message can reach.
type AudienceCount struct {
	Total   int // profiles looked at
	Matched int
	Reach   AudienceReach // of those that match
}

// AudienceReach counts profiles by where a message can reach them.
type AudienceReach struct {
	Email int // with an email address
	Push  int // with a device, whatever its platform
	// Profiles with a device of the platform; one with several platforms counts in each.
	Android, IOS, Web int
}

// AudienceResult is what a group or a filter says of one profile. Results nest as filters do.
type AudienceResult struct {
	Path    doc.Path // of the group or filter, from the filters' root
	Words   string   // the filter in plain words
	Found   string   // what the profile has there, in plain words; empty for groups
	Matched bool     // what the filter says, negation included
	// Excludes marks the group whose match keeps the profile out.
	Excludes bool
	// Any marks a group of which one match is enough.
	Any      bool
	Children []AudienceResult
}

// Decisive returns the filters that made the result what it is: of a group that needs all, those that
// failed, or all of them where none did; of one that needs any, the other way round.
func (r AudienceResult) Decisive() []AudienceResult {
	if r.Found != "" { // a filter, whatever is in it
		return []AudienceResult{r}
	}
	var out []AudienceResult
	for _, c := range r.Children {
		// Those that speak against a group explain its failure, those that speak for it its success.
		if (c.Matched != c.Excludes) == r.Matched {
			out = append(out, c.Decisive()...)
		}
	}
	if len(out) == 0 {
		return []AudienceResult{r}
	}
	return out
}
