//go:build linux || darwin || freebsd

package main

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// rotState is the state in which a campaign was read.
type rotState string

const (
	rotRight    rotState = "right"
	rotReported rotState = "reported as damaged"
	rotUnnamed  rotState = "an error that does not name damage"
	rotMissing  rotState = "not found"
	rotOlder    rotState = "an earlier version"
	rotBack     rotState = "there again after it was deleted"
	rotForeign  rotState = "a body that nobody wrote"
	rotLate     rotState = "not answered in time"
)

// rotVersion is one body of a campaign. The times are zero where that has not happened.
type rotVersion struct {
	sum          string
	tried, acked time.Time
}

// rotCampaign is what was tried on one campaign, by one writer at a time.
type rotCampaign struct {
	id, name               string
	versions               []rotVersion // in the order in which they were tried
	deleteTried, deleteAck time.Time
	settled                time.Time // it was reported as lost and repaired: from then on nothing is expected
}

// judge returns the state of a campaign whose body was read between two times. An empty sum means that the
// campaign was not found.
func (c *rotCampaign) judge(sum string, from, to time.Time) rotState {
	latest := -1 // the last version that was acknowledged before
	for i, v := range c.versions {
		if !v.acked.IsZero() && v.acked.Before(from) {
			latest = i
		}
	}
	deleted := !c.deleteAck.IsZero() && c.deleteAck.Before(from)
	deleting := !c.deleteTried.IsZero() && c.deleteTried.Before(to)
	switch {
	case sum == "" && (latest < 0 || deleting):
		return rotRight
	case sum == "":
		return rotMissing
	}
	for i, v := range slices.Backward(c.versions) {
		switch {
		case v.sum != sum || !v.tried.Before(to):
			continue
		case deleted:
			return rotBack
		case i >= latest:
			return rotRight
		}
		return rotOlder
	}
	return rotForeign
}

// rotModel is what was tried and acknowledged on one store. It is safe for concurrent use.
type rotModel struct {
	mu        sync.Mutex
	campaigns map[string]*rotCampaign // by id
	acked     int                     // how many writes were acknowledged
}

func (m *rotModel) clone() *rotModel {
	out := &rotModel{campaigns: map[string]*rotCampaign{}}
	for id, c := range m.campaigns {
		clone := *c
		clone.versions = slices.Clone(c.versions)
		out.campaigns[id] = &clone
	}
	return out
}

// try notes that a version is about to be written.
func (m *rotModel) try(id, name, sum string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.campaigns[id]
	if c == nil {
		c = &rotCampaign{id: id, name: name}
		m.campaigns[id] = c
	}
	c.versions = append(c.versions, rotVersion{sum: sum, tried: at})
}

// done notes that the version that was tried last was acknowledged.
func (m *rotModel) done(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.campaigns[id]
	c.versions[len(c.versions)-1].acked = time.Now()
	m.acked++
}

func (m *rotModel) tryDelete(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.campaigns[id].deleteTried = time.Now()
}

func (m *rotModel) deleted(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.campaigns[id].deleteAck = time.Now()
}

func (m *rotModel) settle(id string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.campaigns[id].settled = at
}

// judge is [rotCampaign.judge] for one of them, which may be unknown.
func (m *rotModel) judge(id, sum string, from, to time.Time) rotState {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.campaigns[id]; c != nil {
		return c.judge(sum, from, to)
	}
	return rotForeign
}

// ids returns the campaigns that are to be judged at a time: all that were not settled before it.
func (m *rotModel) ids(at time.Time) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, id := range slices.Sorted(maps.Keys(m.campaigns)) {
		if c := m.campaigns[id]; c.settled.IsZero() || at.Before(c.settled) {
			out = append(out, id)
		}
	}
	return out
}

// living returns the ids and names of the campaigns that nobody has begun to delete.
func (m *rotModel) living() (ids []string, names map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names = map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(m.campaigns)) {
		if c := m.campaigns[id]; c.deleteTried.IsZero() && c.settled.IsZero() {
			ids, names[id] = append(ids, id), c.name
		}
	}
	return ids, names
}

func (m *rotModel) writes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.acked
}
