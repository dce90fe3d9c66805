package engine

import (
	"context"
	"iter"

	"bugle/engine/doc"
)

// AudienceReader evaluates filters on the users of the workspace (CONTRACT.md, Audience). Filters are a
// segmentation_details, a trigger_condition or a filter group. Incomplete filters fail with
// [ValidationFailed] and the problems in the error's details.
type AudienceReader interface {
	// EstimateAudience counts the matching users. It returns the error of ctx if ctx ends first.
	EstimateAudience(ctx context.Context, r AudienceRequest) (AudienceCount, error)
	// AudienceMembers returns at most r.Limit matching users sorted by id, or all of them if r.Limit is 0.
	AudienceMembers(ctx context.Context, r AudienceRequest) ([]User, error)
	// StreamAudience returns the same profiles one after the other, a few of them in memory at a time. Users that are
	// stored meanwhile may be among them. An error, such as that of an ended ctx, comes last.
	StreamAudience(ctx context.Context, r AudienceRequest) iter.Seq2[User, error]
	// ExplainAudience tells which filters let one profile in or keep it out. It fails with
	// [NotFound] where there is no such profile.
	ExplainAudience(ctx context.Context, r AudienceRequest) (AudienceResult, error)
}

// AudienceRequest is a request of an [AudienceReader].
type AudienceRequest struct {
	Filters doc.Value
	Limit   int    // of members
	After   string // members: only those whose id comes after this one
	UserID  string // whom to explain
	// Progress, where it is not nil, is told of a count as it grows, from the goroutine that counts.
	// It stays in the process.
	Progress func(AudienceCount) `json:"-"`
}

// AudienceCount is the number of users that match, and how many of them a message can reach.
type AudienceCount struct {
	Total   int // users checked
	Matched int
	Reach   AudienceReach // of the matching users
}

// AudienceReach counts users by the channels that can reach them.
type AudienceReach struct {
	Email int // with an email address
	Push  int // with a device, whatever its platform
	// Profiles with a device of the platform; one with several platforms counts in each.
	Android, IOS, Web int
}

// AudienceResult is the evaluation of a group or filter for one user. Results nest like filters.
type AudienceResult struct {
	Path    doc.Path // of the group or filter, from the filters' root
	Words   string   // the filter in plain English
	Found   string   // the user's value in plain English; empty for groups
	Matched bool     // the result of the filter, including negation
	// Excludes reports that a match of this group excludes the user.
	Excludes bool
	// Any reports that one match in the group is enough.
	Any      bool
	Children []AudienceResult
}

// Decisive returns the filters that decided the result: the failed ones of a group that did not match, and
// the matching ones of a group that did. It returns the result itself if no filter decided it.
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
