//go:build linux || darwin || freebsd

package main

import (
	"context"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bugle/store/postgres/pgtest"
)

var (
	crashKills = flag.Int("kills", 6, "how many processes TestCrash kills one by one; 1000 is its full length")
	crashTime  = flag.Duration("kill-for", 0, "for how long TestCrash kills processes, instead of -kills of them")
	crashSeed  = flag.Uint64("seed", 0, "where the random choices of TestCrash begin; 0 takes any")
)

// A server with clients, two terminals, and a script use one data folder. One of them is repeatedly killed at a random
// moment, usually the owner of the store while it writes, opens, or takes over. Everything acknowledged must still exist
// undamaged, and nothing may be done twice.
//
//	BUGLE_NEED_SLOW=1 go test ./cmd/bugle -run TestCrash -kills 1000 -timeout 1h -v
func TestCrash(t *testing.T) {
	needSlow(t)
	t.Parallel()
	newCrashSite(t, "").trial()
}

// Two servers with clients, three terminals and a script work on one database.
//
//	BUGLE_NEED_SLOW=1 go test ./cmd/bugle -run TestCrashOnDatabase -kills 150 -timeout 1h -v
func TestCrashOnDatabase(t *testing.T) {
	needSlow(t)
	t.Parallel()
	s := newCrashSite(t, pgtest.URL(t))
	s.servers, s.terminals = 2, 3
	s.trial()
}

// crashPatience is how long those that are left, and those that are started again, may take until all of them work.
const crashPatience = 30 * time.Second

// trial has processes work, and kills some of them, until enough have died.
func (s *crashSite) trial() {
	s.t.Logf("-seed %d", s.seed)
	ctx, end := context.WithCancel(s.t.Context())
	var work sync.WaitGroup
	stop := func() { // whatever happens, no process stays
		end()
		s.pause()
		work.Wait()
	}
	defer stop()
	for range s.servers {
		work.Go(func() { s.keep(ctx, crashServer) })
	}
	for range s.terminals {
		work.Go(func() { s.keep(ctx, crashTerminal) })
	}
	for i := range 3 {
		work.Go(func() { s.client(i).run(ctx) })
	}
	work.Go(func() { s.commands(ctx) })

	rnd := rand.New(rand.NewPCG(s.seed, 3))
	began, killed := time.Now(), 0
	goesOn := func() bool {
		if *crashTime > 0 {
			return time.Since(began) < *crashTime
		}
		return killed < *crashKills
	}
	for next := min(*crashKills/2, 40); goesOn() && !s.t.Failed(); {
		s.waitForWork(ctx)
		killed += s.killSome(ctx, rnd)
		if killed >= next {
			s.pause()
			s.check()
			s.resume()
			next = killed + 40
		}
	}
	stop()
	s.check()
	s.repeatAll()
	s.t.Logf("killed %v in %v; %d acknowledged", s.kills, time.Since(began).Round(time.Second), s.acks)
}

// waitForWork waits until every place has a process that takes part, and writes are acknowledged.
func (s *crashSite) waitForWork(ctx context.Context) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, crashPatience)
	defer cancel()
	acks := 0
	s.update(func() { acks = s.acks })
	all := s.wait(ctx, func() bool {
		ready := 0
		for _, p := range s.procs {
			if p.ready && p.kind != crashCommand {
				ready++
			}
		}
		return ready == s.servers+s.terminals && s.acks >= acks+3
	})
	if !all && s.t.Context().Err() == nil {
		for _, p := range s.living() {
			s.t.Logf("%s, process %d, ready: %v", p.kind, p.cmd.Process.Pid, p.ready)
		}
		s.t.Fatalf("not all work again after %v", crashPatience)
	}
}

// killSome kills at a moment of its choice, and returns how many it has killed.
func (s *crashSite) killSome(ctx context.Context, rnd *rand.Rand) (killed int) {
	kill := func(p *crashProc) {
		if s.kill(p) {
			killed++
		}
	}
	ownerOrAny := func() *crashProc {
		if p := s.owner(); p != nil {
			return p
		}
		if procs := s.living(); len(procs) > 0 {
			return procs[rnd.IntN(len(procs))]
		}
		return nil
	}
	switch n := rnd.IntN(10); {
	case n < 7: // while it writes
		tries := 0
		s.update(func() { tries = s.tries })
		s.wait(ctx, func() bool { return s.tries > tries })
		time.Sleep(upTo(rnd, 30*time.Millisecond))
		if procs := s.living(); len(procs) > 0 && rnd.IntN(4) == 0 {
			kill(procs[rnd.IntN(len(procs))])
		} else {
			kill(ownerOrAny())
		}
	case n < 9: // while the next one takes over
		kill(s.owner())
		time.Sleep(upTo(rnd, 60*time.Millisecond))
		kill(ownerOrAny())
	default: // while the first one opens the store
		s.pause()
		s.resume()
		s.wait(ctx, func() bool { return len(s.procs) > 0 })
		time.Sleep(upTo(rnd, 120*time.Millisecond))
		kill(ownerOrAny())
	}
	return killed
}

// upTo returns a random time below d.
func upTo(rnd *rand.Rand, d time.Duration) time.Duration { return time.Duration(rnd.Int64N(int64(d))) }
