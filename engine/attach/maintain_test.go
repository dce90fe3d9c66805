//go:build linux || darwin || freebsd

package attach_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"bugle/engine/attach"
)

// maintained is a store that says what it was asked to do.
type maintained struct {
	attach.Owned
	began chan struct{}
}

func (m maintained) Do(ctx context.Context, job attach.Job, progress func(attach.JobProgress)) ([]byte, error) {
	progress(attach.JobProgress{Records: 7, Verifying: true})
	if job.Campaign == "wait" {
		close(m.began)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if job.Campaign == "fail" {
		return nil, errors.New("the disk is full")
	}
	return json.Marshal(job)
}

// Jobs are done by the owner, whoever asks: it is told of steps, ends when the caller does, and others
// hear of a repair.
func TestJobs(t *testing.T) {
	s := newShed(t)
	began := make(chan struct{})
	o := s.options()
	o.Opener = func(ctx context.Context) (attach.Owned, error) {
		owned, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		return maintained{owned, began}, nil
	}
	open := func() *attach.Node {
		n, err := attach.Open(t.Context(), o)
		s.ok(err)
		t.Cleanup(func() { n.Close() })
		return n
	}
	owner, attached := open(), open()
	for _, n := range []*attach.Node{owner, attached} {
		var steps []attach.JobProgress
		job := attach.Job{Kind: attach.JobBackup, File: "/f", Passphrase: "p", Workspace: "w", Campaign: "c"}
		out, err := n.Do(t.Context(), job, func(p attach.JobProgress) { steps = append(steps, p) })
		var got attach.Job
		if err = errors.Join(err, json.Unmarshal(out, &got)); err != nil || got != job {
			t.Errorf("asked for %+v: %+v, %v", job, got, err)
		}
		if len(steps) != 1 || steps[0] != (attach.JobProgress{Records: 7, Verifying: true}) {
			t.Errorf("told of %+v", steps)
		}
		if _, err := n.Do(t.Context(), attach.Job{Campaign: "fail"}, nil); err == nil || err.Error() != "the disk is full" {
			t.Errorf("failed with %v", err)
		}
	}
	changes := attached.Changes(t.Context())
	if _, err := owner.Do(t.Context(), attach.Job{Kind: attach.JobRepair}, nil); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; c.Workspace != "" || c.ID != "" {
		t.Errorf("heard of %+v", c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := attached.Do(ctx, attach.Job{Campaign: "wait"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := s.node().Do(t.Context(), attach.Job{}, nil); err != nil {
		t.Errorf("another one: %v", err)
	}
}
