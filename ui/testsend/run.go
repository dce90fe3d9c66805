package testsend

import (
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
)

// run is a test send, and what is sent again of it.
type run struct {
	ask         engine.TestSend // what was asked for first
	keys        []keyState
	before      []keyState // as they were before the round
	done, total int        // sends of the round
	message     string
	frame       int  // of the wheel
	scrolled    bool // a person scrolls; otherwise the list follows what is under way
	cancelling  bool
}

// keyState is how one message of the campaign stands.
type keyState struct {
	key     engine.TestKey
	known   bool   // the draft has the key; otherwise only the service named it
	name    string // {PLATFORM}_{locale}_{variation}
	round   bool   // it is sent in this round
	status  string // empty until the service has said it
	reason  string
	running int // recipients that it is being sent to
	sent    int
	missed  []missed // recipients that did not get it
}

// missed is a recipient that did not get a message.
type missed struct{ recipient, why string }

func newRun(keys []engine.TestKey, ask engine.TestSend) run {
	r := run{ask: ask}
	for _, k := range keys {
		r.keys = append(r.keys, keyState{key: k, known: true, name: k.String()})
	}
	return r
}

// begin starts a round of requests. A request without a filter is for all keys.
func (r *run) begin(asks []engine.TestSend, recipients func(engine.TestSend) int) {
	r.before = slices.Clone(r.keys)
	r.done, r.total, r.message = 0, 0, ""
	r.frame, r.scrolled, r.cancelling = 0, false, false
	for i := range r.keys {
		k := &r.keys[i]
		k.round = false
		for _, ask := range asks {
			if k.matches(ask.Filter) {
				k.round = true
				r.total += recipients(ask)
			}
		}
		if k.round {
			k.clear()
		}
	}
}

func (k *keyState) matches(f engine.KeyFilter) bool {
	return (f.Platform == "" || f.Platform == k.key.Platform) && (f.Locale == "" || f.Locale == k.key.Locale) &&
		(f.Variation == "" || f.Variation == k.key.Variation)
}

func (k *keyState) clear() {
	k.status, k.reason, k.running, k.sent, k.missed = "", "", 0, 0, nil
}

// undo puts back what was known before the round.
func (r *run) undo() { r.keys = r.before }

// at gives the state of a key; one that was not expected is added.
func (r *run) at(name string) *keyState {
	for i := range r.keys {
		if r.keys[i].name == name {
			return &r.keys[i]
		}
	}
	r.keys = append(r.keys, keyState{name: name, round: true})
	return &r.keys[len(r.keys)-1]
}

// step takes a piece of news.
func (r *run) step(p engine.TestProgress) {
	k := r.at(p.Key)
	if !p.Done {
		k.running++
		return
	}
	k.running = max(k.running-1, 0)
	if r.done++; r.done > r.total {
		r.total = max(p.Total, r.done)
	}
	if p.Err == "" {
		k.sent++
		return
	}
	k.missed = append(k.missed, missed{p.Recipient, p.Err})
}

// end takes all that the round gave. News may have been lost on the way here, so they are
// counted anew.
func (r *run) end(out outcome, err error) {
	r.done = 0
	for i := range r.keys {
		if r.keys[i].round {
			r.keys[i].clear()
		}
	}
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
		if k := &r.keys[i]; k.round && k.status == "" {
			k.settle(err)
		}
	}
	r.message = r.summary(out.results, err)
}

// settle gives a status to a key that the service did not speak of.
func (k *keyState) settle(err error) {
	k.running = 0
	switch {
	case err != nil && screen.Cancelled(err) && k.sent > 0 && len(k.missed) == 0:
		k.reason = "cancelled; it may have left for some recipients already"
	case err != nil && screen.Cancelled(err):
		k.reason = "cancelled before it was sent"
	case err != nil:
		k.status, k.reason = engine.Failed, err.Error()
	default:
		k.status, k.reason = engine.Failed, "the service's answer does not name this message"
	}
}

func (r *run) summary(results []engine.TestResult, err error) string {
	if len(results) == 1 && err == nil && results[0].Message != "" {
		return problems.Sentence(results[0].Message)
	}
	sent := 0
	for _, k := range r.keys {
		if k.status == engine.Sent {
			sent++
		}
	}
	text := fmt.Sprintf("%d of %s sent.", sent, count(len(r.keys), "message"))
	if r.cancelling || err != nil && screen.Cancelled(err) {
		text += " The test was cancelled."
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

// retry gives the requests that send what failed once more: a key each, to those that it failed
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

// missedOf gives those of the values that did not get the message; nil where some who missed it
// are not among them, as the members of a segment are not.
func (k *keyState) missedOf(values []string) []string {
	var out []string
	for _, m := range k.missed {
		if !slices.Contains(values, m.recipient) {
			return nil
		}
		out = append(out, m.recipient)
	}
	return out
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// word is the status of a key in one word.
func (k *keyState) word() string {
	switch {
	case k.status != "":
		return k.status
	case k.reason != "":
		return "NOT SENT"
	case k.running > 0:
		return "sending"
	case k.sent+len(k.missed) > 0:
		return "under way"
	}
	return "waiting"
}

// why puts the reasons of a key into one text.
func (k *keyState) why() string {
	if k.reason != "" {
		return k.reason
	}
	var parts []string
	for _, m := range k.missed {
		parts = append(parts, m.recipient+": "+m.why)
	}
	return strings.Join(parts, "; ")
}
