package settings

import (
	"time"

	"bugle/engine"
)

// prepareSegment sets the id of a new segment and keeps the id of an existing one.
func prepareSegment(now, was *engine.Segment, _ *Saved) error {
	if now.Members == nil {
		now.Members = []string{}
	}
	now.ID = engine.NewID(time.Now())
	if was != nil {
		now.ID = was.ID
	}
	return nil
}

// prepareKey generates a new API key, of which only the SHA-256 is stored (CONTRACT.md, Authentication). An existing one
// stays the same key.
func prepareKey(now, was *engine.APIKey, saved *Saved) error {
	if was != nil {
		now.ID, now.Hash, now.CreatedAt, now.UsedAt = was.ID, was.Hash, was.CreatedAt, was.UsedAt
		saved.Name = now.ID
		return nil
	}
	name, expires := now.Name, now.ExpiresAt
	saved.Secret, *now = engine.NewAPIKey(time.Now().UTC(), now.Scopes)
	now.Name, now.ExpiresAt = name, expires
	saved.Name = now.ID
	saved.Note = "This key is shown only once. Only its hash is stored."
	return nil
}

// withoutHash hides the hash of a key.
func withoutHash(k engine.APIKey) engine.APIKey {
	k.Hash = ""
	return k
}
