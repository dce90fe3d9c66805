package attach

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
)

// look is a read of another method while a call whose answer was lost is settled.
func look[In, Out any](ctx context.Context, s *session, m *method[In, Out], in In) (Out, error) {
	out, _, err := persist(ctx, s, m, in)
	return out, err
}

func isMissing(err error) bool {
	e := engine.AsError(err)
	return e != nil && e.Code == engine.NotFound
}

// settleSave finds the revision that the save would have made.
func settleSave(ctx context.Context, s *session, in engine.SaveRequest, _ time.Time) (engine.Head, bool, error) {
	c, err := look(ctx, s, revisionMethod, nth{in.ID, in.Revision + 1})
	if isMissing(err) {
		return engine.Head{}, false, nil
	}
	if err != nil {
		return engine.Head{}, false, err
	}
	ours := bytes.Equal(c.Body.Encode(), in.Body.Encode()) && (in.By == "" || c.UpdatedBy == in.By)
	if !ours {
		return engine.Head{}, false, nil // somebody else's: a repeat is refused, and says so
	}
	return c.Head, true, nil
}

// settleMove finds a change of the campaign by the same person since the call began. What else
// that might be, a repeat is refused or does no harm.
func settleMove(ctx context.Context, s *session, in signed, since time.Time) (none, bool, error) {
	revisions, err := look(ctx, s, revisionsMethod, in.ID)
	if err != nil || len(revisions) == 0 {
		return none{}, false, err
	}
	r := revisions[0]
	return none{}, !r.At.Before(since) && (in.By == "" || r.By == in.By), nil
}

func settleDelete(ctx context.Context, s *session, id string, _ time.Time) (none, bool, error) {
	_, err := look(ctx, s, getMethod, id)
	if isMissing(err) {
		return none{}, true, nil
	}
	return none{}, false, nil // also a damaged one: the repeat says what is wrong
}

func settleDeleteProfile(ctx context.Context, s *session, id string, _ time.Time) (none, bool, error) {
	_, err := look(ctx, s, profileMethod, id)
	return none{}, isMissing(err), nil
}

// settleClone finds a campaign that was made since the call began and whose history begins with
// the one that was to be cloned.
func settleClone(ctx context.Context, s *session, in signed, since time.Time) (out engine.Created, done bool, err error) {
	rows, err := look(ctx, s, listMethod, engine.ListQuery{})
	if err != nil {
		return out, false, err
	}
	for _, row := range rows {
		if row.CreatedAt.Before(since) || in.By != "" && row.CreatedBy != in.By {
			continue
		}
		revisions, err := look(ctx, s, revisionsMethod, row.ID)
		if err != nil {
			return out, false, err
		}
		if n := len(revisions); n > 0 && strings.Contains(revisions[n-1].Note, in.ID) {
			return engine.Created{ID: row.ID, Status: row.Status}, true, nil
		}
	}
	return out, false, nil
}

// recentTests is how far back the result of a test is looked for: it ended just now.
const recentTests = 50

// settleTest finds the result of the test by its request id. Where there is none, messages may
// have left, and it is for a person to say what to send again.
func settleTest(ctx context.Context, s *session, in testAsked, _ time.Time) (out engine.TestResult, done bool, err error) {
	tests, err := look(ctx, s, testsMethod, testsOf{Limit: recentTests})
	if err != nil {
		return out, false, err
	}
	for _, t := range tests {
		if t.Result.ResponseID == in.RequestID {
			return t.Result, true, nil
		}
	}
	e := engine.Errorf(engine.Internal, http.StatusServiceUnavailable,
		"the bugle process that was sending this test quit before it finished; check the outbox for messages that were sent, and send the others again")
	e.RequestID = in.RequestID
	return out, false, e
}
