// Package store defines the storage interface: the records of workspaces, and the transactions that read and write
// them. The records are campaigns with their summaries and revisions, working copies, users, the outbox, test sends,
// settings, and idempotency keys.
//
// # What happens between a save and the disk
//
// In a folder, the transaction of a save (bugle/store/kv) reads a snapshot and keeps its writes to itself. At its end it
// hands over what it has read, what it writes, and by how much the number of records of each kind changes. One goroutine
// of the store (bugle/store/badger) takes all transactions that wait, refuses those of which something that they have
// read is different by now, which then run again, and writes the rest in one transaction of Badger, which is acknowledged
// after one sync of its log. Badger sorts its log into tables later; they are merged only right after every block of them
// was verified, and where one is damaged, nothing is written any more. A read that damage makes older or shorter is seen,
// because a campaign and its summary have the same revision, and lists are compared with the number of records.
//
// A second process finds the first one's socket in the folder (bugle/store/socket). Its transactions run in the second
// process, which reads the first one's snapshot through the socket and sends its commit there; if the first process dies
// before it has answered, the second looks for the record that the commit would have left, once it has taken over, and
// commits again if there is none.
//
// In a database (bugle/store/postgres), a save is a few rows that are sent with their commit, and PostgreSQL itself orders,
// groups and syncs the commits; other processes learn of it from a table of changes that is read in the order of commits.
package store

import (
	"context"
	"slices"
	"time"

	"bugle/engine"
)

// DB is a store of workspace records. It is safe for concurrent use.
type DB interface {
	// Read runs fn on a snapshot of the store.
	Read(ctx context.Context, fn func(Tx) error) error
	// Write runs fn in one transaction. If another transaction changes what fn has read, or the store has told it what was to
	// be expected and is not so, fn runs again: it must have no effects except on its Tx, and it must not start another Write.
	// If Write returns nil, the changes are durable; if it fails, none of them is stored.
	Write(ctx context.Context, fn func(Tx) error) error
	// Lease returns the id of the lease that marks long-running work of this handle. The handle holds the lease from
	// the first record that is marked with it until the handle is closed or its process dies. If the process is
	// suspended for too long, the lease expires and new work gets another one; see [Idempotency].
	Lease() string
	// Close closes the store. Closing it twice is not an error.
	Close() error
}

// Getter is a [DB] that reads one campaign at less cost than a transaction that reads nothing else.
type Getter interface {
	// Campaign returns a campaign as it is at some moment of the call, see [Campaigns].
	Campaign(ctx context.Context, workspace, id string) (engine.Campaign, error)
}

// Tx is one transaction. It must only be used by the goroutine that runs its function, and ends with it.
type Tx interface {
	// Workspace returns the records of a workspace. Their methods fail if the id is empty or contains spaces or
	// unprintable characters.
	Workspace(workspace string) WorkspaceTx
	// Workspaces returns the ids of the workspaces in the store, sorted.
	Workspaces() ([]string, error)
	// Watch makes the transaction report its later changes to w. The changes are only final once the transaction
	// commits.
	Watch(w Watcher)
}

// Watcher receives the changes of a transaction as they are made, to update an index outside of the store.
type Watcher interface {
	// SummaryStored is called with each campaign summary that is stored.
	SummaryStored(workspace string, row engine.Summary)
	// CampaignRemoved is called for each campaign that is removed.
	CampaignRemoved(workspace, id string)
	// SettingsStored is called when the settings of a workspace are stored.
	SettingsStored(workspace string)
}

// WorkspaceTx is the records of one workspace within one transaction. Its methods fail with [ErrNotFound] if a record
// does not exist and with a *[CorruptError] if it is damaged. Methods that iterate over records continue after a
// damaged one, and return all damage at the end.
type WorkspaceTx interface {
	Settings
	Campaigns
	Summaries
	History
	WorkingCopies
	Dismissals
	Users
	Content
	Outbox
	TestSends
	Idempotency
	Transfer
}

// Settings are the settings of a workspace.
type Settings interface {
	// Settings returns the workspace's settings, or [ErrNotFound] if there is no such workspace.
	Settings() (engine.Workspace, error)
	// SettingsIfChanged is like Settings, but returns cached if the record is unchanged. cached may be nil.
	SettingsIfChanged(cached *CachedSettings) (*CachedSettings, error)
	// PutSettings stores the settings and replaces earlier ones. Their id must be the workspace's.
	PutSettings(w engine.Workspace) error
}

// CachedSettings are settings together with the encoded record that they were read from. They are shared between
// callers and must not be modified.
type CachedSettings struct {
	Workspace engine.Workspace
	Record    []byte
}

// Campaigns are the campaigns of a workspace.
type Campaigns interface {
	// Campaign returns the current version of a campaign.
	Campaign(id string) (engine.Campaign, error)
	// AddCampaign stores a new campaign with its summary and its first revision.
	AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error
	// PutCampaign stores a new version of a campaign, and returns its revision number. With coalesce, it replaces the
	// last revision if possible.
	PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error)
	// DeleteCampaign removes a campaign and everything that belongs to it, damaged or not. It fails with [ErrNotFound] if
	// there is no campaign; what was left of one is removed also then.
	DeleteCampaign(id string) error
}

// Summaries are the summaries of campaigns, which lists show.
type Summaries interface {
	// SummariesByID calls fn with the summaries of the given campaigns, in any order. It skips campaigns that do not
	// exist.
	SummariesByID(ids []string, fn func(engine.Summary) error) error
	// Summaries calls fn with each summary, in the order of the ids.
	Summaries(fn func(engine.Summary) error) error
	// NewestSummaries calls fn with each summary, the last changed first.
	NewestSummaries(fn func(engine.Summary) error) error
}

// History is the revisions of campaigns.
type History interface {
	// Revision returns the campaign at revision n.
	Revision(id string, n int64) (engine.Campaign, error)
	// Revisions returns the revisions of a campaign, newest first.
	Revisions(id string) ([]engine.Revision, error)
}

// Limits of a campaign's history. When a campaign has more revisions than both limits together, every other older
// revision that did not change the campaign's state is removed. The first revision is always kept.
const (
	NewestRevisions = 1000 // the newest revisions, which are all kept
	OlderRevisions  = 1000
)

// WorkingCopies are the working copies of campaigns.
type WorkingCopies interface {
	WorkingCopy(id string) (engine.WorkingCopy, error)
	PutWorkingCopy(id string, w engine.WorkingCopy) error
	DeleteWorkingCopy(id string) error
}

// Dismissals are the warnings of campaigns that somebody dismissed.
type Dismissals interface {
	// Dismissals returns those of a campaign, in their order; none where it has none.
	Dismissals(id string) ([]engine.Dismissal, error)
	// PutDismissals stores those of a campaign over earlier ones.
	PutDismissals(id string, list []engine.Dismissal) error
}

// Users are the users of a workspace.
type Users interface {
	// Profile returns a user's profile. Numbers among its attributes are json.Number, spelled as they were stored.
	Profile(id string) (engine.User, error)
	// Profiles calls fn with each profile whose id comes after one, in the order of the ids; with all where that is
	// empty.
	Profiles(after string, fn func(engine.User) error) error
	// FindProfiles returns the ids of the users that have an identifier of a kind, such as [ByEmail].
	FindProfiles(kind, value string) ([]string, error)
	// ProfilesByID calls fn with those of the profiles that are there, in any order.
	ProfilesByID(ids []string, fn func(engine.User) error) error
	// PutProfiles stores profiles, of which the last one with an id counts.
	PutProfiles(list ...engine.User) error
	DeleteProfile(id string) error
}

// The kinds of identifiers for [Users.FindProfiles].
const (
	ByEmail       = "email" // case-insensitive
	ByMobile      = "mobile"
	ByToken       = "token"          // a device's push token
	ByAdvertising = "advertising_id" // a device's GAID or IDFA
)

// IsIdentifier reports whether kind is a kind of identifier for [Users.FindProfiles].
func IsIdentifier(kind string) bool {
	return slices.Contains([]string{ByEmail, ByMobile, ByToken, ByAdvertising}, kind)
}

// Content is the product sets, content APIs, and templates of a workspace.
type Content interface {
	ContentItem(ref engine.ContentRef) (engine.ContentItem, error)
	// Content calls fn with each item of a kind, in the order of their names.
	Content(kind engine.ContentKind, fn func(engine.ContentItem) error) error
	PutContent(item engine.ContentItem) error
	DeleteContent(ref engine.ContentRef) error
}

// ContentKinds returns the kinds of content that have records of their own; content blocks are part of the settings.
func ContentKinds() []engine.ContentKind {
	return []engine.ContentKind{engine.KindProducts, engine.KindAPI, engine.KindTemplate}
}

// Outbox is the test messages that were delivered to the outbox.
type Outbox interface {
	// Outbox returns the newest messages, at most so many.
	Outbox(limit int) ([]engine.OutboxMessage, error)
	PutOutbox(d engine.OutboxMessage) error
	// TrimOutbox removes the oldest messages, at most limit of them, and returns how many it has removed. With limit 0 it
	// removes all, which may be too many for one transaction.
	TrimOutbox(limit int) (int, error)
}

// TestSends are the records of test sends.
type TestSends interface {
	// TestSends calls fn with the newest records, newest first, at most limit of them.
	TestSends(limit int, fn func(engine.TestRecord) error) error
	PutTestSend(t engine.TestRecord) error
}

// Idempotency is the idempotency keys of a workspace.
type Idempotency interface {
	// IdempotencyRecord returns the record of a key, even if it has expired, because the caller's clock decides
	// ([IdempotencyRecord.Expired]).
	IdempotencyRecord(op, key string) (IdempotencyRecord, error)
	// PutIdempotencyRecord stores the record of a key and replaces an earlier one. ExpiresAt must be set.
	PutIdempotencyRecord(i IdempotencyRecord) error
	DeleteIdempotencyRecord(op, key string) error
	// LeaseHeld reports whether the lease with that id (see [DB]) is held, so that work marked with it may still be
	// running. After a process has died, its lease in a shared database takes some seconds to expire.
	LeaseHeld(lease string) (bool, error)
	// Sweep removes some of the expired keys, and reports whether more remain.
	Sweep(now time.Time) (more bool, err error)
}

// IdempotencyRecord is the stored outcome of a write with an Idempotency-Key (CONTRACT.md, Idempotency).
type IdempotencyRecord struct {
	Operation string `json:"op"`
	Key       string `json:"key"`
	// Fingerprint identifies the request. Another request with the same key is refused.
	Fingerprint string `json:"fp,omitempty"`
	// Running is true while the write is in progress. The write stays in progress only while its process holds the
	// Lease (see [DB]); a process whose lease has expired can no longer store the record.
	Running bool   `json:"running,omitempty"`
	Lease   string `json:"lease,omitempty"`

	At        time.Time `json:"at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Result    []byte    `json:"result,omitempty"` // the response body, byte for byte
}

// Expired reports whether the record has expired at now.
func (i IdempotencyRecord) Expired(now time.Time) bool { return !now.Before(i.ExpiresAt) }

// Transfer is what copies records unchanged to another store, and removes them. bugle/store/backup does the copying.
type Transfer interface {
	// Records calls fn, which must not use the transaction, with every record of the workspace, its settings first.
	Records(fn func(Record) error) error
	// PutRecords stores records that another store has and this one does not.
	PutRecords(list []Record) error
	// ClearWorkspace removes some of the records of the workspace, its settings last, and reports whether more remain. What
	// an interrupted removal leaves is sound.
	ClearWorkspace() (more bool, err error)
}

// Record is a record of a workspace, as one of these types: [engine.Workspace], [engine.User], [engine.ContentItem],
// [engine.OutboxMessage], [engine.TestRecord], [IdempotencyRecord], and [WholeCampaign].
type Record any

// WholeCampaign is a campaign with everything that belongs to it.
type WholeCampaign struct {
	Campaign    engine.Campaign
	Summary     engine.Summary
	History     []Version // newest first
	Dismissals  []engine.Dismissal
	WorkingCopy *engine.WorkingCopy // nil if there is none
}

// Version is a campaign as it was at a revision.
type Version struct {
	Revision engine.Revision
	Campaign engine.Campaign
}

// Feed is a [DB] that several processes write to, and that publishes their changes.
type Feed interface {
	// Follow calls deliver with the changes that other handles commit after ready was called, at least once each, until
	// ctx ends. If changes may have been missed, for example after a long interruption, it calls deliver with the zero
	// Change. Calls of deliver do not overlap.
	Follow(ctx context.Context, ready func(), deliver func([]Change))
	// Sync waits until all followers of this handle have received every change that was committed before the call.
	// Without followers it returns immediately.
	Sync(ctx context.Context) error
}

// Kind is the kind of record that a [Change] affects.
type Kind string

// The kinds of changes.
const (
	ChangedCampaign Kind = "campaign"
	ChangedSettings Kind = "settings" // of the workspace, or its content
	ChangedUser     Kind = "user"
	ChangedOutbox   Kind = "outbox" // or the history of test sends
)

// Change is one change made by a transaction. The zero Change means that anything may have changed.
type Change struct {
	Workspace string
	Kind      Kind
	ID        string // of the campaign or user; empty if several changed
}
