package engine

import (
	"context"
	"slices"
	"time"

	"bugle/engine/doc"
)

// The interfaces below are what only some services can do. A caller asks for one with a type
// assertion, and says why where it is not there.

// Lister lists summaries for a terminal, without pages.
type Lister interface {
	// List returns the campaigns that match, newest change first.
	List(ctx context.Context, q ListQuery) ([]Summary, error)
}

// ListQuery narrows a list. The zero query gives all but the archived.
type ListQuery struct {
	Archived bool // archived campaigns too
}

// DraftSaver saves documents that are being built, valid or not.
type DraftSaver interface {
	// Save stores the body of a draft as it is, and returns the new head. Where the document was
	// changed by someone else since r.Revision it fails with [BadRequest], HTTP 409.
	Save(ctx context.Context, r SaveRequest) (Head, error)
}

// SaveRequest is one save of a draft.
type SaveRequest struct {
	ID       string
	Revision int64 // of the head that the edits started from
	Body     doc.Value
	By       string // email address
	Note     string // what changed, for the history; may be empty
	// Coalesce replaces the newest revision instead of adding one: saves while a person types
	// in one field are one step of the history.
	Coalesce bool
}

// WorkingCopyStore keep edits of a campaign that cannot be saved in place (a live one) until they
// are applied or dropped. They survive a crash.
type WorkingCopyStore interface {
	PutWorkingCopy(ctx context.Context, id string, w WorkingCopy) error
	// WorkingCopy returns the kept edits; false where there are none.
	WorkingCopy(ctx context.Context, id string) (WorkingCopy, bool, error)
	DeleteWorkingCopy(ctx context.Context, id string) error
}

// WorkingCopy is a campaign's body with edits that are not applied yet.
type WorkingCopy struct {
	Base   int64     // the revision that the edits started from
	Origin doc.Value // the body that they started from; absent where it is not known
	Body   doc.Value // with the edits
	At     time.Time
}

// RevisionReader reads earlier revisions of a document.
type RevisionReader interface {
	// Revisions returns when, by whom and why each was saved, newest first.
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

// CampaignManager moves campaigns in and out of sight (CONTRACT.md, States).
type CampaignManager interface {
	Archive(ctx context.Context, id, by string) error
	Restore(ctx context.Context, id, by string) error
	// Delete removes a draft for good.
	Delete(ctx context.Context, id string) error
	// Clone starts a draft with the components of another campaign.
	Clone(ctx context.Context, id, by string) (Created, error)
}

// OutboxReader reads what test sends delivered into the local outbox.
type OutboxReader interface {
	// Outbox returns the messages, newest first, at most limit of them; 0 means all.
	Outbox(ctx context.Context, limit int) ([]OutboxMessage, error)
	ClearOutbox(ctx context.Context) error
}

// OutboxMessage is one message in the outbox.
type OutboxMessage struct {
	ID         string
	At         time.Time
	CampaignID string // empty for an inline test
	Campaign   string // its name
	Channel    Channel
	Key        string // {PLATFORM}_{locale}_{variation}
	Recipient  string // as the tester named it
	As         string // whose data it has, if not the recipient's own: [TestPersona.String]
	Connector  string
	Email      *EmailMessage
	Push       *PushMessage
}

// EmailMessage is a rendered email.
type EmailMessage struct {
	From, FromName, ReplyTo, To string
	Cc, Bcc                     []string
	Subject, PreviewText        string
	HTML, Text                  string
	Attachments                 []string // their names
}

// PushMessage is a rendered push notification.
type PushMessage struct {
	Platform, Token string
	Title, Body     string
	Headers         map[string]string // what a gateway is told beside the payload, such as its time to live; may be nil
	Payload         doc.Value         // all of it, as a gateway would get it
}

// IsExternal reports whether others run the service. It may then know names and values that the tables
// do not, and what it returned is not held against them (see [schema.Env.Record]).
func IsExternal(s Service) bool {
	_, ours := s.(WorkspaceStore)
	return !ours
}

// WorkspaceStore reads and changes the workspace's settings.
type WorkspaceStore interface {
	Workspace(ctx context.Context) (Workspace, error)
	// UpdateWorkspace applies change to the settings in one transaction; an error from change
	// leaves them as they were.
	UpdateWorkspace(ctx context.Context, change func(*Workspace) error) error
}

// UserStore reads and changes the workspace's user profiles.
type UserStore interface {
	// Users returns at most limit profiles whose id or attributes contain text, by id.
	Users(ctx context.Context, text string, limit int) ([]User, error)
	User(ctx context.Context, id string) (User, error)
	PutUser(ctx context.Context, p User) error
	DeleteUser(ctx context.Context, id string) error
}

// TestHistory remembers the test sends of a workspace.
type TestHistory interface {
	// Tests returns the newest test sends, of one campaign where id is not empty.
	Tests(ctx context.Context, id string, limit int) ([]TestRecord, error)
	// Recipients returns the identifier values used last, newest first.
	Recipients(ctx context.Context, channel Channel, identifier string, limit int) ([]string, error)
}

// TestRecord is one test send that ran.
type TestRecord struct {
	At         time.Time
	CampaignID string
	Body       doc.Value    // the request
	As         *TestPersona // whose data its messages had; nil for the recipients' own
	Result     TestResult
}

// Ask returns what the test asked for. What the request has of a persona's data is not among its attributes.
func (t TestRecord) Ask() TestSend {
	out := ParseTestSend(t.Body)
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
	// Connection returns how the way to the service stands now.
	Connection() Connection
	// CancelWaits ends every wait that there is now: those calls fail, and say why.
	CancelWaits()
	// Quotas returns what is left of the service's limits, as far as this caller has used them;
	// nothing where it keeps to none.
	Quotas() []Quota
}

// Connection is how the way to a service stands.
type Connection struct {
	// OfflineSince is when the service could not be reached any more; zero while it can be. As long, what
	// was read before is given again, and nothing is written.
	OfflineSince time.Time
	Reason       string // why it cannot be reached, as a clause
	Waits        []Wait // those that go on, the one that ends first at the beginning
}

// Wait is a call that waits before it is sent, for the first time or again.
type Wait struct {
	Operation string // create, get, update, validate, status, search, meta, test or preview
	Why       string // one clause, such as "the service asked to wait"
	For       time.Duration
	Until     time.Time
}

// Quota is how much of one limit is left (CONTRACT.md, Limits).
type Quota struct {
	Operation string // that is counted; empty: campaigns that were made
	Limit     int    // in any Per
	Window    time.Duration
	Remaining int
	NextAt    time.Time // when the next one is given back; zero where none is used
}

// Name says what is counted, in a word or two.
func (q Quota) Name() string {
	if q.Operation == "" {
		return "new campaigns"
	}
	return q.Operation
}

// Unit names the length of the window: second, minute, hour or day.
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
