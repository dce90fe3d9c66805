package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/message/delivery"
)

// maxConcurrentSends limits the concurrent messages of one test. Those through a mail server are as many as its connections,
// because after a crash a message that only waited for one could have been delivered as well.
const maxConcurrentSends = 8

const notSent = "the test was canceled before it was sent"

// testRun is a running test send.
type testRun struct {
	s        *Service
	plan     *testPlan
	ledger   *sendLedger
	gateways gateways
	files    *attachments
	copies   bool // to the addresses in Cc and Bcc
	jobs     []job
	progress func(engine.TestProgress)

	mu   sync.Mutex // guards done and calls of progress
	done int
}

// job is one message to one recipient.
type job struct {
	key  engine.TestKey
	to   recipient
	err  error  // why it failed; nil after it was sent
	note string // what the provider said
}

func newTestRun(s *Service, p *testPlan, progress func(engine.TestProgress)) *testRun {
	r := &testRun{s: s, plan: p, progress: progress, files: &attachments{fetcher: s.fetcher, log: s.log}}
	r.gateways = gateways{of: p.gateways, open: s.OpenGateway}
	for _, key := range p.keys {
		for _, to := range p.recipients {
			r.jobs = append(r.jobs, job{key: key, to: to, err: errors.New(notSent)})
		}
	}
	return r
}

// openGateways opens the push gateways that the test needs. It refuses the test where a key is missing, as one whose
// connector's password is missing is refused: nothing is sent then. Other problems fail a gateway's own messages.
func (r *testRun) openGateways(ctx context.Context) error {
	for _, j := range r.jobs {
		if devices, _ := j.to.on(j.key.Platform); len(devices) == 0 {
			continue
		}
		var e *delivery.Error
		if _, err := r.gateways.provider(ctx, j.key.Platform); errors.As(err, &e) && e.Reason == delivery.NoSecret {
			return refuse(mTestMeta+".platform", "%w", err)
		}
	}
	return nil
}

// send runs all jobs and returns when they have ended. When ctx ends, remaining jobs are not started.
func (r *testRun) send(ctx context.Context) {
	next := make(chan *job)
	var workers sync.WaitGroup
	most := maxConcurrentSends
	if _, ok := r.plan.provider.(*delivery.SMTP); ok {
		most = delivery.MaxConnections
	}
	for range min(most, len(r.jobs)) {
		workers.Go(func() {
			for j := range next {
				r.do(ctx, j)
			}
		})
	}
	for i := range r.jobs {
		next <- &r.jobs[i]
	}
	close(next)
	workers.Wait()
}

func (r *testRun) do(ctx context.Context, j *job) {
	if ctx.Err() == nil {
		r.report(j, false, "")
		j.err = r.deliver(delivery.WithProgress(ctx, func(sentence string) { r.report(j, false, sentence) }), j)
		if ended := ctx.Err(); ended != nil && errors.Is(j.err, ended) && !errors.Is(j.err, delivery.ErrUnknown) {
			j.err = errors.New("the test was canceled while it was being sent")
		}
	}
	r.report(j, true, j.note)
}

func (r *testRun) report(j *job, done bool, note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if done {
		r.done++
	}
	if r.progress == nil {
		return
	}
	p := engine.TestProgress{Key: j.key.String(), Recipient: j.to.name, Done: done, Note: note, Completed: r.done, Total: len(r.jobs)}
	if done && j.err != nil {
		p.Err, p.Unknown = j.err.Error(), errors.Is(j.err, delivery.ErrUnknown)
	}
	r.progress(p)
}

// deliver renders one message and passes it to its provider.
func (r *testRun) deliver(ctx context.Context, j *job) error {
	if j.to.why != "" {
		return errors.New(j.to.why)
	}
	messages, err := r.compose(ctx, j)
	if err != nil {
		return err
	}
	return deliverAll(messages, func(m delivery.Message) error {
		note, err := r.deliverOnce(ctx, m, r.ledger.record(r.plan, j, m))
		if !strings.Contains(j.note, note) { // each device may have the same
			j.note = strings.TrimPrefix(j.note+"; "+note, "; ")
		}
		return err
	})
}

// deliverAll delivers all messages to a recipient, who may have several devices, even if some fail. The error
// reports the failures and the total.
func deliverAll(messages []delivery.Message, carry func(delivery.Message) error) error {
	var failed []error
	for _, m := range messages {
		if err := carry(m); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) == 0 || len(messages) == 1 {
		return errors.Join(failed...)
	}
	why := failed[0]
	for _, err := range failed[1:] {
		if err.Error() != why.Error() {
			why = fmt.Errorf("%w; %w", why, err)
		}
	}
	return fmt.Errorf("%d of %d devices: %w", len(failed), len(messages), why)
}

// deliverOnce passes a message to its provider, unless an earlier process has, and returns what the provider said.
func (r *testRun) deliverOnce(ctx context.Context, m delivery.Message, k *sendRecord) (note string, err error) {
	if left, err := k.sent(ctx); left || err != nil {
		return "", err
	}
	provider, err := r.provider(ctx, m)
	if err != nil {
		return "", err
	}
	keep := func(ctx context.Context, id string) error {
		_, err := delivery.NewOutbox(outboxWriter{r.s, r.plan, k, id}, r.s.now).Deliver(ctx, m)
		return err
	}
	if provider == nil {
		return "", keep(ctx, "")
	}
	if err := k.begin(ctx); err != nil {
		return "", err
	}
	if m.Email != nil {
		m.Email.ID = k.id
	}
	receipt, err := provider.Deliver(ctx, m)
	if err != nil {
		logCause(r.s.log, "a message was not delivered", err)
		if known := (*delivery.Error)(nil); !errors.As(err, &known) {
			err = delivery.Unconfirmed("the provider", err)
		}
		if !errors.Is(err, delivery.ErrUnknown) {
			k.abort(context.WithoutCancel(ctx))
		}
		return "", err
	}
	// It has left, whether the outbox can show it or not.
	if err := keep(context.WithoutCancel(ctx), receipt.ID); err != nil {
		r.s.log.Error("a message that was sent is not in the outbox", "key", m.Key, "recipient", m.Recipient, "error", err)
	}
	return receipt.Detail, nil
}

// provider returns the provider of a message, or nil for the outbox.
func (r *testRun) provider(ctx context.Context, m delivery.Message) (delivery.Sender, error) {
	if m.Push != nil {
		return r.gateways.provider(ctx, m.Push.Platform)
	}
	return r.plan.provider, nil
}

// result aggregates the jobs by key.
func (r *testRun) result(ctx context.Context) engine.TestResult {
	out := engine.TestResult{Data: make(map[string]engine.SendResult, len(r.plan.keys))}
	sent, lost := 0, 0
	failures, details, unknown := map[string]*reasons{}, map[string]*reasons{}, map[string][]string{}
	for _, j := range r.jobs {
		key := j.key.String()
		if failures[key] == nil {
			failures[key], details[key] = &reasons{}, &reasons{}
			out.Keys = append(out.Keys, key)
		}
		if j.note != "" {
			details[key].add(j.to.name, j.note)
		}
		if j.err == nil {
			sent++
			continue
		}
		failures[key].add(j.to.name, j.err.Error())
		if errors.Is(j.err, delivery.ErrUnknown) {
			lost++
			unknown[key] = append(unknown[key], j.to.name)
		}
	}
	for key, why := range failures {
		result := engine.SendResult{Status: engine.Sent, Detail: strings.Join(details[key].list(), "\n")}
		if len(why.order) > 0 {
			result.Status, result.FailureReason, result.Unknown = engine.Failed, strings.Join(why.list(), "; "), unknown[key]
		}
		out.Data[key] = result
	}
	out.Message = summary(sent, lost, len(r.jobs))
	if ctx.Err() != nil && sent < len(r.jobs) {
		out.Message += " The test was canceled."
	}
	return out
}

func summary(sent, unknown, total int) string {
	noun := "messages"
	if total == 1 {
		noun = "message"
	}
	if sent == total {
		return fmt.Sprintf("Sent %d %s.", total, noun)
	}
	text := fmt.Sprintf("Sent %d of %d %s", sent, total, noun)
	if failed := total - sent - unknown; failed > 0 {
		text += fmt.Sprintf("; %d failed", failed)
	}
	if unknown > 0 {
		text += fmt.Sprintf("; %d may have been delivered", unknown)
	}
	return text + "."
}

// reasons collects why recipients of one key failed, or what their provider said, grouped by text.
type reasons struct {
	order []string
	names map[string][]string
}

func (r *reasons) add(name, why string) {
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if r.names[why] == nil {
		r.order = append(r.order, why)
	}
	r.names[why] = append(r.names[why], name)
}

func (r *reasons) list() []string {
	parts := make([]string, len(r.order))
	for i, why := range r.order {
		parts[i] = strings.Join(r.names[why], ", ") + ": " + why
	}
	return parts
}
