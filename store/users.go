package store

import "slices"

// The kinds of identifiers for [Users.FindProfiles].
const (
	ByEmail       = "email" // case-insensitive
	ByMobile      = "mobile"
	ByToken       = "token"          // a device's push token
	ByAdvertising = "advertising_id" // a device's GAID or IDFA
)

// IsIdentifier reports whether kind is a kind of identifier for [Users.FindProfiles].
func IsIdentifier(kind string) bool {
	return slices.Contains([]string{ByEmail, ByMobile, ByToken, ByAdvertising}, kind)
}
