package engine

import (
	"context"
	"time"
)

// DismissalStore keeps which warnings of a campaign somebody has read and does not want to see again. They are kept beside
// the campaign, and are no part of its document: nothing of them is sent to a service.
type DismissalStore interface {
	// Dismissals returns those of a campaign, in the order in which they were made.
	Dismissals(ctx context.Context, id string) ([]Dismissal, error)
	// PutDismissal keeps a dismissal in place of an earlier one of the same warning.
	PutDismissal(ctx context.Context, id string, d Dismissal) error
	// DeleteDismissal forgets the dismissal of a warning; forgetting none is no error.
	DeleteDismissal(ctx context.Context, id, warning string) error
}

// MaxDismissals is how many dismissals are kept of one campaign.
const MaxDismissals = 1000

// Dismissal is one warning that was dismissed.
type Dismissal struct {
	Warning string `json:"warning"` // its id: the check, an @, and the path of the place
	// Value is the hash of what stood at the place. Once something else stands there, the dismissal no longer counts.
	Value  string    `json:"value"`
	By     string    `json:"by,omitempty"` // email address
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}
