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

// Zones returns the names of time zones that people look for, by city, in order. There are more, old
// spellings and zones of no place, that documents may use.
var Zones = sync.OnceValue(func() []string { return strings.Fields(zoneList) })
