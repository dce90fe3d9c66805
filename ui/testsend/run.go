package testsend

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
)

// run is a test send, and what is sent again of it.
type run struct {
	ask         engine.TestSend // what was asked for first
	document    doc.Value       // that is sent
	asks        []engine.TestSend
	keys        []keyState
	before      []keyState // as they were before the round
	done, total int        // sends of the round
	message     string
	first       time.Time // when the first round began
	began       time.Time // when this one did
	took        time.Duration
	frame       int // of the wheel
	cancelling  bool
	rows        rowList
	read        reader
}

// keyState is how one message of the campaign stands.
type keyState struct {
	key    engine.TestKey
	known  bool   // the draft has the key; otherwise only the service named it
	id     string // {PLATFORM}_{locale}_{variation}
	name   string // for people
	round  bool   // it is sent in this round
	status string // empty until the service has said it
	reason string
	sends  []sendState
}

// sendState is how one message to one recipient stands.
type sendState struct {
	recipient    string // empty: all recipients of the key together
	state        state
	why          string
	began, ended time.Time
}

type state uint8

const (
	queued state = iota
	sending
	sent
	failed
)

// news is a step of a run, and when it was told.
type news struct {
	engine.TestProgress
	at time.Time
}

func newRun(messages []message, ask engine.TestSend) run {
	r := run{ask: ask}
	for _, m := range messages {
		r.keys = append(r.keys, keyState{key: m.key, known: true, id: m.id, name: m.name})
	}
	return r
}

// begin starts a round of requests; recipients names those of a request. A request without a filter is
// for all keys.
func (r *run) begin(asks []engine.TestSend, recipients func(engine.TestSend) []string, now time.Time) {
	r.asks, r.before = asks, slices.Clone(r.keys)
	r.done, r.total, r.message = 0, 0, ""
	r.frame, r.cancelling, r.began, r.took = 0, false, now, 0
	if r.first.IsZero() {
		r.first = now
	}
	r.rows.follow()
	for i := range r.keys {
		k := &r.keys[i]
		k.round = false
		var names []string
		for _, ask := range asks {
			if matches(k.key, ask.Filter) {
				k.round = true
				names = append(names, recipients(ask)...)
			}
		}
		if k.round {
			r.total += len(names)
			k.clear(names)
		}
	}
}

// clear forgets how the key stood: it waits for the recipients, and what had reached others stays.
func (k *keyState) clear(names []string) {
	k.status, k.reason = "", ""
	old := k.sends
	k.sends = slices.DeleteFunc(slices.Clone(old), func(s sendState) bool { return slices.Contains(names, s.recipient) || s.recipient == "" })
	for _, name := range names {
		k.sends = append(k.sends, sendState{recipient: name})
	}
	slices.SortStableFunc(k.sends, func(a, b sendState) int { return index(old, a) - index(old, b) })
}

// index returns the place of a recipient; the end where it is not there.
func index(list []sendState, s sendState) int {
	if i := slices.IndexFunc(list, func(o sendState) bool { return o.recipient == s.recipient }); i >= 0 {
		return i
	}
	return len(list)
}

// undo puts back what was known before the round.
func (r *run) undo() { r.keys = r.before }

// at returns the state of a key; one that was not expected is added.
func (r *run) at(id string) *keyState {
	for i := range r.keys {
		if r.keys[i].id == id {
			return &r.keys[i]
		}
	}
	r.keys = append(r.keys, keyState{id: id, name: content.KeyName(id), round: true})
	return &r.keys[len(r.keys)-1]
}

// of returns the state of a recipient. A service that tells of all of them together has no others.
func (k *keyState) of(recipient string) *sendState {
	for i := range k.sends {
		if k.sends[i].recipient == recipient {
			return &k.sends[i]
		}
	}
	if recipient == "" {
		k.sends = slices.DeleteFunc(k.sends, func(s sendState) bool { return s.state == queued })
	}
	k.sends = append(k.sends, sendState{recipient: recipient})
	return &k.sends[len(k.sends)-1]
}

// step takes a piece of news.
func (r *run) step(n news) {
	s := r.at(n.Key).of(n.Recipient)
	switch {
	case s.state == sent || s.state == failed || s.state == sending && !n.Done:
		return // it was told before
	case !n.Done:
		s.state, s.began = sending, n.at
		return
	}
	if s.ended = n.at; s.began.IsZero() {
		s.began = n.at
	}
	if r.done++; r.done > r.total {
		r.total = max(n.Total, r.done)
	}
	if s.state, s.why = sent, n.Err; n.Err != "" {
		s.state = failed
	}
}

// end takes all that the round gave. News may have been lost on the way here, so all of it is taken
// once more.
func (r *run) end(out outcome, err error, now time.Time) {
	r.took = now.Sub(r.began)
	for _, p := range out.steps {
		r.step(p)
	}
	for _, result := range out.results {
		for _, name := range result.Keys {
			k, res := r.at(name), result.Data[name]
			k.status, k.reason = res.Status, res.FailureReason
		}
	}
	for i := range r.keys {
		if k := &r.keys[i]; k.round {
			k.settle(err)
		}
	}
	r.message = r.summary(out.results, err)
}

// settle ends what the service did not speak of, and takes the recipients from its word on the key.
func (k *keyState) settle(err error) {
	canceled := err != nil && screen.Canceled(err)
	left := k.count(sent)
	switch {
	case k.status != "":
	case canceled && left > 0 && left == len(k.sends):
		k.reason = "canceled; some recipients may have got it"
	case canceled:
		k.reason = "canceled before it was sent"
	case err != nil:
		k.status, k.reason = engine.Failed, err.Error()
	default:
		k.status, k.reason = engine.Failed, "the service did not report on this message"
	}
	for i := range k.sends {
		if s := &k.sends[i]; s.state == queued || s.state == sending {
			if s.state, s.why = failed, ""; k.status == engine.Sent {
				s.state = sent
			}
		}
	}
}

func (r *run) summary(results []engine.TestResult, err error) string {
	if len(results) == 1 && err == nil && results[0].Message != "" {
		return problems.Sentence(results[0].Message)
	}
	all := 0
	for _, k := range r.keys {
		if k.status == engine.Sent {
			all++
		}
	}
	text := fmt.Sprintf("%d of %s sent.", all, count(len(r.keys), "message"))
	if r.cancelling || err != nil && screen.Canceled(err) {
		text += " The test was canceled."
	}
	return text
}

// failedKeys counts the messages that somebody did not get.
func (r *run) failedKeys() int {
	n := 0
	for _, k := range r.keys {
		if k.status != engine.Sent {
			n++
		}
	}
	return n
}

// failedSends counts the recipients that did not get a message; a message whose recipients are not known counts
// once.
func (r *run) failedSends() int {
	n := 0
	for i := range r.keys {
		if k := &r.keys[i]; k.status != engine.Sent {
			n += max(k.count(failed), 1)
		}
	}
	return n
}

// retry returns the requests that send what failed once more: a key each, to those that it failed
// for. Where the draft does not have the key, all is sent once more.
func (r *run) retry(ch engine.Channel) []engine.TestSend {
	var asks []engine.TestSend
	for _, k := range r.keys {
		if k.status == engine.Sent {
			continue
		}
		if !k.known {
			return []engine.TestSend{r.ask}
		}
		ask := r.ask
		ask.Filter = k.key.Only(ch)
		if values := k.missedOf(r.ask.Values); len(values) > 0 {
			ask.Values = values
		}
		asks = append(asks, ask)
	}
	return asks
}

// missedOf returns those of the values that did not get the message; nil where some who missed it
// are not among them, as the members of a segment are not.
func (k *keyState) missedOf(values []string) []string {
	var out []string
	for _, s := range k.sends {
		if s.state != failed {
			continue
		}
		if !slices.Contains(values, s.recipient) {
			return nil
		}
		out = append(out, s.recipient)
	}
	return out
}

// count returns how many recipients stand so.
func (k *keyState) count(want state) int {
	n := 0
	for _, s := range k.sends {
		if s.state == want {
			n++
		}
	}
	return n
}

// word is the status of a key in one word.
func (k *keyState) word() string {
	switch {
	case k.status != "":
		return strings.ToLower(k.status)
	case k.reason != "":
		return "not sent"
	case k.count(sending) > 0:
		return "sending"
	case len(k.sends) > 0 && k.count(sent) == len(k.sends):
		return "sent"
	case len(k.sends) > 0 && k.count(sent)+k.count(failed) == len(k.sends):
		return "failed"
	case k.count(sent)+k.count(failed) > 0:
		return "in progress"
	}
	return "queued"
}

// told reports whether every recipient who missed the message has a reason of their own.
func (k *keyState) told() bool {
	return k.count(failed) > 0 && !slices.ContainsFunc(k.sends, func(s sendState) bool { return s.state == failed && s.why == "" })
}

// elapsed returns how long something has taken, in words; empty for less than a second.
func elapsed(began, ended, now time.Time) string {
	if began.IsZero() {
		return ""
	}
	if ended.IsZero() {
		ended = now
	}
	switch d := ended.Sub(began); {
	case d < time.Second:
		return ""
	case d < 1050*time.Millisecond:
		return "1 second"
	default:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " seconds"
	}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
