package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"bugle/engine"
)

// Connection returns how the way to the service stands now.
func (s *Service) Connection() engine.Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connection()
}

func (s *Service) connection() engine.Connection {
	l := engine.Connection{OfflineSince: s.offlineSince, Reason: s.reason}
	for _, w := range s.pending {
		l.Waits = append(l.Waits, engine.Wait{Operation: w.Operation, Why: w.Why, For: w.For, Until: w.Until})
	}
	slices.SortFunc(l.Waits, func(a, b engine.Wait) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Operation, b.Operation))
	})
	return l
}

// Connections returns the link each time that it has changed, until ctx ends. Of changes in quick succession
// only the last may be given.
func (s *Service) Connections(ctx context.Context) iter.Seq[engine.Connection] {
	return func(yield func(engine.Connection) bool) {
		for seen := uint64(0); ; {
			s.mu.Lock()
			l, version, changed := s.connection(), s.version, s.changed
			s.mu.Unlock()
			if version != seen {
				seen = version
				if !yield(l) {
					return
				}
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// notify says that the link has changed. The caller holds the lock.
func (s *Service) notify() {
	s.version++
	close(s.changed)
	s.changed = make(chan struct{})
}

// unreachable returns the error of a call that is not made because the service cannot be reached; nil while
// it can be.
func (s *Service) unreachable(operation string) *UnreachableError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offlineSince.IsZero() {
		return nil
	}
	return &UnreachableError{Operation: operation, Since: s.offlineSince, Reason: s.reason}
}

// markOffline notes that the service cannot be reached, and sees to it that it is found again.
func (s *Service) markOffline(e *UnreachableError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offlineSince.IsZero() {
		s.offlineSince = s.opts.Clock()
	}
	s.reason, e.Since = e.Reason, s.offlineSince
	s.notify()
	if !s.checking && !s.closed {
		s.checking = true
		s.work.Go(s.reconnect)
	}
}

// markOnline notes that the service has answered.
func (s *Service) markOnline() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.offlineSince.IsZero() {
		s.offlineSince, s.reason = time.Time{}, ""
		s.notify()
	}
}

// reconnect looks for the service until it is back: after pauses, and at once when somebody wants it.
func (s *Service) reconnect() {
	for d := s.opts.RetryPause; ; d = min(d*2, s.opts.RetryPause*maxPauseFactor) {
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-s.wake:
		case <-s.ctx.Done():
		}
		t.Stop()
		s.checkHealth(s.ctx, s.opts.HealthTimeout*idleTimeoutFactor)
		s.mu.Lock()
		if s.checking = !s.offlineSince.IsZero() && !s.closed; !s.checking {
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// checkNow has it looked at once whether the service is back.
func (s *Service) checkNow() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// checkHealth finds out whether the service is back, with a knock and then with a question that it has to
// answer itself. Whatever it answers, it is there.
func (s *Service) checkHealth(ctx context.Context, limit time.Duration) bool {
	if s.ping(ctx, limit) != nil {
		return false
	}
	c := s.begin(ctx, opSearch, true)
	defer s.done(c)
	_, err := s.remote.Search(c.ctx, engine.SearchRequest{Limit: 1, Page: 1})
	err, lost := c.ended(err)
	var ended *CanceledError
	if lost || ctx.Err() != nil || errors.As(err, &ended) {
		return false
	}
	s.markOnline()
	return true
}

// ping finds out whether anybody answers where the service is: without credentials, and without
// taking anything from its limits.
func (s *Service) ping(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.remote.BaseURL()+"/v5/campaigns", nil)
	if err != nil {
		return fmt.Errorf("checking the service: %w", err)
	}
	res, err := s.health.Do(req)
	if err != nil {
		return fmt.Errorf("checking the service: %w", err)
	}
	res.Body.Close()
	if why := failureReason(res, nil); why != "" {
		return errors.New(why)
	}
	return nil
}
