package bench

import (
	"context"
	"errors"
	"regexp"
	"time"
)

// silentStarts is the number of starts in a terminal that does not respond.
const silentStarts = 3

// starts measures the time from the start of the program to the first frame with campaigns, to the first frame whose
// first campaign is the one changed last, and until a campaign far down can be found.
func (r *run) starts(ctx context.Context) error {
	if err := r.startsIn(ctx, true, r.Starts, ""); err != nil {
		return err
	}
	return r.startsIn(ctx, false, min(r.Starts, silentStarts), " in a terminal that answers nothing")
}

func (r *run) startsIn(ctx context.Context, answers bool, n int, where string) error {
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	var rows, newest, found []time.Duration
	for range n {
		one, err := r.startOnce(ctx, dir, answers)
		if err != nil {
			return err
		}
		rows, newest, found = append(rows, one.rows), append(newest, one.newest), append(found, one.found)
	}
	var targets, ready []Target
	if answers && where == "" {
		targets, ready = r.startTargets()
	}
	row := durations(Starting, "start to the first frame with campaigns"+where, time.Millisecond, rows, targets...)
	row.Campaigns = r.Campaigns
	r.add(row)
	row = durations(Starting, "start to the frame with the campaign that was changed last"+where, time.Millisecond, newest)
	row.Campaigns = r.Campaigns
	r.add(row)
	row = durations(Starting, "start to a search that finds one far down"+where, time.Millisecond, found, ready...)
	row.Campaigns = r.Campaigns
	r.add(row)
	return nil
}

// startTargets returns the targets for a store of that size, or of the next larger size with targets.
func (r *run) startTargets() (rows, searchable []Target) {
	if r.Campaigns <= 100_000 {
		return []Target{atMost(ofMedian, 60)}, []Target{atMost(ofMedian, 300)}
	}
	return []Target{atMost(ofMedian, 80)}, []Target{atMost(ofMedian, 2000)}
}

// oneStart is the durations of one start.
type oneStart struct{ rows, newest, found time.Duration }

// aRow matches a line of the list with a campaign.
var aRow = regexp.MustCompile(`▌ \S.*(Draft|Scheduled|Active|Sending|Paused|Sent|Stopped)`)

func (r *run) startOnce(ctx context.Context, dir string, answers bool) (one oneStart, err error) {
	s, err := r.open(ctx, dir, answers)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	at, err := s.until(ctx, "the list", aRow.MatchString)
	if err != nil {
		return one, err
	}
	one.rows = at.Sub(s.began)
	if at, err = s.see(ctx, FirstName); err != nil {
		return one, err
	}
	one.newest = at.Sub(s.began)
	if at, err = s.find(ctx); err != nil {
		return one, err
	}
	one.found = at.Sub(s.began)
	return one, nil
}

// find searches for the campaign far down, and waits for it.
func (s *session) find(ctx context.Context) (at time.Time, err error) {
	if err := s.write("/"); err != nil {
		return at, err
	}
	// The slash is only a key of its own if the text does not arrive with it.
	if _, ok, err := s.next(ctx, patience); err != nil || !ok {
		return at, errors.Join(err, errors.New("the search did not open"))
	}
	if err := s.write("zanzibar"); err != nil {
		return at, err
	}
	return s.see(ctx, FarName)
}
