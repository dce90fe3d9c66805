package audience

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/timeparse"
)

// SendSentence describes to how many users a campaign goes, and when, once the action is done; "" if neither is known. c is
// the campaign of the row, if that is known. Times are in the zone of the campaign, or else in that of now.
func SendSentence(s engine.Summary, c engine.Campaign, reach Reach, a catalog.Action, now time.Time) string {
	by := "by " + s.Channel.Label()
	when := ""
	if next := nextSend(c, s, now); !next.IsZero() {
		when = sendTime(c, next, now)
	}
	recipients := "its audience"
	if reach.Known {
		recipients = reach.String()
	}
	switch {
	case a == catalog.Publish && s.DeliveryType == catalog.OneTime:
		return fmt.Sprintf("It goes %s to %s %s.", by, recipients, cmp.Or(when, "now"))
	case a == catalog.Publish && s.DeliveryType == catalog.Periodic && when != "":
		return fmt.Sprintf("It goes %s to %s regularly, first %s.", by, recipients, when)
	case a == catalog.Publish && reach.Known:
		return fmt.Sprintf("It goes %s to %s, whenever one of them triggers it%s.", by, recipients, afterTrigger(when))
	case a == catalog.Publish:
		return fmt.Sprintf("It goes %s to everybody who triggers it%s.", by, afterTrigger(when))
	case reach.Known && when != "":
		return fmt.Sprintf("It goes %s to %s, next %s.", by, recipients, when)
	case reach.Known:
		return fmt.Sprintf("It goes %s to %s.", by, recipients)
	case when != "":
		return fmt.Sprintf("It goes %s next %s.", by, when)
	}
	return ""
}

// nextSend returns the next time the campaign sends; zero if that depends on user actions, or the campaign sends as soon as it
// is published.
func nextSend(c engine.Campaign, s engine.Summary, now time.Time) time.Time {
	if sends := engine.NextSends(c.Document(), now, 1); len(sends) > 0 {
		return sends[0]
	}
	if s.StartsAfter(now) {
		return s.Start
	}
	return time.Time{}
}

// sendTime formats a time in the campaign's time zone, or else in that of now: "on Thu 26 Nov, 08:30 Europe/Berlin".
func sendTime(c engine.Campaign, t, now time.Time) string {
	zone, ok := engine.TimeZone(c.Document())
	if !ok {
		zone = now.Location()
	}
	return "on " + timeparse.Zoned(t, zone, now)
}

// afterTrigger formats the delay of a triggered campaign.
func afterTrigger(when string) string {
	if when == "" {
		return ""
	}
	return ", from " + strings.TrimPrefix(when, "on ")
}
