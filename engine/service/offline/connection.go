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

// Connection returns the current state of the connection.
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

// Connections returns the state of the connection after each change, until ctx ends. It may skip states if
// changes follow in quick succession.
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

// notify signals a change of the connection. The caller holds the lock.
func (s *Service) notify() {
	s.version++
	close(s.changed)
	s.changed = make(chan struct{})
}

// unreachable returns the error for a call that is not made because the service cannot be reached, or nil.
func (s *Service) unreachable(operation string) *UnreachableError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offlineSince.IsZero() {
		return nil
	}
	return &UnreachableError{Operation: operation, Since: s.offlineSince, Reason: s.reason}
}

// markOffline records that the service cannot be reached, and starts reconnecting.
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

// markOnline records that the service has responded.
func (s *Service) markOnline() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.offlineSince.IsZero() {
		s.offlineSince, s.reason = time.Time{}, ""
		s.notify()
	}
}

// reconnect checks until the service is back, after pauses and immediately on request.
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

// checkNow triggers an immediate health check.
func (s *Service) checkNow() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// checkHealth checks whether the service is back, with a ping followed by a request that only the service
// itself can answer. Any response counts.
func (s *Service) checkHealth(ctx context.Context, limit time.Duration) bool {
	if s.ping(ctx, limit) != nil {
		return false
	}
	c := s.begin(ctx, opSearch, true)
	defer c.cancel(nil)
	_, err := s.remote.Search(c.ctx, engine.SearchRequest{Limit: 1, Page: 1})
	err, lost := c.ended(err)
	var ended *CanceledError
	if lost || ctx.Err() != nil || errors.As(err, &ended) {
		return false
	}
	s.markOnline()
	return true
}

// ping checks whether the server responds, without credentials and without counting against its limits.
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
