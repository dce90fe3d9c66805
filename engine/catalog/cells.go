package catalog

import (
	"slices"

	"bugle/engine/doc"
)

// maxFilledCells is the most cells that FillCells creates.
const maxFilledCells = 500

// FillCells returns a campaign_content in which each listed locale has a message for each of its variations
// (CONTRACT.md, Content). A flat message becomes the one of the default locale. A missing cell gets a copy of
// the nearest message: of the same locale, or else of the default locale. Existing messages stay. It reports
// whether anything was added.
func FillCells(campaignContent doc.Value) (doc.Value, bool) {
	before := campaignContent.Get("content")
	flat, keyed := shapes(before)
	locales := append([]string{"default"}, campaignContent.Get("locales").Strings()...)
	names := variations(campaignContent, maxReported)
	alone := len(locales) == 1 && !hasVariations(campaignContent.Get("variation_details"))
	if len(flat)+len(keyed) == 0 || len(flat) > 0 && len(keyed) == 0 && alone {
		return campaignContent, false
	}
	after := before
	if _, taken := firstCell(before.Get("default")); len(flat) > 0 && !taken {
		message := make([]doc.Member, len(flat))
		for i, name := range flat {
			message[i] = doc.M(name, before.Get(name))
			after = after.Delete(doc.P(name))
		}
		after = with(after, doc.P("default", names[0]), doc.NewObject(message...))
	}
	made := 0
	for _, locale := range locales {
		from := after
		for _, name := range names {
			if message, ok := nearest(from, locale, name); ok && made < maxFilledCells && !after.Get(locale).Get(name).Exists() {
				after = with(after, doc.P(locale, name), message)
				made++
			}
		}
	}
	if after.Same(before) {
		return campaignContent, false
	}
	return with(campaignContent, doc.P("content"), after), true
}

// with is Set for a path that is known to be valid.
func with(v doc.Value, p doc.Path, to doc.Value) doc.Value {
	if out, err := v.Set(p, to); err == nil {
		return out
	}
	return v
}

// nearest returns the message to copy to a missing cell.
func nearest(content doc.Value, locale, variation string) (doc.Value, bool) {
	if cell, ok := firstCell(content.Get(locale)); ok {
		return cell, true
	}
	if cell := content.Get("default").Get(variation); cell.Exists() {
		return cell, true
	}
	return firstCell(content.Get("default"))
}

// firstCell returns the first message of a locale.
func firstCell(cells doc.Value) (doc.Value, bool) {
	for _, cell := range cells.Members() {
		if cell.Kind() == doc.Object && slices.ContainsFunc(messageNames, func(name string) bool { return cell.Get(name).Exists() }) {
			return cell, true
		}
	}
	return doc.Value{}, false
}
