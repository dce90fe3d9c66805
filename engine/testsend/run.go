package testsend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
)

// Run is a test send with its retries, one round after the other.
type Run struct {
	Draft    Draft           // as sent
	Request  engine.TestSend // the first request
	Requests []engine.TestSend
	Keys     []Key
	// Done and Total count the sends of the round.
	Done, Total  int
	Message      string
	Started      time.Time // start of the first round
	RoundStarted time.Time // start of the current round
	RoundTook    time.Duration
	Canceling    bool
	before       []Key // before the round
}

// Key is the state of one message of a run.
type Key struct {
	Key     engine.TestKey
	Known   bool   // the draft has the key; otherwise only the service reported it
	ID      string // {PLATFORM}_{locale}_{variation}
	Name    string // display name
	InRound bool   // it is part of the current round
	Status  string // empty until the service has reported it
	Reason  string
	Sends   []SendState
	Unknown bool // it failed for some recipients, but may have been delivered to them
}

// SendState is the state of one message to one recipient.
type SendState struct {
	Recipient string // empty: all recipients of the key together
	As        string // the ID of the persona whose data it has; empty for the recipient's own
	State     State
	Why       string // why it failed; what it waits for while it is being sent

	blocked bool // the forecast has a reason why it cannot arrive
}

// fail ends a send that has not arrived: it is skipped if that was known before.
func (s *SendState) fail() {
	s.State = Failed
	if s.blocked {
		s.State = Skipped
	}
}

// State is the progress of one send.
type State uint8

const (
	Queued State = iota
	Sending
	Sent
	Failed
	Unknown // it failed, but may have been delivered
	Skipped // it cannot arrive, as the forecast said
)

// String returns the display name of the state.
func (s State) String() string {
	return [...]string{"queued", "sending", "sent", "failed", "unknown", "skipped"}[s]
}

// Step is a progress report.
type Step struct {
	engine.TestProgress
	As string // the ID of the persona; empty for none
}

// Outcome is the result of a round of requests.
type Outcome struct {
	Steps   []Step
	Results []engine.TestResult // one for each request that the service took
	// Requests are those that the service took, with the data of their personas.
	Requests []engine.TestSend
}

// Refused reports whether the service refused the round before it sent anything. A remote service's keys can
// be reported as running before it refuses them all.
func (o Outcome) Refused(err error) bool {
	done := slices.ContainsFunc(o.Steps, func(s Step) bool { return s.Done })
	return err != nil && !errors.Is(err, context.Canceled) && !done && len(o.Results) == 0
}

// request returns the request of a result.
func (o Outcome) request(i int) engine.TestSend {
	if i >= len(o.Requests) {
		return engine.TestSend{}
	}
	return o.Requests[i]
}

// Send sends requests of a draft one after another, each as a call of its own, and passes on each step. A request with
// several personas is one for each.
func Send(ctx context.Context, service engine.Service, d Draft, asks []engine.TestSend, each func(Step)) (Outcome, error) {
	var out Outcome
	for _, ask := range SplitPersonas(asks) {
		as := personaID(ask)
		ask, err := d.WithPersona(ctx, service, ask)
		if err != nil {
			return out, err
		}
		r := engine.TestRequest{Call: engine.NewCall(), Body: engine.DraftTest(d.Campaign.ID, ask), As: Persona(ask), Copies: ask.Copies}
		r.Progress = func(p engine.TestProgress) {
			s := Step{p, as}
			out.Steps = append(out.Steps, s)
			each(s)
		}
		result, err := service.Test(ctx, r)
		if uncertain(err) {
			result = d.lost(ask, err)
		} else if err != nil {
			return out, err
		}
		out.Results, out.Requests = append(out.Results, result), append(out.Requests, ask)
		if err != nil {
			return out, err
		}
	}
	return out, ctx.Err()
}

// uncertain reports whether a service that did not answer may have sent the messages.
func uncertain(err error) bool {
	var e interface{ Uncertain() bool }
	return errors.As(err, &e) && e.Uncertain()
}

// lost returns the result of a request that a service may have carried out without an answer.
func (d Draft) lost(ask engine.TestSend, err error) engine.TestResult {
	out := engine.TestResult{Data: map[string]engine.SendResult{}}
	for _, m := range d.Matching(ask.Filter) {
		out.Keys = append(out.Keys, m.ID)
		out.Data[m.ID] = engine.SendResult{Status: engine.Failed, FailureReason: err.Error(), Unknown: ask.Values}
	}
	return out
}

// NewRun returns a run of a request.
func NewRun(d Draft, ask engine.TestSend) Run {
	r := Run{Draft: d, Request: ask}
	for _, m := range d.Matching(ask.Filter) {
		r.Keys = append(r.Keys, Key{Key: m.Key, Known: true, ID: m.ID, Name: m.Name})
	}
	return r
}

// Begin starts a round of requests. f has the recipients of each. A request without a filter is for all keys.
func (r *Run) Begin(asks []engine.TestSend, f Forecast, now time.Time) {
	asks = SplitPersonas(asks)
	r.Requests, r.before = asks, slices.Clone(r.Keys)
	r.Done, r.Total, r.Message = 0, 0, ""
	r.Canceling, r.RoundStarted, r.RoundTook = false, now, 0
	if r.Started.IsZero() {
		r.Started = now
	}
	for i := range r.Keys {
		k := &r.Keys[i]
		k.InRound = false
		var sends []SendState
		for _, ask := range asks {
			if matches(k.Key, ask.Filter) {
				k.InRound = true
				identifier, values := f.ResolveValues(r.Draft.Workspace, ask)
				for _, v := range values {
					sends = append(sends, SendState{Recipient: v, As: personaID(ask), blocked: f.blocks(k.ID, identifier, v)})
				}
			}
		}
		if k.InRound {
			r.Total += len(sends)
			k.clear(sends)
		}
	}
}

// clear resets the key for a new round to the recipients. Successful sends to others stay.
func (k *Key) clear(sends []SendState) {
	k.Status, k.Reason, k.Unknown = "", "", false
	old := k.Sends
	k.Sends = slices.DeleteFunc(slices.Clone(old), func(s SendState) bool {
		return slices.ContainsFunc(sends, func(o SendState) bool { return s.As == o.As && (s.Recipient == o.Recipient || s.Recipient == "") })
	})
	k.Sends = append(k.Sends, sends...)
	slices.SortStableFunc(k.Sends, func(a, b SendState) int { return index(old, a) - index(old, b) })
}

// index returns the index of a recipient, or len(list).
func index(list []SendState, s SendState) int {
	if i := slices.IndexFunc(list, func(o SendState) bool { return o.Recipient == s.Recipient && o.As == s.As }); i >= 0 {
		return i
	}
	return len(list)
}

// Rollback restores the state before the round.
func (r *Run) Rollback() {
	r.Keys = r.before
	r.Message = r.summary(nil)
}

// at returns the state of a key, and adds an unexpected key.
func (r *Run) at(id string) *Key {
	for i := range r.Keys {
		if r.Keys[i].ID == id {
			return &r.Keys[i]
		}
	}
	r.Keys = append(r.Keys, Key{ID: id, Name: grid.KeyName(id), InRound: true})
	return &r.Keys[len(r.Keys)-1]
}

// send returns the state of a recipient. If the service reports all recipients together, there is only one
// state.
func (k *Key) send(recipient, as string) *SendState {
	for i := range k.Sends {
		if k.Sends[i].Recipient == recipient && k.Sends[i].As == as {
			return &k.Sends[i]
		}
	}
	if recipient == "" {
		k.Sends = slices.DeleteFunc(k.Sends, func(s SendState) bool { return s.State == Queued && s.As == as })
	}
	k.Sends = append(k.Sends, SendState{Recipient: recipient, As: as})
	return &k.Sends[len(k.Sends)-1]
}

// AddStep applies a step.
func (r *Run) AddStep(n Step) {
	s := r.at(n.Key).send(n.Recipient, n.As)
	switch {
	case s.State >= Sent:
		return // it was taken before
	case s.State == Sending && !n.Done:
		s.Why = n.Note
		return
	case !n.Done:
		s.State = Sending
		return
	}
	if r.Done++; r.Done > r.Total {
		r.Total = max(n.Total, r.Done)
	}
	switch s.State, s.Why = Sent, n.Err; {
	case n.Unknown:
		s.State = Unknown
	case n.Err != "":
		s.fail()
	}
}

// End records the result of a round. It applies all steps again, because some may have been lost on the way.
func (r *Run) End(out Outcome, err error, now time.Time) {
	r.RoundTook = now.Sub(r.RoundStarted)
	for _, s := range out.Steps {
		r.AddStep(s)
	}
	for i, result := range out.Results {
		for _, name := range result.Keys {
			r.at(name).take(result.Data[name], Persona(out.request(i)))
		}
	}
	for i := range r.Keys {
		if k := &r.Keys[i]; k.InRound {
			k.settle(err)
		}
	}
	r.Message = r.summary(err)
}

// take takes the service's report on the key. Of several personas, one that failed counts.
func (k *Key) take(res engine.SendResult, p *engine.TestPersona) {
	as := ""
	if p == nil {
		k.Status, k.Reason = res.Status, res.FailureReason
	} else {
		as = p.ID
		if k.Status == "" || k.Status == engine.Sent {
			k.Status = res.Status
		}
		if res.FailureReason != "" {
			k.Reason = strings.TrimPrefix(k.Reason+"; as "+p.String()+": "+res.FailureReason, "; ")
		}
	}
	k.Unknown = k.Unknown || len(res.Unknown) > 0
	failed := func(s SendState) bool { return s.Recipient != "" && strings.Contains(res.FailureReason, s.Recipient) }
	named := slices.ContainsFunc(k.Sends, failed) // the reason names the recipient
	for i := range k.Sends {
		if s := &k.Sends[i]; s.As == as && (s.State == Queued || s.State == Sending) {
			switch s.fail(); {
			case slices.Contains(res.Unknown, s.Recipient), s.Recipient == "" && len(res.Unknown) > 0:
				s.State = Unknown
			case res.Status == engine.Sent, named && !failed(*s):
				s.State = Sent
			}
		}
	}
}

// settle ends what the service did not report on: it was sent if its recipients were reported one by one.
func (k *Key) settle(err error) {
	canceled := errors.Is(err, context.Canceled)
	left := k.Count(Sent)
	switch {
	case k.Status != "":
	case left > 0 && left == len(k.Sends):
		k.Status = engine.Sent
	case canceled:
		k.Reason = "canceled before it was sent"
	case err != nil:
		k.Status, k.Reason = engine.Failed, err.Error()
	default:
		k.Status, k.Reason = engine.Failed, "the service did not report on this message"
	}
	for i := range k.Sends {
		if s := &k.Sends[i]; s.State == Queued || s.State == Sending {
			s.State, s.Why = Failed, ""
		}
	}
	if k.Status == engine.Sent && k.Count(Failed)+k.Count(Unknown) > 0 { // of an earlier round
		k.Status = engine.Failed
	}
}

// summary counts the messages of all rounds, each to one recipient, by what became of them.
func (r *Run) summary(err error) string {
	all, by := 0, map[State]int{}
	for i := range r.Keys {
		k := &r.Keys[i]
		states := []State{k.outcome()}
		if len(k.Sends) > 0 {
			states = states[:0]
			for _, s := range k.Sends {
				states = append(states, s.State)
			}
		}
		for _, st := range states {
			if all++; st != Failed || k.Status != "" { // what was canceled has not failed
				by[st]++
			}
		}
	}
	text := "Sent " + phrase.Count(all, "message")
	if by[Sent] < all {
		text = fmt.Sprintf("Sent %d of %s", by[Sent], phrase.Count(all, "message"))
	}
	for _, st := range []State{Failed, Skipped, Unknown} {
		word := st.String()
		if st == Unknown {
			word = "may have been delivered"
		}
		if by[st] > 0 {
			text += fmt.Sprintf("; %d %s", by[st], word)
		}
	}
	text += "."
	if r.Canceling || errors.Is(err, context.Canceled) {
		text += " The test was canceled."
	}
	return text
}

// Count counts the recipients of all messages in a state, which is Failed, Unknown or Skipped; a message whose recipients
// are not known counts once.
func (r *Run) Count(want State) int {
	n := 0
	for i := range r.Keys {
		if k := &r.Keys[i]; k.has(want) {
			n += max(k.Count(want), 1)
		}
	}
	return n
}

// outcome returns the state of the key after its round: that of all its recipients or, where they differ, the one to look at.
// Those who were skipped do not matter beside others.
func (k *Key) outcome() State {
	switch sent := k.Count(Sent); {
	case k.Status == engine.Sent, k.Status == "" && sent > 0 && sent == len(k.Sends):
		return Sent
	case k.Unknown || k.Count(Unknown) > 0:
		return Unknown
	case k.Count(Skipped) == 0 || k.Count(Failed) > 0:
		return Failed
	case sent > 0:
		return Sent
	}
	return Skipped
}

// has reports whether the message is in a state, which is Failed, Unknown or Skipped, for one of its recipients.
func (k *Key) has(want State) bool {
	return k.Status != engine.Sent && (k.Count(want) > 0 || k.outcome() == want && k.Count(Failed)+k.Count(Unknown) == 0)
}

// Retry returns the requests that retry the sends in one of the states, which are Failed, Unknown or Skipped: one per key, with
// the recipients that are in them. If the draft does not have such a key, everything is sent again.
func (r *Run) Retry(want ...State) []engine.TestSend {
	var asks []engine.TestSend
	for _, k := range r.Keys {
		if !slices.ContainsFunc(want, k.has) {
			continue
		}
		if !k.Known {
			return []engine.TestSend{r.Request}
		}
		ask := r.Request
		ask.Filter = k.Key.Filter(r.Draft.Campaign.Channel)
		if len(ask.As) == 0 {
			if values := k.among(want, r.Request.Values, ""); len(values) > 0 {
				ask.Values = values
			}
			asks = append(asks, ask)
			continue
		}
		for _, p := range ask.As {
			one := ask
			one.As = []engine.TestPersona{p}
			values := k.among(want, r.Request.Values, p.ID)
			switch {
			case len(values) > 0:
				one.Values = values
			case !slices.ContainsFunc(k.Sends, func(s SendState) bool { return s.As == p.ID && slices.Contains(want, s.State) }):
				continue // none that has this persona's data
			}
			asks = append(asks, one)
		}
	}
	return asks
}

// among returns those of values for which the message is in one of the states. It returns nil if it is for others too, such as
// members of a segment.
func (k *Key) among(want []State, values []string, as string) []string {
	var out []string
	for _, s := range k.Sends {
		if !slices.Contains(want, s.State) || s.As != as {
			continue
		}
		if !slices.Contains(values, s.Recipient) {
			return nil
		}
		out = append(out, s.Recipient)
	}
	return out
}

// Count returns the number of recipients in a state.
func (k *Key) Count(want State) int {
	n := 0
	for _, s := range k.Sends {
		if s.State == want {
			n++
		}
	}
	return n
}

// State returns the state of the key: what became of it or, before it has ended, how far it is.
func (k *Key) State() State {
	switch {
	case k.Status != "" || k.Reason != "" || k.ended():
		return k.outcome()
	case k.Count(Sending) > 0:
		return Sending
	}
	return Queued
}

// ended reports whether the key has recipients, and all of their sends have ended.
func (k *Key) ended() bool {
	return len(k.Sends) > 0 && k.Count(Queued)+k.Count(Sending) == 0
}

// StatusText returns the state of the key in words.
func (k *Key) StatusText() string {
	switch st := k.State(); {
	case k.Status == "" && k.Reason != "":
		return "not sent"
	case st == Queued && k.Count(Queued) < len(k.Sends):
		return "in progress"
	default:
		return st.String()
	}
}

// EveryFailureExplained reports whether every failed recipient has a reason of its own.
func (k *Key) EveryFailureExplained() bool {
	return k.Count(Failed)+k.Count(Unknown)+k.Count(Skipped) > 0 && !slices.ContainsFunc(k.Sends, func(s SendState) bool { return s.State >= Failed && s.Why == "" })
}
