//go:build linux || darwin || freebsd

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// crashLine is one line of a worker's journal: what it is about to try, and what became of it. The
// line of an attempt is written before the call, that of its outcome after the answer.
type crashLine struct {
	What  string       `json:"what"` // ready, try, done, no (refused), lost (no response, or an inconclusive one), read
	Op    string       `json:"op,omitempty"`
	Name  string       `json:"name,omitempty"` // of the campaign, unique from its creation on; of a record
	ID    string       `json:"id,omitempty"`
	Rev   int64        `json:"rev,omitempty"` // that a save began from, or made
	Join  bool         `json:"join,omitempty"`
	Sum   string       `json:"sum,omitempty"` // of the body or the value
	State engine.State `json:"state,omitempty"`
	To    []string     `json:"to,omitempty"`   // recipients of a test, each used by one test alone
	Sent  []string     `json:"sent,omitempty"` // its keys whose messages all left
	Key   string       `json:"key,omitempty"`
	Code  int          `json:"code,omitempty"` // HTTP
	Err   string       `json:"err,omitempty"`
}

// sumOf returns a hash of a body, byte for byte.
func sumOf(v doc.Value) string {
	h := sha256.Sum256(v.Encode())
	return hex.EncodeToString(h[:12])
}

// crashCampaign is what its writers have reported of a campaign.
type crashCampaign struct {
	name  string
	id    string // empty until somebody knows it
	made  bool   // acknowledged
	dirty bool   // since it was last looked at

	// The number of its revisions is from low, those that were acknowledged, to high, those that
	// were tried and not refused.
	low, high int64
	bodies    map[string]bool       // that were ever tried
	states    map[engine.State]bool // as well
	saved     map[int64]string      // bodies of revisions whose number was acknowledged
	joins     map[int64]bool        // revisions after which the one before may be gone
	sum       string                // the body that was acknowledged last
	state     engine.State          // as well

	deleting, deleted bool
	copy              crashCell
}

// crashCell is a value that is replaced as a whole.
type crashCell struct {
	value string
	open  []string // tried since, with an outcome that is not known
}

func (c *crashCell) try(v string) { c.open = append(c.open, v) }

func (c *crashCell) done(v string) { c.value, c.open = v, nil }

func (c *crashCell) allows(v string) bool {
	for _, o := range c.open {
		if o == v {
			return true
		}
	}
	return v == c.value
}

// crashTest is a test send.
type crashTest struct {
	to       []string
	keys     map[string]bool // whose messages all left, where acknowledged
	answered bool
	request  string // its request id, where it has one
}

// crashAnswer is an acknowledged call over HTTP, which must be answered alike ever after.
type crashAnswer struct {
	method, path, body, key, request string
	status                           int
	answer                           string
}

// crashModel is all that was tried and acknowledged. It is safe for concurrent use.
type crashModel struct {
	mu        sync.Mutex
	campaigns map[string]*crashCampaign
	records   map[string]*crashCell // profiles and settings
	tests     map[string]*crashTest // by recipient
	answers   []*crashAnswer
	wrong     []string // what contradicts the promises
	counts    map[string]int
	oddities  map[string]int // answers that tell nothing
}

func newCrashModel() *crashModel {
	return &crashModel{
		campaigns: map[string]*crashCampaign{}, records: map[string]*crashCell{}, tests: map[string]*crashTest{},
		counts: map[string]int{}, oddities: map[string]int{},
	}
}

// fault notes a broken promise. The lock is held.
func (m *crashModel) fault(format string, args ...any) {
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

func (m *crashModel) report(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault(format, args...)
}

func (m *crashModel) count(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[what]++
}

func (m *crashModel) counted(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[what]
}

// output takes a line of a journal in.
func (m *crashModel) heard(l crashLine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch l.What {
	case "try":
		m.counts["tried"]++
		m.try(l)
	case "done":
		m.counts["acknowledged"]++
		m.counts["acknowledged "+l.Op]++
		m.done(l)
	case "no":
		m.counts["refused"]++
		m.refused(l)
	case "lost":
		m.counts["unanswered"]++
		m.oddity(l.Op + ": " + l.Err)
	case "read":
		m.read(l)
	}
}

// unanswered are the valid reasons for an inconclusive response.
var unanswered = []string{
	"it was killed", "it was not begun",
	"the bugle process that was sending this test quit before it finished",
	"while it was read; try again",
}

// oddity records an inconclusive response, which must state its reason. The caller holds the lock.
func (m *crashModel) oddity(text string) {
	m.oddities[text]++
	if !slices.ContainsFunc(unanswered, func(why string) bool { return strings.Contains(text, why) }) {
		m.fault("no answer: %s", text)
	}
}

func (m *crashModel) campaign(name string) *crashCampaign {
	c := m.campaigns[name]
	if c == nil {
		c = &crashCampaign{name: name, bodies: map[string]bool{}, states: map[engine.State]bool{}, saved: map[int64]string{}, joins: map[int64]bool{}}
		m.campaigns[name] = c
	}
	c.dirty = true
	return c
}

func (m *crashModel) record(name string) *crashCell {
	if m.records[name] == nil {
		m.records[name] = &crashCell{}
	}
	return m.records[name]
}

func (m *crashModel) try(l crashLine) {
	switch l.Op {
	case "record":
		m.record(l.Name).try(l.Sum)
	case "test":
		t := &crashTest{to: l.To, request: l.Key}
		for _, to := range l.To {
			m.tests[to] = t
		}
	case "copy":
		m.campaign(l.Name).copy.try(l.Sum)
	case "delete":
		m.campaign(l.Name).deleting = true
	default:
		c := m.campaign(l.Name)
		c.high++
		if l.Sum != "" {
			c.bodies[l.Sum] = true
		}
		if l.State != "" {
			c.states[l.State] = true
		}
		if l.Join {
			c.joins[l.Rev+1] = true
		}
	}
}

func (m *crashModel) done(l crashLine) {
	switch l.Op {
	case "record":
		m.record(l.Name).done(l.Sum)
	case "test":
		t := m.tests[l.To[0]]
		t.answered, t.keys = true, map[string]bool{}
		for _, key := range l.Sent {
			t.keys[key] = true
		}
	case "copy":
		m.campaign(l.Name).copy.done(l.Sum)
	case "delete":
		m.campaign(l.Name).deleted = true
	case "create":
		c := m.campaign(l.Name)
		if c.id != "" && c.id != l.ID {
			m.fault("%s was acknowledged as %s and as %s", l.Name, c.id, l.ID)
		}
		c.id, c.made = l.ID, true
		c.low++
		c.moved(l)
	default:
		c := m.campaign(l.Name)
		if c.low++; l.Rev > 0 { // a save reports its revision number
			c.low, c.high = l.Rev, l.Rev
			c.saved[l.Rev] = l.Sum
		}
		c.moved(l)
	}
}

// moved notes where an acknowledged write has left the campaign.
func (c *crashCampaign) moved(l crashLine) {
	if l.Sum != "" {
		c.sum = l.Sum
	}
	// A stop that is answered late, as its answer was lost at first, may have been seen and followed by
	// the archive: nothing comes after that.
	if l.State != "" && c.state != catalog.Archived {
		c.state = l.State
	}
}

// allowed are the refusals that can come, by operation: somebody who was killed may have done it, or may
// still be doing it.
var allowed = map[string]int{"save": 409, "archive": 422}

func (m *crashModel) refused(l crashLine) {
	if allowed[l.Op] != l.Code {
		m.fault("%s of %s (%s) was refused with %d: %s", l.Op, l.Name, l.ID, l.Code, l.Err)
	}
	switch l.Op {
	case "save", "archive":
		m.campaign(l.Name).high--
	}
}

// read compares what a worker found with what was acknowledged before.
func (m *crashModel) read(l crashLine) {
	c := m.campaigns[l.Name]
	switch {
	case c == nil:
		m.fault("%s (%s) is there, and nobody tried to make it", l.Name, l.ID)
	case !c.bodies[l.Sum]:
		m.fault("%s (%s) has a body that nobody wrote", l.Name, l.ID)
	case l.Rev < c.low || l.Rev > c.high:
		m.fault("%s (%s) has revision %d, and %d to %d were written", l.Name, l.ID, l.Rev, c.low, c.high)
	default:
		m.counts["reads"]++
	}
}

// allows reports whether the campaign, which has so many revisions, can be like that: where they are
// those that were acknowledged, only as the last of them left it.
func (c *crashCampaign) allows(revisions int64, sum string, state engine.State) bool {
	if c.made && revisions == c.low {
		return sum == c.sum && state == c.state
	}
	return c.bodies[sum] && c.states[state]
}
