package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// transition is one row of the lifecycle (CONTRACT.md, States).
type transition struct {
	Action Action
	From   []State
	// Push and Email are the delivery types with the action on that channel.
	Push, Email []DeliveryType
	// To is the resulting state; empty if the state stays or the campaign is deleted.
	To State
	// Ahead is the resulting state if the campaign starts in the future; To if empty.
	Ahead State
	// Only is a clause that says which campaigns have the action.
	Only string
	// Instead is the action to suggest for other delivery types.
	Instead Action
	// Inverse is the action that leads back; empty if none does.
	Inverse Action
}

var (
	allTypes    = typesOn(func(deliveryType) bool { return true })
	emailTypes  = typesOn(func(r deliveryType) bool { return r.Email })
	repeatPush  = []DeliveryType{Periodic, EventTriggered, DeviceTriggered, LocationTriggered}
	repeatEmail = []DeliveryType{Periodic, EventTriggered}
	once        = []DeliveryType{OneTime}
)

var lifeCycle = []transition{
	{Action: Edit, From: []State{Draft, Scheduled, Active, Sending, Paused}, Push: allTypes, Email: emailTypes},
	{Action: Publish, From: []State{Draft}, Push: allTypes, Email: emailTypes, To: Active, Ahead: Scheduled},
	{
		Action: Pause, From: []State{Active, Scheduled, Sending}, Push: repeatPush, Email: repeatEmail, To: Paused,
		Only: "only recurring and triggered campaigns can be paused", Instead: Stop, Inverse: Resume,
	},
	{
		Action: Resume, From: []State{Paused}, Push: repeatPush, Email: repeatEmail, To: Active, Ahead: Scheduled,
		Only: "only recurring and triggered campaigns can be resumed", Inverse: Pause,
	},
	{
		Action: Stop, From: []State{Active, Scheduled, Paused, Sending}, Push: once, Email: once, To: Stopped,
		Only: "only one-time campaigns can be stopped", Instead: Pause,
	},
	{Action: Archive, From: []State{Sent, Stopped}, Push: allTypes, Email: emailTypes, To: Archived, Inverse: Restore},
	{Action: Restore, From: []State{Archived}, Push: allTypes, Email: emailTypes, To: Stopped, Inverse: Archive},
	{Action: Delete, From: []State{Draft}, Push: allTypes, Email: emailTypes},
}

func typesOn(keep func(deliveryType) bool) []DeliveryType {
	var out []DeliveryType
	for _, r := range deliveryTypes {
		if keep(r) {
			out = append(out, r.Type)
		}
	}
	return out
}

func transitionOf(a Action) (transition, bool) {
	for _, t := range lifeCycle {
		if t.Action == a {
			return t, true
		}
	}
	return transition{}, false
}

// Inverse returns the action that undoes another one; empty if none does.
func Inverse(a Action) Action {
	t, _ := transitionOf(a)
	return t.Inverse
}

func (t transition) types(ch Channel) []DeliveryType {
	switch ch {
	case Push:
		return t.Push
	case Email:
		return t.Email
	}
	return nil
}

func (t transition) takes(ch Channel, dt DeliveryType, st State) bool {
	return slices.Contains(t.types(ch), dt) && slices.Contains(t.From, st)
}

// Allowed reports whether an action is allowed for a campaign with that channel, delivery type and state. If
// not, why is the message of the 422 response: one sentence with the wire names of the action, type and state
// and, if there is one, the action to use instead.
func Allowed(a Action, ch Channel, dt DeliveryType, st State) (ok bool, why string) {
	why = refusal(wireSpelling, a, ch, dt, st)
	return why == "", why
}

// Refusal returns the sentence of [Allowed] with display names, or "" if the action is allowed.
func Refusal(a Action, ch Channel, dt DeliveryType, st State) string {
	return refusal(labelSpelling, a, ch, dt, st)
}

// spelling formats actions, delivery types and states in a sentence.
type spelling struct {
	action func(Action) string
	kind   func(DeliveryType) string
	state  func(State) string
	refuse func(Action, DeliveryType, State) string // what the sentence begins with
}

var (
	wireSpelling = spelling{asIs[Action], asIs[DeliveryType], asIs[State], func(a Action, dt DeliveryType, st State) string {
		return fmt.Sprintf("%s does not apply to this %s campaign, which is %s", a, dt, st)
	}}
	labelSpelling = spelling{Action.Label, small(DeliveryType.Label), small(State.Label), func(a Action, _ DeliveryType, _ State) string {
		return "You can't " + strings.ToLower(a.Label()) + " this campaign"
	}}
)

func asIs[S ~string](s S) string { return string(s) }

func small[S ~string](label func(S) string) func(S) string {
	return func(s S) string { return strings.ToLower(label(s)) }
}

func refusal(sp spelling, a Action, ch Channel, dt DeliveryType, st State) string {
	t, known := transitionOf(a)
	reason := ""
	switch {
	case !known:
		reason = "unknown action; use " + join(StatusActions, " or ", sp.action)
	case !ch.Writable():
		reason = ch.Label() + " campaigns are read-only here"
	case a == Edit && !slices.Contains(States, st):
		return "" // a service may have states of its own, and knows what it takes in them
	case !slices.Contains(t.types(ch), dt) && (a != Edit || dt.known()): // and delivery types
		reason = t.whyNotType(sp, ch, dt, st)
	case !slices.Contains(t.From, st):
		reason = t.whyNotState(sp, st)
	default:
		return ""
	}
	return sp.refuse(a, dt, st) + ": " + reason + "."
}

// known reports whether the tables have the delivery type.
func (t DeliveryType) known() bool {
	return slices.ContainsFunc(deliveryTypes, func(r deliveryType) bool { return r.Type == t })
}

func (t transition) whyNotType(sp spelling, ch Channel, dt DeliveryType, st State) string {
	if t.Only == "" {
		return "campaigns of its type are not available for " + ch.Label()
	}
	why := t.Only
	if t.Action != Stop {
		why += " (" + join(t.types(ch), ", ", sp.kind) + ")"
	}
	if other, ok := transitionOf(t.Instead); ok && other.takes(ch, dt, st) {
		why += "; " + strings.ToLower(string(t.Instead)) + " it instead"
	}
	return why
}

func (t transition) whyNotState(sp spelling, st State) string {
	switch {
	case t.Action == Delete:
		return "only drafts can be deleted; you can archive a campaign that has ended"
	case t.Action == Edit:
		return "a campaign that is " + sp.state(st) + " can no longer be changed; clone it to continue from here"
	case t.Action == Publish:
		return "only a draft can be published"
	case st == Draft:
		return "it has not been published yet"
	case t.Action == Pause && st == Paused:
		return "it is already paused"
	case t.Action == Stop && st == Stopped:
		return "it is already stopped"
	}
	return "it must be " + join(t.From, " or ", sp.state) + ", and it is " + sp.state(st)
}

func join[S ~string](names []S, last string, spell func(S) string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = spell(n)
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:len(out)-1], ", ") + last + out[len(out)-1]
}

// Next returns the state after the action. startAhead reports that the campaign starts in the future, so that
// publishing or resuming schedules it. EDIT, DELETE and actions that are not allowed keep the state. RESTORE
// returns STOPPED; the caller must restore SENT if that was the state before archiving.
func Next(a Action, st State, startAhead bool) State {
	t, known := transitionOf(a)
	switch {
	case !known || t.To == "" || !slices.Contains(t.From, st):
		return st
	case startAhead && t.Ahead != "":
		return t.Ahead
	}
	return t.To
}

// StartAhead reports whether a campaign in that state has not started, so that its start must not be in the past.
func StartAhead(st State) bool { return st == Draft || st == Scheduled }

// Effect describes in one or two sentences what the action will do to a campaign in that state, for a
// confirmation. It returns "" if the action is not allowed.
func Effect(a Action, ch Channel, dt DeliveryType, st State) string {
	if ok, _ := Allowed(a, ch, dt, st); !ok {
		return ""
	}
	switch a {
	case Stop:
		if st == Scheduled {
			return "Nothing is sent. You can't start a stopped campaign again."
		}
		return "Sending ends, and can't be started again. Messages on their way are still delivered."
	case Pause:
		if st == Scheduled {
			return "Nothing is sent until you resume."
		}
		return "No more messages are sent until you resume. Those on their way are still delivered."
	case Resume:
		if dt == Periodic {
			return "Sends again from the next run."
		}
		return "Sends again from now on, or from the start time if that is later."
	case Publish:
		return "Checks the campaign, then starts it now or at its start time."
	case Archive:
		return "Leaves the list, and can be restored later."
	case Restore:
		return "Returns to the list as it was."
	case Delete:
		return "Drafts are deleted permanently."
	case Edit:
		return Propagation(dt, st)
	}
	return ""
}

// Propagation says when a change to a live campaign takes effect (CONTRACT.md, Locks), or returns "".
func Propagation(dt DeliveryType, st State) string {
	if !st.Live() {
		return ""
	}
	switch dt {
	case EventTriggered:
		return "Changes can take up to 30 minutes to take effect."
	case Periodic:
		return "Changes apply from the next run."
	case OneTime:
		return "Changes apply to messages that have not been sent yet."
	}
	return ""
}
