package index

import (
	"encoding/hex"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"bugle/engine"
	"bugle/engine/catalog"
)

// snapshot is the index at one moment. It is immutable.
type snapshot struct {
	epoch   uint64
	blocks  []*block
	n       int // slots
	alive   []uint64
	live    int
	values  [facets]values
	runs    runs
	tags    [][]uint32 // sets
	plats   [][]uint32 // sets
	strings []string
	extras  []extra
	nested  *roaring.Bitmap // nodes of flows and children of campaigns
	// The states are valid at or after from and before until; a zero time is no bound.
	from, until time.Time
}

// publish returns the current state of the index.
func (w *writer) publish() *snapshot {
	s := &snapshot{
		epoch: w.epoch, n: w.n, alive: w.alive, live: w.live, tags: w.tagSets.lists, plats: w.platformSets.lists,
		strings: w.strings.texts, extras: w.extras, from: w.from, until: w.until(),
	}
	w.own = false
	s.nested = w.nested.publish().rows[inFamily]
	s.blocks = make([]*block, len(w.blocks))
	copy(s.blocks, w.blocks)
	if k := len(s.blocks) - 1; k >= 0 {
		last := *w.blocks[k] // the one that grows
		s.blocks[k] = &last
	}
	s.runs = runs{w.lexicon.runs.publish(), w.lexicon.lead.publish(), w.lexicon.full}
	for i, d := range w.dicts {
		s.values[i] = d.publish()
	}
	return s
}

// current reports whether the states are valid at a time.
func (s *snapshot) current(now time.Time) bool {
	return !now.Before(s.from) && (s.until.IsZero() || now.Before(s.until))
}

func (s *snapshot) at(slot uint32) (*block, int) {
	return s.blocks[slot/blockRows], int(slot % blockRows)
}

func (s *snapshot) record(slot uint32) *record {
	b, i := s.at(slot)
	return &b.records[i]
}

func (s *snapshot) text(id ident) string {
	if id.other {
		return s.strings[id.number()]
	}
	return hex.EncodeToString(id.bytes[:])
}

// campaignOf returns the id of the campaign that a row is a version of.
func (s *snapshot) campaignOf(r *record) string {
	if r.campaign == 0 {
		return s.text(r.id)
	}
	return s.strings[r.campaign-1]
}

// head returns the head of a row as stored.
func (s *snapshot) head(slot uint32) engine.Head {
	b, i := s.at(slot)
	r := &b.records[i]
	e := &s.extras[r.extra]
	v := &s.values
	h := engine.Head{
		ID: s.text(r.id), Version: int(r.version), Revision: r.revision,
		Status: catalog.State(v[statuses].texts[r.status]), Channel: catalog.Channel(v[channels].texts[r.channel]),
		DeliveryType: catalog.DeliveryType(v[kinds].texts[r.kind]),
		CreatedBy:    v[people].texts[r.by], UpdatedBy: v[people].texts[r.updatedBy],
		CreatedAt: b.times[created].at(i), UpdatedAt: b.times[updated].at(i), SentTime: b.times[sent].at(i),
		FlowID: e.flowID, FlowName: e.flowName, ParentID: e.parentID, RejectionComment: e.rejection,
	}
	if h.CampaignID = h.ID; r.campaign != 0 {
		h.CampaignID = s.strings[r.campaign-1]
	}
	return h
}

// row returns a row as stored.
func (s *snapshot) row(slot uint32) engine.Summary {
	b, i := s.at(slot)
	r := &b.records[i]
	v := &s.values
	return engine.Summary{
		Head: s.head(slot),
		Name: b.name(i), Team: v[teams].texts[r.team],
		Tags: texts(v[tags], s.tags[r.tags]), Platforms: texts(v[platforms], s.plats[r.platforms]),
		Start: b.times[start].at(i), End: b.times[end].at(i), AllUsers: r.allUsers,
	}
}
