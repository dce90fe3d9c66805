package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"bugle/engine"
	"bugle/store"
)

// JobKind is the kind of a [Job].
type JobKind string

// The kinds of jobs.
const (
	JobCheck   JobKind = "check"   // read everything, and report problems
	JobRepair  JobKind = "repair"  // check, and repair what can be repaired
	JobBackup  JobKind = "backup"  // write the store to a file
	JobFind    JobKind = "find"    // find a damaged or missing campaign in a backup
	JobRecover JobKind = "recover" // restore one damaged or missing campaign from a backup
)

// Job is an operation on the whole store, which its owner runs.
type Job struct {
	Kind JobKind
	// File is the absolute path of the backup. Passphrase encrypts it; empty means no encryption.
	File, Passphrase    string
	Workspace, Campaign string // for JobFind and JobRecover
}

// JobProgress is the progress of a job.
type JobProgress struct {
	Records   int
	Verifying bool // the written backup is being read back
}

// JobRunner is a driver that can run jobs. The result is JSON in a format that the caller and the opener share.
type JobRunner interface {
	Do(ctx context.Context, job Job, progress func(JobProgress)) (result []byte, err error)
}

// jobLine is one line of the response to a job: its progress, or its result.
type jobLine struct {
	Progress *JobProgress    `json:"progress,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Fault    *fault          `json:"fault,omitempty"`
}

// Do runs a job in the process that owns the store. progress may be nil. The job ends when ctx does.
func (d *DB) Do(ctx context.Context, job Job, progress func(JobProgress)) (result []byte, err error) {
	if progress == nil {
		progress = func(JobProgress) {}
	}
	err = d.do(ctx, func(ctx context.Context, h *host, l *link) (err error) {
		if h != nil {
			result, err = h.do(ctx, job, progress)
			return err
		}
		result, err = l.job(ctx, job, progress)
		var lost *lostError
		if errors.As(err, &lost) && job.Kind == JobBackup && lost.sent {
			return errors.New("the process that made the backup has quit; check if " + job.File + " exists, and try again if not")
		}
		return err // other jobs can be run again safely
	})
	return result, err
}

// do runs a job in the process that owns the store.
func (h *host) do(ctx context.Context, job Job, progress func(JobProgress)) ([]byte, error) {
	if !h.calls.enter() {
		return nil, errLeaving
	}
	defer h.calls.leave()
	m, ok := h.db.(JobRunner)
	if !ok {
		return nil, engine.Errorf(engine.NotFound, http.StatusNotImplemented, "the process that has the store open cannot do that")
	}
	result, err := m.Do(ctx, job, progress)
	if err == nil && (job.Kind == JobRepair || job.Kind == JobRecover) {
		h.publish(news{Changes: []store.Change{{}}}) // it wrote without publishing its changes
	}
	return result, err
}

// serveJob runs a job for another process. The response has a line for each step of its progress, and the last one has
// the result.
func (h *host) serveJob(w http.ResponseWriter, r *http.Request) {
	var job Job
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&job); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.work, cancel)()
	rc, lines := http.NewResponseController(w), json.NewEncoder(w)
	_ = rc.Flush() // tell the client that the job was accepted
	result, err := h.do(ctx, job, func(p JobProgress) {
		_ = lines.Encode(jobLine{Progress: &p}) // if it fails, ctx ends the job
		_ = rc.Flush()
	})
	_ = lines.Encode(jobLine{Result: result, Fault: faultOf(err)})
}

// job runs a job in the owner.
func (l *link) job(ctx context.Context, job Job, progress func(JobProgress)) ([]byte, error) {
	b, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("cannot write the job: %w", err)
	}
	req, err := l.request(ctx, http.MethodPost, jobPath, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	res, err := l.client.Do(req)
	if err != nil {
		return nil, l.failure(ctx, err, false)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &lostError{err: errLeaving}
	}
	for lines := json.NewDecoder(res.Body); ; {
		var s jobLine
		if err := lines.Decode(&s); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			return nil, l.failure(ctx, err, true)
		}
		if s.Progress != nil {
			progress(*s.Progress)
			continue
		}
		err := s.Fault.err()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errLeaving):
			return nil, &lostError{err: err}
		}
		return s.Result, err
	}
}
