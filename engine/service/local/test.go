package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/store"
)

// Test sends a test of the content in the request or of a saved draft (CONTRACT.md, Test sends). Once the
// request is accepted it returns a result even if ctx ends: messages that were not sent by then are reported
// as failed.
func (s *Service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	ids, err := withIDs(r.Call, r.Body)
	if err != nil {
		return engine.TestResult{}, err
	}
	if err := checkBody(r.Body); err != nil {
		return engine.TestResult{}, withRequestID(err, ids.RequestID)
	}
	c := newCall(ids, opTest, r.Body.Encode())
	plan, earlier, err := s.begin(ctx, c, r)
	if err != nil {
		return engine.TestResult{}, withRequestID(err, ids.RequestID)
	}
	if earlier != nil {
		return replay(c, earlier, func(out *engine.TestResult) *engine.ResponseInfo { return &out.ResponseInfo })
	}
	plan.as = r.As
	defer plan.content.close()
	run := newTestRun(s, plan, r.Progress)
	run.ledger, run.copies = &sendLedger{s: s, c: c, lease: plan.lease}, r.Copies
	if err := run.openGateways(ctx); err != nil {
		s.release(context.WithoutCancel(ctx), c)
		return engine.TestResult{}, withRequestID(err, ids.RequestID)
	}
	run.send(ctx)
	if c, ok := plan.provider.(io.Closer); ok {
		_ = c.Close() // only what is idle
	}
	out := run.result(ctx)
	out.ResponseID = ids.RequestID
	// Messages have left: that is written down even where the caller has gone.
	s.finish(context.WithoutCancel(ctx), c, run, r, out)
	out.Calls = plan.content.apis.Calls()
	return out, nil
}

// begin checks the request, plans the sends, and marks the call's key as running, in one transaction. If the
// key has a result already, it returns that instead.
func (s *Service) begin(ctx context.Context, c call, r engine.TestRequest) (p *testPlan, earlier []byte, err error) {
	work := func(sp store.WorkspaceTx) error {
		p, earlier = nil, nil
		found, err := s.keys.lookup(sp, c)
		if err != nil {
			return err
		}
		if found != nil {
			earlier = found
			return nil
		}
		if p, err = s.plan(ctx, sp, r.Body); err != nil || c.IdempotencyKey == "" {
			return err
		}
		now := s.now()
		p.lease = s.db.Lease()
		return sp.PutIdempotencyRecord(store.IdempotencyRecord{
			Operation: c.op, Key: c.IdempotencyKey, Fingerprint: c.fingerprint, Running: true, Lease: p.lease,
			At: now, ExpiresAt: now.Add(keyLifetime),
		})
	}
	if c.IdempotencyKey == "" {
		err = s.view(ctx, work)
	} else {
		err = s.update(ctx, work)
	}
	return p, earlier, err
}

// finish stores the test and the result for its key. A failure is only logged, because the messages have been
// sent.
func (s *Service) finish(ctx context.Context, c call, run *testRun, r engine.TestRequest, out engine.TestResult) {
	err := s.update(ctx, func(sp store.WorkspaceTx) error {
		if err := sp.PutTestSend(engine.TestRecord{At: s.now(), CampaignID: run.plan.campaignID, Body: r.Body, As: r.As, Copies: r.Copies, Result: out}); err != nil {
			return err
		}
		if err := run.ledger.forget(sp); err != nil {
			return err
		}
		return s.keys.storeWithLease(sp, c, out, run.plan.lease)
	})
	if err == nil {
		return
	}
	if errors.Is(err, store.ErrLeaseExpired) { // the key belongs to whoever has taken the test over
		s.log.Error("a test send that another process has taken over was not recorded", "error", err)
		return
	}
	s.log.Error("a test send was not recorded", "error", err)
	s.release(ctx, c)
}

// release frees the key of a call that has no result.
func (s *Service) release(ctx context.Context, c call) {
	if c.IdempotencyKey == "" {
		return
	}
	if err := s.update(ctx, func(sp store.WorkspaceTx) error { return sp.DeleteIdempotencyRecord(c.op, c.IdempotencyKey) }); err != nil {
		s.log.Error("an idempotency key stays in use", "error", err)
	}
}

// Tests returns the newest test sends: of one campaign, or of all if id is empty. A limit of 0 means all.
func (s *Service) Tests(ctx context.Context, id string, limit int) ([]engine.TestRecord, error) {
	var out []engine.TestRecord
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		out = nil
		return sp.TestSends(0, func(t engine.TestRecord) error {
			if id != "" && t.CampaignID != id {
				return nil
			}
			out = append(out, t)
			if limit > 0 && len(out) >= limit {
				return store.Stop
			}
			return nil
		})
	})
	return out, err
}

// maxTestHistory is the number of test sends that are searched for recipients.
const maxTestHistory = 200

// Recipients returns the identifier values used last, newest first and each once.
func (s *Service) Recipients(ctx context.Context, channel engine.Channel, identifier string, limit int) ([]string, error) {
	var out []string
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		out = nil
		seen := map[string]bool{}
		return sp.TestSends(maxTestHistory, func(t engine.TestRecord) error {
			meta := t.Body.Get(mTestMeta)
			if meta.Get("identifier").Text() != identifier || !testedOn(t, channel) {
				return nil
			}
			for _, v := range meta.Get("identifier_values").Strings() {
				if one := engine.RecipientKey(identifier, v); !seen[one] && (limit <= 0 || len(out) < limit) {
					seen[one] = true
					out = append(out, v)
				}
			}
			return nil
		})
	})
	return out, err
}

// testedOn reports whether a test was on the channel, according to its body (inline) or its keys.
func testedOn(t engine.TestRecord, ch engine.Channel) bool {
	if own := t.Body.Get(mChannel).Text(); own != "" {
		return own == string(ch)
	}
	if len(t.Result.Keys) == 0 {
		return false
	}
	return strings.HasPrefix(t.Result.Keys[0], string(catalog.Email)+"_") == (ch == catalog.Email)
}

// Outbox returns the messages of test sends, newest first.
func (s *Service) Outbox(ctx context.Context, limit int) ([]engine.OutboxMessage, error) {
	var out []engine.OutboxMessage
	err := s.view(ctx, func(sp store.WorkspaceTx) error {
		var err error
		if out, err = sp.Outbox(limit); err != nil {
			return fmt.Errorf("reading the outbox: %w", err)
		}
		return nil
	})
	return out, err
}

// clearBatch is the number of outbox messages removed per transaction, to keep it small.
const clearBatch = 1000

// ClearOutbox removes all messages from the outbox.
func (s *Service) ClearOutbox(ctx context.Context) error {
	for {
		removed := 0
		err := s.update(ctx, func(sp store.WorkspaceTx) (err error) {
			removed, err = sp.TrimOutbox(clearBatch)
			return err
		})
		if err != nil || removed < clearBatch {
			return err
		}
	}
}
