package socket

import (
	"context"
	"encoding/gob"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

// session is the connection of another process.
type session struct {
	host  *host
	lease string          // of the process; guarded by host.mu
	work  context.Context // ends with the connection, or when this process starts to quit

	mu    sync.Mutex // also locked while a snapshot is read: a request that was canceled may still be answered
	snaps map[uint64]kv.Snapshot
}

// sendTimeout is how long another process may take to read the last responses.
const sendTimeout = 5 * time.Second

// serve answers the requests on a connection until it breaks, or this process starts to quit.
func (o *host) serve(conn net.Conn) {
	defer conn.Close()
	work, end := context.WithCancel(o.work)
	s := &session{host: o, work: work, snaps: map[uint64]kv.Snapshot{}}
	stop := context.AfterFunc(o.work, func() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // no more requests are read
		_ = conn.SetWriteDeadline(time.Now().Add(sendTimeout))
	})
	o.mu.Lock()
	o.sessions[s] = true
	o.mu.Unlock()
	in, out := gob.NewDecoder(conn), gob.NewEncoder(conn)
	var sending sync.Mutex
	var answers sync.WaitGroup
	for q := new(request); in.Decode(q) == nil; q = new(request) {
		answer := func() {
			if r := s.answer(q); r != nil {
				sending.Lock()
				defer sending.Unlock()
				_ = out.Encode(r) // if it fails, so does the next read
			}
		}
		if q.Op == opSnapshot || q.Op == opRelease { // in the order in which they came
			answer()
		} else {
			answers.Go(answer)
		}
	}
	end()
	answers.Wait()
	stop()
	o.mu.Lock()
	delete(o.sessions, s)
	o.mu.Unlock()
	for _, snap := range s.snaps {
		snap.Release()
	}
}

// answer answers a request. The response is nil if this process has started to quit: the client asks the next owner.
func (s *session) answer(q *request) *response {
	if s.work.Err() != nil {
		return nil
	}
	r := new(response)
	var err error
	switch q.Op {
	case opHello:
		o := s.host
		o.mu.Lock()
		defer o.mu.Unlock()
		s.lease = q.Lease
		r.Introduction, r.News = o.intro, []news{{Number: o.latest, Problems: slices.Clone(o.problems)}}
	case opSnapshot, opRelease, opGet, opVersions, opScan:
		s.mu.Lock()
		defer s.mu.Unlock()
		err = s.read(q, r)
	default:
		r, err = s.host.answer(s.work, q)
	}
	if err != nil && s.host.work.Err() != nil {
		return nil
	}
	r.Number, r.Fault = q.Number, faultOf(err)
	return r
}

// read answers a request with a snapshot. The caller holds mu.
func (s *session) read(q *request, r *response) (err error) {
	snap := s.snaps[q.Snapshot]
	switch {
	case q.Op == opSnapshot:
		if snap, err = s.host.driver.Snapshot(s.work); err == nil {
			s.snaps[q.Snapshot] = snap
		}
	case snap == nil:
		err = errors.New("there is no such snapshot")
	case q.Op == opRelease:
		delete(s.snaps, q.Snapshot)
		snap.Release()
	case q.Op == opGet:
		r.Item, err = snap.Get(s.work, q.Key)
	case q.Op == opVersions:
		r.Versions, err = snap.Versions(s.work, q.Keys)
	case q.Op == opScan:
		err = r.scan(s.work, snap, q)
	}
	return err
}

// scan adds one page of a scan.
func (r *response) scan(ctx context.Context, snap kv.Snapshot, q *request) error {
	size := 0
	err := snap.Scan(ctx, q.Key, q.Scan, func(i kv.Item) error {
		if size >= q.Size {
			r.More = true
			return store.Stop
		}
		size += len(i.Key) + len(i.Value)
		r.Items = append(r.Items, kv.Item{Key: slices.Clone(i.Key), Value: slices.Clone(i.Value), Version: i.Version})
		return nil
	})
	if errors.Is(err, store.Stop) {
		return nil
	}
	return err
}
