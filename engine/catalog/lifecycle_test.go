package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
)

// allowedBySpec says over again, as plainly as it can be said, what the contract allows.
func allowedBySpec(a Action, ch Channel, dt DeliveryType, st State) bool {
	if ch != "PUSH" && ch != "EMAIL" {
		return false
	}
	if ch == "EMAIL" && (dt == "DEVICE_TRIGGERED" || dt == "LOCATION_TRIGGERED" || dt == "BROADCAST_LIVE_ACTIVITY") {
		return false
	}
	repeats := dt == "PERIODIC" || dt == "EVENT_TRIGGERED" || dt == "DEVICE_TRIGGERED" || dt == "LOCATION_TRIGGERED"
	switch a {
	case "STOP":
		return dt == "ONE_TIME" && (st == "ACTIVE" || st == "SCHEDULED" || st == "PAUSED" || st == "SENDING")
	case "PAUSE":
		return repeats && (st == "ACTIVE" || st == "SCHEDULED" || st == "SENDING")
	case "RESUME":
		return repeats && st == "PAUSED"
	case "PUBLISH", "DELETE":
		return st == "DRAFT"
	case "ARCHIVE":
		return st == "SENT" || st == "STOPPED"
	case "RESTORE":
		return st == "ARCHIVED"
	case "EDIT":
		return st != "SENT" && st != "STOPPED" && st != "ARCHIVED"
	}
	return false
}

func TestAllowed(t *testing.T) {
	types := append(slices.Clone(allTypes), "NO_SUCH_TYPE")
	for _, a := range append(slices.Clone(Actions), "EXPLODE") {
		for _, ch := range append(slices.Clone(Channels), "") {
			for _, dt := range types {
				for _, st := range append(slices.Clone(States), "NO_SUCH_STATE") {
					if dt == "NO_SUCH_TYPE" || st == "NO_SUCH_STATE" {
						// What a service has of its own does not stop a campaign from being edited.
						want := a == Edit && ch.Writable() && st != Sent && st != Stopped && st != Archived
						if ok, _ := Allowed(a, ch, dt, st); ok != want {
							t.Errorf("%s %s %s %s is allowed: %v", a, ch, dt, st, ok)
						}
						continue
					}
					checkAllowed(t, a, ch, dt, st)
				}
			}
		}
	}
}

func checkAllowed(t *testing.T, a Action, ch Channel, dt DeliveryType, st State) {
	t.Helper()
	ok, why := Allowed(a, ch, dt, st)
	at := fmt.Sprintf("%s on %s %s %s", a, ch, dt, st)
	if want := allowedBySpec(a, ch, dt, st); ok != want {
		t.Errorf("%s: allowed %v, want %v (%s)", at, ok, want, why)
	}
	if ok {
		if why != "" {
			t.Errorf("%s: allowed, but %q", at, why)
		}
		if Effect(a, ch, dt, st) == "" && a != Edit {
			t.Errorf("%s: nothing says what it will do", at)
		}
		return
	}
	for _, part := range []string{string(a), string(dt), string(st)} {
		if !strings.Contains(why, part) {
			t.Errorf("%s: %q does not name %s", at, why, part)
		}
	}
	if !strings.HasSuffix(why, ".") || Effect(a, ch, dt, st) != "" {
		t.Errorf("%s: why %q, effect %q", at, why, Effect(a, ch, dt, st))
	}
}

func TestAllowedNamesTheRemedy(t *testing.T) {
	for _, c := range []struct {
		a    Action
		ch   Channel
		dt   DeliveryType
		st   State
		want string
	}{
		{Stop, Push, Periodic, Active, "STOP does not apply to this PERIODIC campaign, which is ACTIVE: only one-time campaigns can be stopped; pause it instead."},
		{Stop, Push, Periodic, Paused, "STOP does not apply to this PERIODIC campaign, which is PAUSED: only one-time campaigns can be stopped."},
		{Pause, Email, OneTime, Scheduled, "PAUSE does not apply to this ONE_TIME campaign, which is SCHEDULED: only recurring and triggered campaigns can be paused (PERIODIC, EVENT_TRIGGERED); stop it instead."},
		{Pause, Push, Periodic, Paused, "PAUSE does not apply to this PERIODIC campaign, which is PAUSED: it is already paused."},
		{Edit, Push, Periodic, Stopped, "EDIT does not apply to this PERIODIC campaign, which is STOPPED: a campaign that is STOPPED can no longer be changed; clone it to continue from here."},
		{Edit, SMS, OneTime, Draft, "EDIT does not apply to this ONE_TIME campaign, which is DRAFT: SMS campaigns are read-only here."},
	} {
		if _, why := Allowed(c.a, c.ch, c.dt, c.st); why != c.want {
			t.Errorf("got  %s\nwant %s", why, c.want)
		}
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		a         Action
		from      State
		now, then State // the start has passed; it is ahead
	}{
		{Publish, Draft, Active, Scheduled},
		{Stop, Sending, Stopped, Stopped},
		{Stop, Scheduled, Stopped, Stopped},
		{Pause, Scheduled, Paused, Paused},
		{Resume, Paused, Active, Scheduled},
		{Archive, Sent, Archived, Archived},
		{Restore, Archived, Stopped, Stopped},
		{Edit, Active, Active, Active},
		{Delete, Draft, Draft, Draft},
		{Resume, Active, Active, Active}, // not allowed: nothing moves
		{"EXPLODE", Draft, Draft, Draft},
	} {
		if got := Next(c.a, c.from, false); got != c.now {
			t.Errorf("%s from %s: %s, want %s", c.a, c.from, got, c.now)
		}
		if got := Next(c.a, c.from, true); got != c.then {
			t.Errorf("%s from %s, start ahead: %s, want %s", c.a, c.from, got, c.then)
		}
	}
}

func TestLockedChanges(t *testing.T) {
	before := mustParse(t, `{"updated_by":"a@b.co","trigger_condition":{"trigger_delay_type":"ASAP"},
		"scheduling_details":{"delivery_type":"ASAP","start_time":"2026-12-01T09:00:00Z","expiry_time":"2026-12-31T00:00:00Z"},
		"campaign_content":{"content":{}},"utm_params":{"utm_source":"x"}}`)
	edits := map[string]string{
		"trigger_condition.trigger_delay_type": `"DELAY"`,
		"segmentation_details":                 `{"is_all_user_campaign":true}`,
		"conversion_goal_details":              `{}`, // empty, as it was
		"scheduling_details.delivery_type":     `"AT_FIXED_TIME"`,
		"scheduling_details.start_time":        `"2026-12-02T09:00:00Z"`,
		"scheduling_details.expiry_time":       `"2027-01-01T00:00:00Z"`,
		"campaign_content.content.push":        `{}`,
		"utm_params.utm_source":                `"y"`,
		"updated_by":                           `"c@d.co"`,
	}
	after := before
	for path, v := range edits {
		p, err := doc.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if after, err = after.Set(p, mustParse(t, v)); err != nil {
			t.Fatal(err)
		}
	}
	live := "trigger_condition segmentation_details scheduling_details.delivery_type scheduling_details.start_time"
	all := "trigger_condition scheduling_details campaign_content utm_params segmentation_details"
	for st, want := range map[State]string{
		Draft: "", Scheduled: "scheduling_details.delivery_type", Active: live, Sending: live, Paused: live, Sent: all, Stopped: all, Archived: all,
	} {
		var got []string
		for _, p := range LockedChanges(st, before, after) {
			got = append(got, p.String())
		}
		slices.Sort(got)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s: %v, want %v", st, got, wanted)
		}
		if same := LockedChanges(st, before, before); len(same) > 0 {
			t.Errorf("%s: nothing changed, but %v", st, same)
		}
	}
}

// Where a state lets nothing be changed, editing is refused, and the other way round.
func TestLocksAgreeWithEdit(t *testing.T) {
	for _, st := range States {
		everything := false
		for _, l := range Locked(st) {
			everything = everything || len(l.Path) == 0
			if !strings.Contains(l.Why, strings.ToLower(st.Label())) {
				t.Errorf("%s: %q does not name the state", st, l.Why)
			}
		}
		if ok, _ := Allowed(Edit, Push, OneTime, st); ok == everything {
			t.Errorf("%s: editing allowed %v, everything locked %v", st, ok, everything)
		}
	}
}

// Each locked path is one that the tables know.
func TestLockedPathsExist(t *testing.T) {
	for _, st := range States {
		for _, l := range Locked(st) {
			if Campaign(Push).At(l.Path) == nil {
				t.Errorf("%s locks %s, which no table knows", st, l.Path)
			}
		}
	}
}

func TestPropagation(t *testing.T) {
	if got := Propagation(EventTriggered, Active); !strings.Contains(got, "30 minutes") {
		t.Errorf("event-triggered: %q", got)
	}
	if got := Propagation(Periodic, Paused); !strings.Contains(got, "next run") {
		t.Errorf("periodic: %q", got)
	}
	if got := Propagation(OneTime, Sending); !strings.Contains(got, "not been sent yet") {
		t.Errorf("one-time: %q", got)
	}
	if got := Propagation(Periodic, Draft); got != "" {
		t.Errorf("a draft: %q", got)
	}
}

func TestDeliveryTypes(t *testing.T) {
	offered := func(ch Channel) (types []DeliveryType) {
		for _, d := range DeliveryTypes(ch) {
			if d.Offered {
				types = append(types, d.Type)
			}
			if d.Offered == (d.Why != "") {
				t.Errorf("%s %s: offered %v, why %q", ch, d.Type, d.Offered, d.Why)
			}
		}
		return types
	}
	if got := offered(Push); !slices.Equal(got, []DeliveryType{OneTime, Periodic, EventTriggered, BusinessEventTriggered, DeviceTriggered, LocationTriggered}) {
		t.Errorf("push: %v", got)
	}
	if got := offered(Email); !slices.Equal(got, []DeliveryType{OneTime, Periodic, EventTriggered, BusinessEventTriggered}) {
		t.Errorf("email: %v", got)
	}
	if got := offered(SMS); got != nil {
		t.Errorf("SMS: %v", got)
	}
}

func TestComponents(t *testing.T) {
	names := func(ch Channel) (out []Component) {
		for _, c := range Components(ch) {
			out = append(out, c.Name)
			if c.Title == "" || c.Help == "" {
				t.Errorf("%s %s: title %q, help %q", ch, c.Name, c.Title, c.Help)
			}
		}
		return out
	}
	without := func(c Component) []Component {
		return slices.DeleteFunc(slices.Clone(buildOrder), func(o Component) bool { return o == c })
	}
	if got := names(Push); !slices.Equal(got, without(Connector)) {
		t.Errorf("push: %v", got)
	}
	if got := names(Email); !slices.Equal(got, without(Advanced)) {
		t.Errorf("email: %v", got)
	}
	if got := names(SMS); got != nil {
		t.Errorf("SMS: %v", got)
	}
	for dt, want := range map[DeliveryType]bool{
		OneTime: false, Periodic: false, BusinessEventTriggered: false, EventTriggered: true, DeviceTriggered: true, LocationTriggered: true, "": true,
	} {
		if ok, why := Applicable(TriggerCondition, Push, dt); ok != want || ok == (why != "") {
			t.Errorf("a trigger on %q: %v %q", dt, ok, why)
		}
	}
}

// The build order and the tables have the same components.
func TestBuildOrderIsComplete(t *testing.T) {
	for _, ch := range []Channel{Push, Email} {
		for _, f := range components(ch) {
			if !slices.Contains(buildOrder, Component(f.Name)) {
				t.Errorf("%s: %s is in no build order", ch, f.Name)
			}
		}
		if len(components(ch)) != len(buildOrder) {
			t.Errorf("%s: %d components, %d in the build order", ch, len(components(ch)), len(buildOrder))
		}
	}
}

func mustParse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("Parse(%s): %v", s, err)
	}
	return v
}
