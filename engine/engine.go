// Package engine says what a campaign service does: the ten operations of the Campaigns V5
// API, their requests, results and errors, and the small capabilities that only some services
// have. It holds no implementation: engine/service/local works on a store, engine/service/remote over HTTP.
package engine

import (
	"context"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The words of the specification, which the tables own.
type (
	Channel      = catalog.Channel
	DeliveryType = catalog.DeliveryType
	State        = catalog.State
	Action       = catalog.Action
)

// Service is the ten operations (CONTRACT.md, Operations), for one workspace.
// Every method is safe for concurrent use, ends when its context does, and fails with an
// *[Error] where the service itself says no.
type Service interface {
	Create(ctx context.Context, r CreateRequest) (Created, error)
	Get(ctx context.Context, id string) (Campaign, error)
	Update(ctx context.Context, r UpdateRequest) (Updated, error)
	Publish(ctx context.Context, r PublishRequest) (Updated, error)
	Validate(ctx context.Context, id string) (Validation, error)
	ChangeStatus(ctx context.Context, r StatusRequest) (StatusChanged, error)
	Search(ctx context.Context, r SearchRequest) ([]Campaign, error)
	Meta(ctx context.Context, r MetaRequest) ([]Meta, error)
	Test(ctx context.Context, r TestRequest) (TestResult, error)
	Preview(ctx context.Context, r PreviewRequest) (Preview, error)
}

// Call carries the ids of one request.
type Call struct {
	// RequestID correlates the answer (X-SVC-Request-Id, or request_id of the body). The
	// service makes one where it is empty.
	RequestID string
	// IdempotencyKey is a UUID v4. Writes through the API need one; empty means the caller is
	// the terminal on its own store, and nothing is remembered.
	IdempotencyKey string
}

// ResponseInfo is what every write says besides its result.
type ResponseInfo struct {
	ResponseID string // the request id of the call that did the work
	Replayed   bool   // the answer to an earlier call with the same key
}

// CreateRequest starts a draft. Body is the request body of CONTRACT.md, Create: channel,
// campaign_delivery_type, created_by, and any components.
type CreateRequest struct {
	Call
	Body doc.Value
}

// Created names the new draft.
type Created struct {
	ResponseInfo
	ID     string
	Status State
}

// UpdateRequest changes components. Body holds them whole, as CONTRACT.md, Update, says;
// its channel and campaign_delivery_type may be left out.
type UpdateRequest struct {
	Call
	ID   string
	Body doc.Value
	// Revision is that of the head that the change started from; 0: whatever there is now. If the document was changed
	// since then, a service that counts revisions refuses the update with [BadRequest], HTTP 409.
	Revision int64
}

// Updated names the campaign document that now holds the change: another one than was asked
// for where versioning made a new version.
type Updated struct {
	ResponseInfo
	ID string
}

// PublishRequest asks for the publish action.
type PublishRequest struct {
	Call
	ID string
	By string
	// Console is set by the terminal alone: the dashboard's own publish action works whatever
	// the workspace setting says of the API's (CONTRACT.md, Publish).
	Console bool
	// Revision is what it is in an [UpdateRequest].
	Revision int64
}

// Validation is the outcome of the publish-time check. Problems are in the order of the
// tables; notices do not make a campaign invalid.
type Validation struct {
	Valid    bool
	Problems []schema.Problem
}

// StatusRequest applies STOP, PAUSE or RESUME.
type StatusRequest struct {
	Call
	ID     string
	Action Action
	By     string
}

// StatusChanged confirms a status change.
type StatusChanged struct {
	ResponseInfo
	ID     string
	Action Action
	Status State
}

// TestRequest sends a test. Body is the request of a test send, in inline or draft mode (CONTRACT.md, Test sends).
type TestRequest struct {
	Call
	Body doc.Value
	// Progress, where set, is told of every send as it starts and ends, from one goroutine at a
	// time. It must return quickly.
	Progress func(TestProgress)
}

// TestProgress is one step of a running test send.
type TestProgress struct {
	Key       string // {PLATFORM}_{locale}_{variation}
	Recipient string // empty: all recipients of the key together
	Done      bool
	Err       string // why that recipient failed; empty while running and on success
	Completed int    // sends that have ended
	Total     int
}

// The outcomes of one key of a test.
const (
	Sent   = "SENT"
	Failed = "FAILED"
)

// SendResult is the outcome for one key.
type SendResult struct {
	Status        string `json:"status"`
	FailureReason string `json:"failure_reason,omitempty"`
}

// TestResult is the result of a test send (CONTRACT.md, Test sends). Keys stand in the order of sending.
type TestResult struct {
	ResponseInfo
	Keys    []string
	Data    map[string]SendResult
	Message string
	Calls   []ContentCall // that the messages made of content APIs, in their order; not remembered
}

// PreviewRequest resolves content for one user without sending (CONTRACT.md, Preview).
type PreviewRequest struct {
	Call
	Body doc.Value
}

// Preview is the content with its expressions resolved.
type Preview struct {
	ResponseInfo
	Content    doc.Value
	Unresolved []Unresolved
	// UnknownUser reports that the workspace has no such user, so that no attribute has a value. A service
	// that does not tell leaves it false.
	UnknownUser bool
	Calls       []ContentCall // that the content made of content APIs, in their order
}

// Unresolved is an expression that has no value for the user.
type Unresolved struct {
	Field      string `json:"field"` // dotted path from the request's root
	Expression string `json:"expression"`
}

// PageSize is the most campaigns that one page of search or meta holds (CONTRACT.md, Limits).
const PageSize = 15

// DateRange bounds a time; a zero end is open.
type DateRange struct{ From, To time.Time }

// SearchRequest is the request of Search Campaigns. Empty lists and texts match all.
type SearchRequest struct {
	Call
	IDs           []string
	Channels      []Channel
	CreatedBy     []string
	Created       DateRange
	DeliveryTypes []DeliveryType
	Name          string // part of the name, in any case
	Status        []State
	Tags          []string // any of them
	Version       int      // 0: every version
	Limit, Page   int      // 1 to [PageSize]; from 1
	Children      bool     // include_child_campaigns
	Archived      bool     // include_archive_campaigns
}

// MetaRequest is the request of Get Campaign Meta.
type MetaRequest struct {
	Call
	ID           string
	Channels     []Channel
	CreatedBy    []string
	Created      DateRange
	DeliveryType DeliveryType
	// DeliveryTypes are what campaign_delivery_type lists; a campaign has to be of DeliveryType as well.
	DeliveryTypes []DeliveryType
	Name          string
	Status        []State
	Tags          []string
	Limit, Page   int
	Children      bool
	Archived      bool
}

// Meta is one row of Get Campaign Meta (CONTRACT.md, Records).
type Meta struct {
	Summary
	ChildCampaigns int
	Reachability   *Reachability // nil where the service computes none
}

// Reachability is the cached daily estimate of how many users a campaign reaches.
type Reachability struct {
	Count       int       `json:"count"`
	LastUpdated time.Time `json:"last_updated_time"`
}
