package attach

import (
	"context"
	"errors"
	"net/http"
	"time"

	"bugle/engine"
)

// JobKind says what is to be done with a store as a whole.
type JobKind string

// The kinds of jobs.
const (
	JobCheck   JobKind = "check"   // read everything, and say what is wrong
	JobRepair  JobKind = "repair"  // and mend what can be mended
	JobBackup  JobKind = "backup"  // write the store into a file
	JobRecover JobKind = "recover" // put one campaign that is damaged or gone back from a backup
)

// Job is something to do with a store as a whole, which the process that has it does.
type Job struct {
	Kind JobKind
	// File is the backup's absolute path, and Passphrase what encrypts it; empty where it is not
	// encrypted.
	File, Passphrase    string
	Workspace, Campaign string // for JobRecover
}

// JobProgress is how far a job has come.
type JobProgress struct {
	Records   int
	Verifying bool // what a backup wrote is read again
}

// Maintained is an [Owned] that can do jobs. The result is JSON, in words that the caller and the
// opener share.
type Maintained interface {
	Do(ctx context.Context, job Job, progress func(JobProgress)) (result []byte, err error)
}

type jobAsked struct {
	Job
	tell func(engine.TestProgress)
}

var jobMethod = define(method[jobAsked, []byte]{name: "job", store: true,
	run: func(ctx context.Context, t target, in jobAsked) ([]byte, error) {
		m, ok := t.owned.(Maintained)
		if !ok {
			return nil, engine.Errorf(engine.NotFound, http.StatusNotImplemented, "the process that has the store open cannot do that")
		}
		return m.Do(ctx, in.Job, in.progress)
	},
	touched: func(in jobAsked, _ []byte) []Change {
		if in.Kind == JobRepair || in.Kind == JobRecover {
			return []Change{{}}
		}
		return nil
	},
	// The steps of a job cross the socket as those of a test send do.
	progress: func(in *jobAsked) *func(engine.TestProgress) { return &in.tell },
	settle: func(_ context.Context, _ *session, in jobAsked, _ time.Time) ([]byte, bool, error) {
		if in.Kind == JobBackup {
			return nil, false, errors.New("the process that made the backup has quit; check if " + in.File + " exists, and try again if not")
		}
		return nil, false, nil // again: nothing is done twice
	}})

func (j jobAsked) progress(p JobProgress) {
	if j.tell != nil {
		j.tell(engine.TestProgress{Completed: p.Records, Done: p.Verifying})
	}
}

// Do has a job done wherever the store is; progress may be nil. It ends when ctx does.
func (n *Node) Do(ctx context.Context, job Job, progress func(JobProgress)) (result []byte, err error) {
	in := jobAsked{Job: job}
	if progress != nil {
		in.tell = func(p engine.TestProgress) { progress(JobProgress{p.Completed, p.Done}) }
	}
	return call(ctx, &session{node: n}, jobMethod, in)
}
