package limit

import "time"

const day = 24 * time.Hour

// The limits of the service (CONTRACT.md, Limits), per workspace and credential.
var (
	// Create guards create requests, whatever comes of them.
	Create = []Window{{5, time.Second}, {25, time.Minute}, {100, time.Hour}}
	// Creations guard the campaigns that create requests made.
	Creations = []Window{{5, time.Minute}, {25, time.Hour}, {100, day}}
	// Preview guards personalized previews.
	Preview = []Window{{10_000, time.Minute}}
	// Other guards every other operation, each on its own.
	Other = []Window{{10, time.Second}, {100, time.Minute}, {6000, time.Hour}}
)
