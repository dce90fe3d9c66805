package audience

import (
	"context"
	"fmt"
	"slices"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// SegmentFilters returns the filters that select the members of a segment.
func SegmentFilters(name string) doc.Value {
	segment := doc.NewObject(doc.M(mType, doc.NewString(typeSegment)), doc.M(mName, doc.NewString(name)))
	return doc.NewObject(doc.M(mFilters, doc.NewArray(segment)))
}

// Reachable reports whether a message of the channel can reach the user: email with an address, or push with
// a device on one of the platforms (any device if there are none).
func Reachable(p *engine.User, channel engine.Channel, platforms []string) bool {
	if channel == catalog.Email {
		address, _ := p.Attributes[engine.AttrEmail].(string)
		return isAddress(address)
	}
	return slices.ContainsFunc(p.Devices, func(d engine.Device) bool {
		return d.Token != "" && (len(platforms) == 0 || slices.Contains(platforms, d.Platform))
	})
}

// Reach is how many users a campaign reaches through its channel.
type Reach struct {
	Known     bool // false if the service cannot count users, or the audience is everybody who triggers the campaign
	Count, Of int
}

// reachTimeout limits an estimate that somebody waits for.
const reachTimeout = 3 * time.Second

// EstimateReach estimates the reach of a campaign.
func EstimateReach(ctx context.Context, service engine.Service, c engine.Campaign) Reach {
	reader, ok := service.(engine.AudienceReader)
	filters := c.Body.Get(string(catalog.SegmentationDetails))
	if !ok || !HasFilters(filters) {
		return Reach{}
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	n, err := reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters})
	if c.Channel == catalog.Email {
		return Reach{err == nil, n.Reach.Email, n.Total}
	}
	return Reach{err == nil, n.Reach.Push, n.Total}
}

// String returns the reach as the object of a sentence, such as "about 3 of 12 people".
func (r Reach) String() string {
	switch {
	case !r.Known:
		return "an unknown number of people"
	case r.Count == 0:
		return "nobody"
	case r.Count == r.Of && r.Of == 1:
		return "1 person"
	case r.Count == r.Of:
		return fmt.Sprintf("all %d people", r.Of)
	}
	return fmt.Sprintf("about %d of %d people", r.Count, r.Of)
}
