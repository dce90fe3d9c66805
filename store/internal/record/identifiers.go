package record

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/store"
)

// Identifiers returns the identifiers of a user, sorted and without duplicates: pairs of a kind, such as
// [store.ByEmail], and a value normalized by [Fold].
func Identifiers(p engine.User) [][2]string {
	pairs := [][2]string{}
	add := func(kind string, v any) {
		if text, ok := v.(string); ok && text != "" {
			pairs = append(pairs, [2]string{kind, Fold(kind, text)})
		} else if n, ok := v.(fmt.Stringer); ok { // json.Number: a mobile number that is not a string
			pairs = append(pairs, [2]string{kind, n.String()})
		}
	}
	add(store.ByEmail, p.Attributes[engine.AttrEmail])
	add(store.ByMobile, p.Attributes[engine.AttrMobile])
	for _, d := range p.Devices {
		add(store.ByToken, d.Token)
		add(store.ByAdvertising, d.AdvertiseID)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// Fold returns the normalized form of an identifier, under which it is stored.
func Fold(kind, value string) string {
	value = strings.TrimSpace(value)
	if kind == store.ByEmail {
		return strings.ToLower(value)
	}
	return value
}
