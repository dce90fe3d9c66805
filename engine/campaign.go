package engine

import (
	"slices"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Head is what a campaign record says beside its components (CONTRACT.md,
// Records). Times are UTC; zero where they have not happened.
type Head struct {
	ID         string // 24-character ObjectId, one per version
	CampaignID string // shared by all versions
	Version    int    // version_number; 0 while versioning is off

	Status       State
	Channel      Channel
	DeliveryType DeliveryType

	CreatedBy, UpdatedBy string
	CreatedAt, UpdatedAt time.Time
	SentTime             time.Time

	FlowID, FlowName string
	ParentID         string
	RejectionComment string

	// Revision counts the saves of this document. It is local, and no part of the record.
	Revision int64
}

// Campaign is one campaign document: its head, and everything else as it came.
type Campaign struct {
	Head
	// Body is an object of the components, and of members that no table knows, in their order.
	Body doc.Value
}

// With returns the campaign with another body.
func (c Campaign) With(body doc.Value) Campaign {
	c.Body = body
	return c
}

// Document returns the campaign as the tables see it: channel, delivery type and people, then
// the body, without members of the head that could not be read.
func (c Campaign) Document() doc.Value {
	ms := []doc.Member{
		textMember(fChannel, string(c.Channel)), textMember(fDeliveryType, string(c.DeliveryType)),
		textMember(fCreatedBy, c.CreatedBy), textMember(fUpdatedBy, c.UpdatedBy),
	}
	for name := range c.Body.Members() {
		if isResponseOnly(name) || name == fStatus {
			c.Body = c.Body.Delete(doc.P(name))
		}
	}
	return c.with(ms)
}

func (c Campaign) with(head []doc.Member) doc.Value {
	for name, v := range c.Body.Members() {
		head = append(head, doc.M(name, v))
	}
	return doc.NewObject(head...)
}

func textMember(name, s string) doc.Member {
	if s == "" {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(s))
}

func timeMember(name string, t time.Time) doc.Member {
	if t.IsZero() {
		return doc.Member{}
	}
	return doc.M(name, doc.NewString(t.UTC().Format(time.RFC3339)))
}

// Summary is a campaign as lists, search, facets and meta see it: a small row that is kept
// beside the document and changes with it.
type Summary struct {
	Head
	Name      string
	Team      string
	Tags      []string
	Platforms []string
	// Start and End are when the schedule begins and when it is over (expiry, or the last
	// occurrence); zero where there is none. The state follows the clock by them.
	Start, End time.Time
	// AllUsers says that the campaign is for everybody.
	AllUsers bool
}

// DocumentBody returns the body of a document as [Campaign.Document] shows it: all but the head.
func DocumentBody(document doc.Value) doc.Value {
	var ms []doc.Member
	for name, v := range document.Members() {
		if !IsHeadField(name) {
			ms = append(ms, doc.M(name, v))
		}
	}
	return doc.NewObject(ms...)
}

// UpdateBody returns the body of an update request that changes components of a campaign. What only
// responses have is left out of them.
func UpdateBody(h Head, by string, components ...doc.Member) doc.Value {
	ms := []doc.Member{textMember(fChannel, string(h.Channel)), textMember(fDeliveryType, string(h.DeliveryType)), textMember(fUpdatedBy, by)}
	return doc.NewObject(append(ms, requestMembers(h.Channel, components)...)...)
}

// RequestBody returns the body of a create or update request without what only responses have.
func RequestBody(body doc.Value) doc.Value {
	if body.Kind() != doc.Object {
		return body
	}
	ch := Channel(body.Get(fChannel).Text())
	out := body
	for name, v := range body.Members() {
		at := doc.P(name)
		switch as := catalog.InRequest(ch, catalog.Component(name), v); {
		case isResponseOnly(name), name == fStatus && slices.Contains(catalog.States, State(v.Text())):
			out = out.Delete(at)
		case !as.Same(v):
			out, _ = out.Set(at, as) // the member is there
		}
	}
	return out
}

// requestMembers returns members of a record as a request has them: without the head, and without what only
// responses have.
func requestMembers(ch Channel, components []doc.Member) []doc.Member {
	var out []doc.Member
	for _, m := range components {
		if !IsHeadField(m.Name) {
			m.Value = catalog.InRequest(ch, catalog.Component(m.Name), m.Value)
			out = append(out, m)
		}
	}
	return out
}

// CheckTime returns what a publish check of the campaign takes as now: zero once it is published,
// for its start is no longer to come.
func (h Head) CheckTime(now time.Time) time.Time {
	if h.Status != catalog.Draft {
		return time.Time{}
	}
	return now
}
