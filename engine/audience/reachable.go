package audience

import (
	"slices"

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
