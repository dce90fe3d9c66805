package store

import "slices"

// The kinds of identifiers by which [Users.FindProfiles] finds.
const (
	ByEmail       = "email" // in any case
	ByMobile      = "mobile"
	ByToken       = "token"          // a device's push token
	ByAdvertising = "advertising_id" // a device's GAID or IDFA
)

// IsIdentifier reports whether users are found by identifiers of a kind.
func IsIdentifier(kind string) bool {
	return slices.Contains([]string{ByEmail, ByMobile, ByToken, ByAdvertising}, kind)
}
