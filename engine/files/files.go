// Package files writes files: whole, durable, and without losing what another process has written. It also defines the
// file format of a campaign: its content and its file name. An unchanged campaign always results in the same bytes.
package files

import (
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// Document returns the part of a campaign that a file contains: its identity, its content, and the revision of the
// content. It leaves out the state, people and times, which change by themselves.
func Document(c engine.Campaign) doc.Value {
	return engine.WithRevision(engine.Campaign{
		Head: engine.Head{ID: c.ID, Channel: c.Channel, DeliveryType: c.DeliveryType, CreatedBy: c.CreatedBy}, Body: c.Body,
	}.Record(), c.ContentRevision())
}

// JSON returns the content of a campaign's file.
func JSON(c engine.Campaign) []byte { return append(Document(c).Indent(), '\n') }

// Name returns the name of a campaign's file from the campaign's name, its id, and ext, such as ".json".
func Name(c engine.Campaign, ext string) string {
	return slug(engine.CampaignName(c.Body), "campaign") + "-" + slug(c.ID, "new") + ext
}

// maxSlug is the longest part of a file name that comes from the campaign's name.
const maxSlug = 48

// slug returns s reduced to letters and digits that are safe on every file system.
func slug(s, empty string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	out := strings.Join(words, "-")
	if len(out) > maxSlug {
		out = strings.TrimRight(out[:maxSlug], "-")
	}
	if out == "" {
		return empty
	}
	return out
}
