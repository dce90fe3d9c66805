package timeparse

import (
	_ "embed" // the list of zones
	"strings"
	"sync"
)

// The names of zone.tab (IANA time zone database, public domain), and UTC.
//
//go:embed zones.txt
var zoneList string

// Zones returns the names of common time zones, one per city, sorted. Documents may use others as well, such
// as old names.
var Zones = sync.OnceValue(func() []string { return strings.Fields(zoneList) })
