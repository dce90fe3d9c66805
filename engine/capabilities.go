package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"bugle/engine/doc"
	"bugle/engine/message/delivery"
)

// The interfaces below are what only some services can do. A caller asks for one with a type
// assertion, and explains why if it is missing.

// Lister lists summaries without paging.
type Lister interface {
	// List returns the matching campaigns, last changed first.
	List(ctx context.Context, q ListQuery) ([]Summary, error)
}

// List lists the campaigns of a service, or fails if that is no [Lister].
func List(ctx context.Context, svc Service, q ListQuery) ([]Summary, error) {
	lister, ok := svc.(Lister)
	if !ok {
		return nil, errors.New("this service cannot list its campaigns")
	}
	return lister.List(ctx, q)
}

// ListQuery filters a list. Empty fields select everything but archived campaigns.
type ListQuery struct {
	Archived bool // include archived campaigns
	Channels []Channel
	Status   []State
	// Start selects the campaigns that start then, each with the start of its [Summary].
	Start DateRange
}

// KeyUser stores when API keys were used.
type KeyUser interface {
	// NoteKeyUse stores that a key was used, which matters once in [KeyUseInterval]. A key that is gone is no error.
	NoteKeyUse(ctx context.Context, id string, at time.Time) error
}

// DraftSaver saves drafts that may be invalid.
type DraftSaver interface {
	// Save stores the body of a draft, valid or not, and returns the new head. It fails with [BadRequest],
	// HTTP 409, if the draft was changed since r.Revision.
	Save(ctx context.Context, r SaveRequest) (Head, error)
}

// SaveRequest saves a draft.
type SaveRequest struct {
	ID       string
	Revision int64 // of the head that the edits started from
	Body     doc.Value
	By       string // email address
	Note     string // what changed, for the history; may be empty
	// Coalesce replaces the newest revision instead of adding one, so that typing in one field creates one
	// revision.
	Coalesce bool
}

// WorkingCopyStore stores edits of a campaign that cannot be saved in place, such as those of a live
// campaign, until they are applied or discarded. They survive a crash.
type WorkingCopyStore interface {
	PutWorkingCopy(ctx context.Context, id string, w WorkingCopy) error
	// WorkingCopy returns the stored edits, or false if there are none.
	WorkingCopy(ctx context.Context, id string) (WorkingCopy, bool, error)
	DeleteWorkingCopy(ctx context.Context, id string) error
}

// WorkingCopy is a campaign's body with edits that are not applied yet.
type WorkingCopy struct {
	Base   int64     // the revision that the edits started from
	Origin doc.Value // the body that they started from; absent if unknown
	Body   doc.Value // with the edits
	At     time.Time
}

// RevisionReader reads earlier revisions of a document.
type RevisionReader interface {
	// Revisions returns the saves of a document (time, author and note), newest first.
	Revisions(ctx context.Context, id string) ([]Revision, error)
	Revision(ctx context.Context, id string, n int64) (Campaign, error)
}

// Revision is one save in a document's history.
type Revision struct {
	N    int64     `json:"n"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
	Note string    `json:"note,omitempty"`
	Size int       `json:"size"` // bytes of the document
}

// CampaignManager archives, restores, deletes and clones campaigns (CONTRACT.md, States).
type CampaignManager interface {
	Archive(ctx context.Context, id, by string) error
	Restore(ctx context.Context, id, by string) error
	// Delete deletes a draft permanently.
	Delete(ctx context.Context, id string) error
	// Clone creates a draft with the components of another campaign.
	Clone(ctx context.Context, id, by string) (Created, error)
}

// OutboxReader reads the messages that test sends delivered to the local outbox.
type OutboxReader interface {
	// Outbox returns at most limit messages, newest first; a limit of 0 means all.
	Outbox(ctx context.Context, limit int) ([]OutboxMessage, error)
	ClearOutbox(ctx context.Context) error
}

// OutboxMessage is one message in the outbox.
type OutboxMessage struct {
	ID         string        `json:"id"`
	At         time.Time     `json:"at,omitzero"`
	CampaignID string        `json:"campaign_id,omitempty"` // empty for an inline test
	Campaign   string        `json:"campaign,omitempty"`    // its name
	Channel    Channel       `json:"channel,omitempty"`
	Key        string        `json:"key,omitempty"`       // {PLATFORM}_{locale}_{variation}
	Recipient  string        `json:"recipient,omitempty"` // as the tester named it
	As         string        `json:"as,omitempty"`        // whose data it has, if not the recipient's own: [TestPersona.String]
	Connector  string        `json:"connector,omitempty"`
	Email      *EmailMessage `json:"email,omitempty"`
	Push       *PushMessage  `json:"push,omitempty"`
}

// EmailMessage is a rendered email.
type EmailMessage struct {
	From        string   `json:"from,omitempty"`
	FromName    string   `json:"from_name,omitempty"`
	ReplyTo     string   `json:"reply_to,omitempty"`
	To          string   `json:"to,omitempty"`
	Cc          []string `json:"cc,omitempty"`
	Bcc         []string `json:"bcc,omitempty"`
	Subject     string   `json:"subject,omitempty"`
	PreviewText string   `json:"preview_text,omitempty"`
	HTML        string   `json:"html,omitempty"`
	Text        string   `json:"text,omitempty"`
	Attachments []string `json:"attachments,omitempty"` // their names
	// Headers are the others, such as Message-ID once a mail server has it; may be nil.
	Headers map[string]string `json:"headers,omitempty"`
}

// PushMessage is a rendered push notification.
type PushMessage struct {
	Platform string            `json:"platform,omitempty"`
	Token    string            `json:"token,omitempty"`
	Title    string            `json:"title,omitempty"`
	Body     string            `json:"body,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"` // gateway headers, such as the time to live; may be nil
	Payload  doc.Value         `json:"-"`                 // the complete payload for the gateway; a JSON library would change its spelling
}

// IsExternal reports whether the service is run by someone else. Such a service may know names and values
// that the tables do not have, so a check accepts what the service itself returned (see [schema.Env.Record]).
func IsExternal(s Service) bool {
	_, ours := s.(WorkspaceStore)
	return !ours
}

// WorkspaceStore reads and changes the workspace's settings.
type WorkspaceStore interface {
	Workspace(ctx context.Context) (Workspace, error)
	// UpdateWorkspace applies change to the settings in one transaction. If change returns an error, nothing
	// is changed.
	UpdateWorkspace(ctx context.Context, change func(*Workspace) error) error
}

// GatewayOpener opens the push gateways of its workspace.
type GatewayOpener interface {
	// OpenGateway returns the provider of a gateway. It reads the key, if that may be used on this machine, and does not
	// connect.
	OpenGateway(ctx context.Context, g Gateway) (delivery.Sender, error)
}

// UserStore reads and changes the workspace's users.
type UserStore interface {
	// Users returns at most limit users with text in their id or attributes, sorted by id.
	Users(ctx context.Context, text string, limit int) ([]User, error)
	User(ctx context.Context, id string) (User, error)
	PutUser(ctx context.Context, p User) error
	DeleteUser(ctx context.Context, id string) error
}

// TestHistory reads the test sends of a workspace.
type TestHistory interface {
	// Tests returns the newest test sends: of one campaign, or of all if id is empty.
	Tests(ctx context.Context, id string, limit int) ([]TestRecord, error)
	// Recipients returns the identifier values used last, newest first.
	Recipients(ctx context.Context, channel Channel, identifier string, limit int) ([]string, error)
}

// TestRecord is a completed test send.
type TestRecord struct {
	At         time.Time
	CampaignID string
	Body       doc.Value    // the request
	As         *TestPersona // whose data its messages had; nil for the recipients' own
	Copies     bool         // also sent to the addresses in Cc and Bcc
	Result     TestResult
}

// Ask returns what the test asked for. What the request has of a persona's data is not among its attributes.
func (t TestRecord) Ask() TestSend {
	out := ParseTestSend(t.Body)
	out.Copies = t.Copies
	if t.As == nil {
		return out
	}
	out.As = []TestPersona{{ID: t.As.ID, Name: t.As.Name}}
	theirs := func(names []string) func(doc.Member) bool {
		return func(m doc.Member) bool { return slices.Contains(names, m.Name) }
	}
	out.UserAttributes = slices.DeleteFunc(out.UserAttributes, theirs(t.As.UserAttributes))
	out.EventAttributes = slices.DeleteFunc(out.EventAttributes, theirs(t.As.EventAttributes))
	return out
}

// Connected is a service on the other side of a network: it cannot always be reached, and may make its
// callers wait.
type Connected interface {
	// Connection returns the current state of the connection.
	Connection() Connection
	// CancelWaits cancels all current waits. Their calls fail with an error that says so.
	CancelWaits()
	// Quotas returns what this client has left of the service's limits, or nil if it enforces none.
	Quotas() []Quota
}

// Connection is the state of the connection to a service.
type Connection struct {
	// OfflineSince is the time since which the service cannot be reached, or zero while it can be. Meanwhile
	// reads return cached data, and writes fail.
	OfflineSince time.Time
	Reason       string // why the service cannot be reached, as a clause
	Waits        []Wait // the current waits, the one that ends first at the start
}

// Wait is a call that is waiting before its first or its next attempt.
type Wait struct {
	Operation string // create, get, update, validate, status, search, meta, test or preview
	Why       string // one clause, such as "the service asked to wait"
	For       time.Duration
	Until     time.Time
}

// Quota is the remaining part of a limit (CONTRACT.md, Limits).
type Quota struct {
	Operation string // the limited operation; empty for the creation of campaigns
	Limit     int    // the most in any Window
	Window    time.Duration
	Remaining int
	NextAt    time.Time // when the next one becomes available; zero if none is used
}

// Name returns what is counted in one or two words.
func (q Quota) Name() string {
	if q.Operation == "" {
		return "new campaigns"
	}
	return q.Operation
}

// Unit returns the window as a unit: second, minute, hour or day.
func (q Quota) Unit() string {
	switch q.Window {
	case time.Second:
		return "second"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	}
	return q.Window.String()
}
