// Package store says what a store keeps: the records of workspaces, that is campaigns with their summaries and
// revisions, working copies, users, the outbox, test sends, and what makes writes repeatable. They are read and written
// in transactions of a [DB].
//
// bugle/store/kv keeps the records in an ordered key space, which bugle/store/badger has on disk and bugle/store/mem in
// memory. Whatever works with a DB works with several processes that write at the same time.
package store

import (
	"context"
	"io"
	"time"

	"bugle/engine"
)

// DB is the records of workspaces. It is safe for concurrent use.
type DB interface {
	// Read runs fn on an unchanging picture of the store.
	Read(ctx context.Context, fn func(Tx) error) error
	// Write runs fn in one transaction. Where another transaction changed what fn has read, fn runs again, so it must
	// have no effect but on its Tx; it must not start another Write. When Write returns nil, the changes are durable;
	// when it fails, none of them is.
	Write(ctx context.Context, fn func(Tx) error) error
	// Lease returns the id of the lease with which to mark long-running work. This handle holds the lease from the first
	// record that is marked with it until the handle is closed or its process dies. A process that was suspended for too
	// long loses it, and gets another one for new work; see [Idempotency].
	Lease() string
	// Close ends the store. Closing twice is no error.
	Close() error
}

// Tx is one transaction. It belongs to the goroutine that got it, and ends with its function.
type Tx interface {
	// In returns the records of a workspace. Every method of them fails where the id is empty or has spaces or
	// unprintable characters.
	In(workspace string) Space
	// Workspaces returns the ids of the workspaces in the store, sorted. A workspace whose settings are damaged or gone
	// is found by its other records.
	Workspaces() ([]string, error)
	// Version is the version of the store that the transaction sees: each change makes a higher one. It is 0 where the
	// store has none.
	Version() uint64
	// Watch has w told what the transaction changes from now on. That counts once it is committed.
	Watch(w Watcher)
}

// Watcher is told what a transaction changes, for who keeps it elsewhere, too.
type Watcher interface {
	// Summarized is called with a campaign's summary as it is stored.
	Summarized(workspace string, row engine.Summary)
	// Cleared is called when a campaign was removed.
	Cleared(workspace, id string)
	// Configured is called when the settings of a workspace are stored.
	Configured(workspace string)
}

// Space is the records of one workspace within one transaction. Its methods fail with [ErrNotFound] where a record is
// not there and with a *[CorruptError] where it is damaged.
//
// The methods that walk over records go on after a damaged one, and return all that was damaged at the end: one bad
// record hides no other.
type Space interface {
	Settings
	Campaigns
	Summaries
	History
	Copies
	Dismissals
	Users
	Content
	Outbox
	TestSends
	Idempotency
}

// Settings are the settings of a workspace.
type Settings interface {
	// Settings returns the workspace's settings, or [ErrNotFound] where there is no such workspace. Where their record is
	// damaged or gone it returns a copy of it, and a [CorruptError] where there is none that is whole.
	Settings() (engine.Workspace, error)
	// SettingsOr is Settings, but returns known where the record is still the one that it was read from. known may be
	// nil.
	SettingsOr(known *KnownSettings) (*KnownSettings, error)
	// SettingsDamage returns the [CorruptError] that says what is wrong with the record of the settings, whether or not
	// there is a copy; nil where nothing is, and [ErrNotFound] where there is no such workspace.
	SettingsDamage() error
	// PutSettings stores the settings over earlier ones. Their id is the workspace's.
	PutSettings(w engine.Workspace) error
}

// Campaigns are the campaigns of a workspace.
type Campaigns interface {
	// Campaign returns a campaign as it is.
	Campaign(id string) (engine.Campaign, error)
	// AddCampaign stores a campaign that is new, with its summary and its first revision.
	AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error
	// PutCampaign stores a campaign over an earlier one, and returns the number of its revision. With coalesce, the
	// revision takes the place of the last one where that is possible.
	PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error)
	// DeleteCampaign removes a campaign with all that belongs to it. It is gone at once; what takes a while is done by
	// FinishDeletes.
	DeleteCampaign(id string) error
	// ClearCampaign removes whatever is there of a campaign, damaged or not.
	ClearCampaign(id string) error
	// FinishDeletes removes more of what deleted campaigns have left, and reports whether there is still some.
	FinishDeletes() (more bool, err error)
	// Upgrade brings a campaign that an earlier program wrote, and its working copy, to the present format.
	Upgrade(id string) error
}

// Summaries are the rows of the campaigns in lists.
type Summaries interface {
	// Summary returns the summary of a campaign.
	Summary(id string) (engine.Summary, error)
	// SummariesOf calls fn with the summaries of those of the campaigns that are there, in any order.
	SummariesOf(ids []string, fn func(engine.Summary) error) error
	// Summaries calls fn with each summary, in the order of the ids.
	Summaries(fn func(engine.Summary) error) error
	// NewestSummaries calls fn with each summary, those changed last first.
	NewestSummaries(fn func(engine.Summary) error) error
	// ChangedSummaries calls fn with each summary that was stored after a version of the store, see [Tx].
	ChangedSummaries(since uint64, fn func(engine.Summary) error) error
	// CountSummaries returns how many there are; false where the store does not know without reading them.
	CountSummaries() (int, bool)
}

// History is the revisions of campaigns.
type History interface {
	// Revision returns a campaign as it was at a revision.
	Revision(id string, n int64) (engine.Campaign, error)
	// Revisions returns the revisions of a campaign, the newest first.
	Revisions(id string) ([]engine.Revision, error)
}

// Copies are the working copies of campaigns.
type Copies interface {
	Copy(id string) (engine.WorkingCopy, error)
	PutCopy(id string, w engine.WorkingCopy) error
	DeleteCopy(id string) error
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
	// Profiles calls fn with each profile, in the order of the ids.
	Profiles(fn func(engine.User) error) error
	// FindProfiles returns the ids of the users that have an identifier of a kind, such as [ByEmail].
	FindProfiles(kind, value string) ([]string, error)
	// ProfilesOf calls fn with those of the profiles that are there, in any order.
	ProfilesOf(ids []string, fn func(engine.User) error) error
	PutProfile(p engine.User) error
	// PutProfiles stores many profiles, of which the last one with an id counts.
	PutProfiles(list []engine.User) error
	DeleteProfile(id string) error
}

// Content is the content blocks, product sets, content APIs and templates of a workspace.
type Content interface {
	ContentItem(ref engine.ContentRef) (engine.ContentItem, error)
	// Content calls fn with each item of a kind, in the order of their names.
	Content(kind engine.ContentKind, fn func(engine.ContentItem) error) error
	PutContent(item engine.ContentItem) error
	DeleteContent(ref engine.ContentRef) error
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
	// Tests calls fn with the newest records, at most so many, the newest first.
	Tests(limit int, fn func(engine.TestRecord) error) error
	PutTest(t engine.TestRecord) error
}

// Idempotency is the idempotency keys and request ids of a workspace.
type Idempotency interface {
	// Idempotent returns the record of a key. It returns expired ones too: the caller's clock decides
	// ([Idempotent.Expired]).
	Idempotent(op, key string) (Idempotent, error)
	// PutIdempotent stores the record of a key over an earlier one. It needs a time of expiry.
	PutIdempotent(i Idempotent) error
	DeleteIdempotent(op, key string) error
	// Held reports whether the lease with that id (see [DB]) is held, so that work marked with it may still be running.
	// After a process has died, its lease in a shared database takes some seconds to expire.
	Held(lease string) (bool, error)
	// RequestID returns until when a request id is taken.
	RequestID(op, id string) (time.Time, error)
	PutRequestID(op, id string, until time.Time) error
	// Sweep removes some of the keys and request ids whose time is over, and reports whether there are more.
	Sweep(now time.Time) (more bool, err error)
}

// Feed is a [DB] that other processes write to directly, and that reports their changes.
type Feed interface {
	// Follow calls tell with the changes that other handles commit after ready was called, at least once each, until ctx
	// ends. If changes may have been missed, for example after a long interruption, it calls tell with the zero Change.
	// Calls of tell do not overlap.
	Follow(ctx context.Context, ready func(), tell func([]Change))
	// Sync returns when all followers of this handle have received every change that was committed before the call.
	// Without followers it returns at once.
	Sync(ctx context.Context) error
}

// Kind is the kind of records that a [Change] is about.
type Kind string

// The kinds of changes.
const (
	ChangedCampaign Kind = "campaign"
	ChangedSettings Kind = "settings" // the workspace's, or its content
	ChangedUser     Kind = "user"
	ChangedOutbox   Kind = "outbox" // also the test history
)

// Change is one change of a transaction.
type Change struct {
	Workspace string
	Kind      Kind
	ID        string // of the campaign or user; empty for several
}

// Keeper is a [DB] that keeps, for each name, one file beside its records that can be made of them again, so that the
// next process has it quicker. What is kept goes with the store: it is encrypted as that is, and whatever does not fit
// the records any more, or is damaged, is as if it were not there.
type Keeper interface {
	// Keep replaces what is kept under a name. What write writes is made of the records that its transaction sees, or of
	// later ones. When it fails, nothing may be kept.
	Keep(ctx context.Context, name string, write func(Tx, io.Writer) error) error
	// Kept calls read with what is kept under a name, and since which version of the store records may have changed, see
	// [Tx]. Only when Kept returns nil was it whole: until then read must not rely on it. It fails with [ErrNotFound]
	// where nothing is kept that fits.
	Kept(ctx context.Context, name string, read func(tx Tx, since uint64, r io.Reader) error) error
}
