package catalog

import (
	"slices"
	"strings"

	"bugle/engine/doc"
)

// Lock is a part of a campaign that cannot be changed in its state.
type Lock struct {
	Path doc.Path // the root if everything is locked
	Why  string   // one sentence
}

// liveLocks are the locks of ACTIVE (CONTRACT.md, Locks).
var liveLocks = []doc.Path{
	doc.P(string(TriggerCondition)),
	doc.P(string(SegmentationDetails)),
	doc.P(string(ConversionGoalDetails)),
	doc.P(string(SchedulingDetails), "delivery_type"),
	doc.P(string(SchedulingDetails), "start_time"),
}

var lockedPaths = map[State][]doc.Path{
	Scheduled: {doc.P(string(SchedulingDetails), "delivery_type")},
	Active:    liveLocks,
	Sending:   liveLocks,
	Paused:    liveLocks,
	Sent:      {nil},
	Stopped:   {nil},
	Archived:  {nil},
}

// headFields are the fields of the root that describe the campaign itself; no state locks them.
var headFields = []string{"channel", "campaign_delivery_type", "created_by", "updated_by", "request_id"}

// Locked returns the locks of a state (CONTRACT.md, Locks). A lock includes everything below its path.
func Locked(st State) []Lock {
	var out []Lock
	for _, p := range lockedPaths[st] {
		why := "This can't be changed while the campaign is " + strings.ToLower(st.Label()) + "."
		if len(p) == 0 {
			why = "A campaign that is " + strings.ToLower(st.Label()) + " can't be changed."
		}
		out = append(out, Lock{Path: p, Why: why})
	}
	return out
}

// LockedChanges returns the locked paths that differ between two documents of one campaign, in the order of
// the locks. If everything is locked, it returns each field of the root that differs. Absent, null and empty
// values do not differ.
func LockedChanges(st State, before, after doc.Value) []doc.Path {
	var out []doc.Path
	for _, p := range lockedPaths[st] {
		if len(p) > 0 {
			if differ(before.Lookup(p), after.Lookup(p)) {
				out = append(out, p)
			}
			continue
		}
		for _, name := range memberNames(before, after) {
			if !slices.Contains(headFields, name) && differ(before.Get(name), after.Get(name)) {
				out = append(out, doc.P(name))
			}
		}
	}
	return out
}

func differ(a, b doc.Value) bool {
	if a.Empty() && b.Empty() {
		return false
	}
	return len(doc.Diff(a, b)) > 0
}

func memberNames(vs ...doc.Value) []string {
	var names []string
	for _, v := range vs {
		for name := range v.Members() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
