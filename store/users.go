package store

// The kinds of identifiers by which [Users.FindProfiles] finds.
const (
	ByEmail       = "email" // in any case
	ByMobile      = "mobile"
	ByToken       = "token"          // a device's push token
	ByAdvertising = "advertising_id" // a device's GAID or IDFA
)
