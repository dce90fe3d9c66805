//go:build linux || darwin || freebsd

package main

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

// crashKiller kills.
type crashKiller struct {
	s      *crashSite
	t      *testing.T
	rnd    *rand.Rand
	killed int
}

// crashGoOn is how long those that are left, and those that are started again, may take until all of them
// work.
const crashGoOn = 30 * time.Second

// round waits until all work, and kills at a moment of its choice.
func (k *crashKiller) round(ctx context.Context) {
	k.work(ctx)
	switch n := k.rnd.IntN(100); {
	case n < 50:
		k.writing(ctx)
	case n < 65:
		k.takeover(ctx)
	case n < 80:
		k.opening(ctx)
	case n < 90:
		k.job(ctx)
	default:
		k.pause(0, 300)
		k.kill(k.any(), "between")
	}
}

// work waits until every place has a process that takes part, and writes are acknowledged.
func (k *crashKiller) work(ctx context.Context) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, crashGoOn)
	defer cancel()
	k.s.mu.Lock()
	acks := k.s.acks
	k.s.mu.Unlock()
	all := func() bool {
		ready := 0
		for _, p := range k.s.procs {
			if p.kind != crashCommand && p.isReady() {
				ready++
			}
		}
		return ready == k.s.servers+k.s.terminals && k.s.acks >= acks+3
	}
	if !k.s.wait(ctx, all) && k.t.Context().Err() == nil {
		for _, p := range k.s.living() {
			k.t.Logf("%s %s, process %d, since %v, ready: %v", p.kind, p.slot, p.cmd.Process.Pid, time.Since(p.began), p.isReady())
		}
		k.t.Fatalf("not all work again after %v; %s", crashGoOn, k.s.summary())
	}
}

// pause lets a random part of some milliseconds go by.
func (k *crashKiller) pause(from, to int) {
	time.Sleep(time.Duration(from)*time.Millisecond + upTo(k.rnd, time.Duration(to-from)*time.Millisecond))
}

func (k *crashKiller) kill(p *crashProc, moment string) {
	if k.s.kill(p, moment) {
		k.killed++
	}
}

// any returns a process; in one of three cases the owner of the store.
func (k *crashKiller) any() *crashProc {
	if p := k.s.owner(); p != nil && k.rnd.IntN(3) == 0 {
		return p
	}
	procs := k.s.living()
	if len(procs) == 0 {
		return nil
	}
	return procs[k.rnd.IntN(len(procs))]
}

// writing kills a process, usually the owner of the store, in the first milliseconds of a write.
func (k *crashKiller) writing(ctx context.Context) {
	p := k.s.owner()
	if p == nil || k.rnd.IntN(4) == 0 {
		p = k.any()
	}
	k.s.mu.Lock()
	tries := k.s.tries
	k.s.mu.Unlock()
	k.s.wait(ctx, func() bool { return k.s.tries > tries })
	if k.rnd.IntN(3) > 0 {
		k.pause(0, 5)
	} else {
		k.pause(0, 30)
	}
	k.kill(p, "writing")
}

// takeover kills the owner of the store, and then the next owner.
func (k *crashKiller) takeover(context.Context) {
	k.kill(k.s.owner(), "writing")
	k.pause(0, 60)
	p := k.s.owner()
	if p == nil {
		p = k.any()
	}
	k.kill(p, "taking over")
}

// opening kills all processes, and then the first one that opens the store.
func (k *crashKiller) opening(ctx context.Context) {
	k.s.pause()
	k.s.resume()
	k.s.wait(ctx, func() bool { return len(k.s.procs) > 0 })
	k.pause(0, 120)
	p := k.s.owner()
	if p == nil {
		p = k.any()
	}
	k.kill(p, "opening")
}

// job kills somebody while the whole store is read.
func (k *crashKiller) job(ctx context.Context) {
	find := func() (job *crashProc) {
		for _, p := range k.s.procs {
			if p.slot == "backup" || p.slot == "doctor" {
				job = p
			}
		}
		return job
	}
	late, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var job *crashProc
	if !k.s.wait(late, func() bool { job = find(); return job != nil }) {
		return // none was run meanwhile
	}
	k.pause(0, 150)
	if k.rnd.IntN(2) == 0 {
		job = k.s.owner()
	}
	k.kill(job, "checking or backing up")
}
