package render

import (
	"slices"
	"strings"
)

// Images returns the pictures of a message that have an address, each once, in the order of the message. Videos and
// attachments are not among them.
func (v View) Images() []Image {
	var out []Image
	add := func(images ...*Image) {
		for _, i := range images {
			if i != nil && i.Kind != Video && loadable(i.URL) && !slices.ContainsFunc(out, func(o Image) bool { return o.URL == i.URL }) {
				out = append(out, *i)
			}
		}
	}
	if v.Mail != nil {
		for _, b := range v.Mail.Blocks {
			add(b.Image)
		}
	}
	for n := v.Notification; n != nil; n = n.Backup {
		add(n.Icon, n.Image)
		for i := range n.Slide {
			add(&n.Slide[i].Image)
		}
	}
	return out
}

// loadable reports whether an address is complete: not what an expression leaves that has no value yet.
func loadable(address string) bool {
	lower := strings.ToLower(address)
	return !strings.Contains(address, "{{") && !strings.Contains(address, "{%") &&
		(strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "data:image/"))
}
