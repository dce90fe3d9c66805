package engine

import (
	"slices"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Head holds the fields of a campaign record other than its components (CONTRACT.md, Records). Times are in
// UTC, and zero for what has not happened. The names of its fields are those of stored records, of which there are many.
type Head struct {
	ID         string `json:"id"`            // 24-character ObjectId, one per version
	CampaignID string `json:"cid,omitempty"` // shared by all versions
	Version    int    `json:"v,omitempty"`   // version_number; 0 if versioning is off

	Status       State        `json:"st,omitempty"`
	Channel      Channel      `json:"ch,omitempty"`
	DeliveryType DeliveryType `json:"dt,omitempty"`

	CreatedBy string    `json:"cby,omitempty"`
	UpdatedBy string    `json:"uby,omitempty"`
	CreatedAt time.Time `json:"cat,omitzero"`
	UpdatedAt time.Time `json:"uat,omitzero"`
	SentTime  time.Time `json:"sent,omitzero"`

	FlowID           string `json:"flow,omitempty"`
	FlowName         string `json:"flown,omitempty"`
	ParentID         string `json:"par,omitempty"`
	RejectionComment string `json:"rej,omitempty"`

	// Revision counts the saves of this document. It is local and not part of the record.
	Revision int64 `json:"rev"`
}

// Campaign is one campaign document: its head, and the rest as it was received.
type Campaign struct {
	Head
	// Body is an object with the components and with unknown fields, in their original order.
	Body doc.Value
	// ETag is the entity tag that another service sent with the record, where it has no [Head.Revision].
	ETag string
}

// With returns the campaign with another body.
func (c Campaign) With(body doc.Value) Campaign {
	c.Body = body
	return c
}

// Document returns the campaign in the form that the tables describe: channel, delivery type, creator and
// updater, then the body without unreadable head fields.
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

// Summary is the row of a campaign in lists, search, facets and meta. It is stored beside the document and
// updated with it.
type Summary struct {
	Head
	Name      string   `json:"name,omitempty"`
	Team      string   `json:"team,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Platforms []string `json:"pl,omitempty"`
	// Start and End are the start and the end of the schedule (its expiry or last occurrence), or zero. The
	// clock changes the state at these times.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
	// AllUsers reports that the campaign is sent to all users.
	AllUsers bool `json:"all,omitempty"`
}

// DocumentBody returns a document, as [Campaign.Document] returns it, without the head.
func DocumentBody(document doc.Value) doc.Value {
	var ms []doc.Member
	for name, v := range document.Members() {
		if !IsHeadField(name) {
			ms = append(ms, doc.M(name, v))
		}
	}
	return doc.NewObject(ms...)
}

// UpdateBody returns the body of an update request for components of a campaign, without response-only fields
// and values.
func UpdateBody(h Head, by string, components ...doc.Member) doc.Value {
	ms := []doc.Member{textMember(fChannel, string(h.Channel)), textMember(fDeliveryType, string(h.DeliveryType)), textMember(fUpdatedBy, by)}
	return doc.NewObject(append(ms, requestMembers(h.Channel, components)...)...)
}

// RequestBody returns the body of a create or update request without response-only fields and values.
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

// InRequest returns the campaign with its components as a request has them, without response-only fields and values.
func (c Campaign) InRequest() Campaign {
	var components []doc.Member
	for name, v := range c.Body.Members() {
		components = append(components, doc.M(name, v))
	}
	c.Body = doc.NewObject(requestMembers(c.Channel, components)...)
	return c
}

// requestMembers returns the fields of a record that belong in a request: without head fields and
// response-only fields.
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

// CheckTime returns the time that a publish check of the campaign uses as now: zero if the campaign has started,
// because its start is in the past then.
func (h Head) CheckTime(now time.Time) time.Time {
	if !catalog.StartAhead(h.Status) {
		return time.Time{}
	}
	return now
}

// ChangeProblems checks a changed campaign before the change is applied: it returns the problems of the publish stage,
// notices among them. [Invalid] turns them into an error, which is nil if the change may be applied. Problems at what the
// state locks are left out, because no change makes or repairs them. Those that env.Record has as well are notices,
// because the service that returned it took them. A draft has none: it is checked when it is published. env is that of the
// workspace, with the current time; its stage does not matter.
func (c Campaign) ChangeProblems(env schema.Env) []schema.Problem {
	if c.Status == catalog.Draft {
		return nil
	}
	env.Stage, env.Now = schema.Publish, c.CheckTime(env.Now)
	table, root, locks := catalog.Campaign(c.Channel), c.Document(), catalog.Locked(c.Status)
	taken := map[string]bool{}
	if env.Record.Exists() {
		for _, p := range table.Validate(env.Record, env) {
			taken[p.Rule+p.Path.String()] = same(env.Record.Lookup(p.Path), root.Lookup(p.Path))
		}
	}
	var out []schema.Problem
	for _, p := range table.Validate(root, env) {
		if taken[p.Rule+p.Path.String()] {
			p.Severity = schema.Notice
		}
		if !slices.ContainsFunc(locks, func(l catalog.Lock) bool { return p.Path.HasPrefix(l.Path) }) {
			out = append(out, p)
		}
	}
	return out
}
