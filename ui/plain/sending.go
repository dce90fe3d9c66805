package plain

import (
	"context"
	"slices"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/material"
	"bugle/engine/schema"
)

// missed is who did not get which message.
type missed struct {
	mu   sync.Mutex
	by   map[string][]string // recipients by key
	told map[string]bool     // the keys whose recipients were told
}

func (m *missed) note(p engine.TestProgress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !p.Done || p.Recipient == "" {
		return
	}
	m.told[p.Key] = true
	if p.Err != "" {
		m.by[p.Key] = append(m.by[p.Key], p.Recipient)
	}
}

// send sends tests one after another, tells each step, and offers to send again what failed. Keys are
// the messages of the first one.
func (w *work) send(ctx context.Context, keys []engine.TestKey, asks []engine.TestSend, first engine.TestSend) error {
	for {
		failed := &missed{by: map[string][]string{}, told: map[string]bool{}}
		var bad []string
		for _, ask := range asks {
			result, err := w.deps.Service.Test(ctx, engine.TestRequest{
				Call: engine.NewCall(), Body: engine.DraftTest(w.campaign.ID, ask),
				Progress: func(p engine.TestProgress) { w.progress(ctx, keys, ask.Identifier, p); failed.note(p) },
			})
			if err != nil {
				if err := w.failed(ctx, "Cannot send the test", err); err != nil {
					return err
				}
				return nil
			}
			bad = append(bad, w.tellResult(keys, result, failed)...)
		}
		if len(bad) == 0 {
			return nil
		}
		yes, err := w.yes(ctx, "Retry the failed messages", false)
		if err != nil || !yes {
			return err
		}
		asks = w.retries(keys, bad, failed, first)
	}
}

// progress tells one step of a send.
func (w *work) progress(ctx context.Context, keys []engine.TestKey, identifier string, p engine.TestProgress) {
	if !p.Done {
		return
	}
	who := nameOfKey(keys, p.Key)
	switch {
	case engine.TakesSegment(identifier):
		who += ", to " + w.who(ctx, engine.MemberIdentifier, p.Recipient)
	case p.Recipient != "":
		who += ", to " + w.who(ctx, identifier, p.Recipient)
	}
	if p.Err != "" {
		w.say("%s: failed. %s", who, sentence(p.Err))
		return
	}
	w.say("%s: sent.", who)
}

// tellResult tells the outcome of each message whose recipients were not told, and gives the keys of those that
// failed.
func (w *work) tellResult(keys []engine.TestKey, r engine.TestResult, known *missed) []string {
	known.mu.Lock()
	defer known.mu.Unlock()
	var bad []string
	w.say("%s", sentence(r.Message))
	for _, name := range r.Keys {
		res := r.Data[name]
		if res.Status != engine.Sent {
			bad = append(bad, name)
		}
		switch {
		case known.told[name]:
		case res.Status == engine.Sent:
			w.say("%s: sent.", nameOfKey(keys, name))
		default:
			w.say("%s: %s. %s", nameOfKey(keys, name), strings.ToLower(res.Status), sentence(res.FailureReason))
		}
	}
	return bad
}

// retries gives the tests that send what failed again: a message each, to those who did not get it.
// Where a message is none of the campaign's, all is sent again.
func (w *work) retries(keys []engine.TestKey, bad []string, failed *missed, first engine.TestSend) []engine.TestSend {
	var out []engine.TestSend
	for _, name := range bad {
		i := slices.IndexFunc(keys, func(k engine.TestKey) bool { return k.String() == name })
		if i < 0 {
			return []engine.TestSend{first}
		}
		ask := first
		ask.Filter = keys[i].Only(w.campaign.Channel)
		who := failed.by[name]
		if len(who) > 0 && !slices.ContainsFunc(who, func(v string) bool { return !slices.Contains(first.Values, v) }) {
			ask.Values = who
		}
		out = append(out, ask)
	}
	return out
}

// used finds the attributes in the messages of the campaign, in the order of the text.
func (w *work) used() []material.Attribute {
	env := schema.Env{Flags: w.workspace.Flags, Lists: w.workspace.Lists}
	uses := material.NewUses(w.workspace)
	var out []material.Attribute
	for _, k := range engine.TestKeys(w.campaign.Channel, w.root, engine.KeyFilter{}) {
		for _, t := range k.Texts(w.campaign.Channel, w.root, env) {
			for _, u := range uses.Of(t.Source) {
				if !slices.Contains(out, u.Attribute) {
					out = append(out, u.Attribute)
				}
			}
		}
	}
	return out
}
