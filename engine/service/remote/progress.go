package remote

import (
	"context"
	"slices"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// refusalDelay is the time within which a service refuses invalid requests. A test is not reported as running
// before.
const refusalDelay = 500 * time.Millisecond

// progressReporter reports the progress of a test send. A nil one reports nothing.
type progressReporter struct {
	report func(engine.TestProgress)
	keys   func(context.Context) []string
	begun  []string // reported keys in order
	ended  int
	total  int
}

func (s *Service) newProgressReporter(r engine.TestRequest) *progressReporter {
	if r.Progress == nil {
		return nil
	}
	return &progressReporter{report: r.Progress, keys: func(ctx context.Context) []string { return s.testKeys(ctx, r.Body) }}
}

// testKeys returns the keys that a test will send, or none if they cannot be determined.
func (s *Service) testKeys(ctx context.Context, body doc.Value) []string {
	ch, document := engine.Channel(body.Get(mChannel).Text()), body
	if id := body.Get(mDraftID).Text(); id != "" {
		c, err := s.Get(ctx, id)
		if err != nil {
			return nil
		}
		ch, document = c.Channel, c.Document()
	}
	var out []string
	for _, k := range engine.TestKeys(ch, document, engine.ParseTestSend(body).Filter) {
		out = append(out, k.String())
	}
	return out
}

// attemptStarted reports that an attempt was sent. The returned function reports its response, after which
// nothing more is reported.
func (n *progressReporter) attemptStarted(ctx context.Context) (landed func()) {
	if n == nil || len(n.begun) > 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if sleep(ctx, refusalDelay) != nil {
			return
		}
		keys := n.keys(ctx)
		if ctx.Err() != nil {
			return
		}
		n.total = len(keys)
		for _, key := range keys {
			n.begin(key)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

func (n *progressReporter) begin(key string) {
	n.begun = append(n.begun, key)
	n.report(engine.TestProgress{Key: key, Completed: n.ended, Total: n.total})
}

// end reports the result of each key.
func (n *progressReporter) end(res engine.TestResult) {
	if n == nil {
		return
	}
	n.total = len(res.Keys)
	for _, key := range res.Keys {
		if !slices.Contains(n.begun, key) {
			n.begin(key)
		}
		n.ended++
		p := engine.TestProgress{Key: key, Done: true, Completed: n.ended, Total: n.total}
		p.Note = res.Data[key].Detail
		if out := res.Data[key]; out.Status != engine.Sent {
			p.Unknown = len(out.Unknown) > 0
			if p.Err = out.FailureReason; p.Err == "" {
				p.Err = "the service gave no reason"
			}
		}
		n.report(p)
	}
}
