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
	return s.link()
}

func (s *Service) link() engine.Connection {
	l := engine.Connection{OfflineSince: s.since, Reason: s.reason}
	for _, w := range s.waits {
		l.Waits = append(l.Waits, engine.Wait{Operation: w.Operation, Why: w.Why, For: w.For, Until: w.Until})
	}
	slices.SortFunc(l.Waits, func(a, b engine.Wait) int {
		return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Operation, b.Operation))
	})
	return l
}

// Links returns the link each time that it has changed, until ctx ends. Of changes in quick succession
// only the last may be given.
func (s *Service) Links(ctx context.Context) iter.Seq[engine.Connection] {
	return func(yield func(engine.Connection) bool) {
		for seen := uint64(0); ; {
			s.mu.Lock()
			l, version, changed := s.link(), s.version, s.changed
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

// touch says that the link has changed. The caller holds the lock.
func (s *Service) touch() {
	s.version++
	close(s.changed)
	s.changed = make(chan struct{})
}

// away returns the error of a call that is not made because the service cannot be reached; nil while
// it can be.
func (s *Service) away(operation string) *UnreachableError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return nil
	}
	return &UnreachableError{Operation: operation, Since: s.since, Reason: s.reason}
}

// lose notes that the service cannot be reached, and sees to it that it is found again.
func (s *Service) lose(e *UnreachableError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = s.opts.Clock()
	}
	s.reason, e.Since = e.Reason, s.since
	s.touch()
	if !s.looking && !s.closed {
		s.looking = true
		s.work.Go(s.seek)
	}
}

// reach notes that the service has answered.
func (s *Service) reach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() {
		s.since, s.reason = time.Time{}, ""
		s.touch()
	}
}

// seek looks for the service until it is back: after pauses, and at once when somebody wants it.
func (s *Service) seek() {
	for d := s.opts.Pause; ; d = min(d*2, s.opts.Pause*pauseFactor) {
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-s.wake:
		case <-s.ctx.Done():
		}
		t.Stop()
		s.look(s.ctx, s.opts.Knock*patientFactor)
		s.mu.Lock()
		if s.looking = !s.since.IsZero() && !s.closed; !s.looking {
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

// hurry has it looked at once whether the service is back.
func (s *Service) hurry() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// look finds out whether the service is back, with a knock and then with a question that it has to
// answer itself. Whatever it answers, it is there.
func (s *Service) look(ctx context.Context, limit time.Duration) bool {
	if s.knock(ctx, limit) != nil {
		return false
	}
	c := s.begin(ctx, opSearch, true)
	defer s.done(c)
	_, err := s.far.Search(c.ctx, engine.SearchRequest{Limit: 1, Page: 1})
	err, lost := c.ended(err)
	var ended *EndedError
	if lost || ctx.Err() != nil || errors.As(err, &ended) {
		return false
	}
	s.reach()
	return true
}

// knock finds out whether anybody answers where the service is: without credentials, and without
// taking anything from its limits.
func (s *Service) knock(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.far.BaseURL()+"/v5/campaigns", nil)
	if err != nil {
		return fmt.Errorf("checking the service: %w", err)
	}
	res, err := s.knocks.Do(req)
	if err != nil {
		return fmt.Errorf("checking the service: %w", err)
	}
	res.Body.Close()
	if why := astray(res, nil); why != "" {
		return errors.New(why)
	}
	return nil
}
