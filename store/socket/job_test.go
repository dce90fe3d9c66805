//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"bugle/store/kv"
	"bugle/store/socket"
)

// jobDB is a store that records its jobs.
type jobDB struct {
	kv.DB
	began chan struct{}
}

func (m jobDB) Do(ctx context.Context, job socket.Job, progress func(socket.JobProgress)) ([]byte, error) {
	progress(socket.JobProgress{Records: 7, Verifying: true})
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

// The owner runs jobs for every process: it reports progress, cancels a job with its caller, and publishes the changes
// of a repair.
func TestJobs(t *testing.T) {
	s := newTestFolder(t)
	began := make(chan struct{})
	o := s.options()
	o.Opener = func(ctx context.Context) (kv.DB, error) {
		owned, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		return jobDB{owned, began}, nil
	}
	open := func() *socket.DB {
		n, err := socket.Open(t.Context(), o)
		s.ok(err)
		t.Cleanup(func() { n.Close() })
		return n
	}
	owner, attached := open(), open()
	for _, n := range []*socket.DB{owner, attached} {
		var steps []socket.JobProgress
		job := socket.Job{Kind: socket.JobBackup, File: "/f", Passphrase: "p", Workspace: "w", Campaign: "c"}
		out, err := n.Do(t.Context(), job, func(p socket.JobProgress) { steps = append(steps, p) })
		var got socket.Job
		if err = errors.Join(err, json.Unmarshal(out, &got)); err != nil || got != job {
			t.Errorf("asked for %+v: %+v, %v", job, got, err)
		}
		if len(steps) != 1 || steps[0] != (socket.JobProgress{Records: 7, Verifying: true}) {
			t.Errorf("told of %+v", steps)
		}
		if _, err := n.Do(t.Context(), socket.Job{Campaign: "fail"}, nil); err == nil || err.Error() != "the disk is full" {
			t.Errorf("failed with %v", err)
		}
	}
	heard := changes(t, attached)
	if _, err := owner.Do(t.Context(), socket.Job{Kind: socket.JobRepair}, nil); err != nil {
		t.Fatal(err)
	}
	if c := <-heard; c.Workspace != "" || c.ID != "" {
		t.Errorf("heard of %+v", c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := attached.Do(ctx, socket.Job{Campaign: "wait"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if _, err := s.node().Do(t.Context(), socket.Job{}, nil); err != nil {
		t.Errorf("another one: %v", err)
	}
}
