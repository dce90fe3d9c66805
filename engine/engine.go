// Package engine defines what a campaign service does: the ten operations of the Campaigns V5 API with their
// requests, results and errors, and the optional capabilities that only some services have. It contains no
// implementation: engine/service/local works on a store, engine/service/remote over HTTP.
package engine

import (
	"context"
	"strings"
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

// Service is the ten operations (CONTRACT.md, Operations) for one workspace. All methods are safe for
// concurrent use, return when their context ends, and fail with an *[Error] if the service refuses the
// request.
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

// Call holds the ids of one request.
type Call struct {
	// RequestID correlates the response with the request (header X-SVC-Request-Id, or request_id in the
	// body). If it is empty, the service generates one.
	RequestID string
	// IdempotencyKey is a UUID v4. Writes through the API require one. An empty key means that the caller is
	// the terminal on its own store, and the service stores no response for a repeat.
	IdempotencyKey string
}

// ResponseInfo is the part of a result that all write operations share.
type ResponseInfo struct {
	ResponseID string // the request id of the call that did the work
	Replayed   bool   // this repeats the response to an earlier call with the same Idempotency-Key
}

// CreateRequest creates a draft. Body is the request body (CONTRACT.md, Create): channel,
// campaign_delivery_type, created_by, and any components.
type CreateRequest struct {
	Call
	Body doc.Value
}

// Created is the result of creating a draft.
type Created struct {
	ResponseInfo
	ID     string
	Status State
}

// UpdateRequest changes components. Body contains the complete components (CONTRACT.md, Update). Its channel
// and campaign_delivery_type are optional.
type UpdateRequest struct {
	Call
	ID   string
	Body doc.Value
	// IfMatch is the [Campaign.Tag] of the campaign that the change started from; empty: whatever there is now. If the
	// document was changed since then, a service that knows tags refuses the update with an error for which [IsStale]
	// is true.
	IfMatch string
}

// Updated is the result of an update or publish request. ID identifies the document with the change, which is
// a new one if versioning created a new version.
type Updated struct {
	ResponseInfo
	ID   string
	ETag string // of that document, after the change; empty if the service sends none
}

// PublishRequest publishes a campaign.
type PublishRequest struct {
	Call
	ID string
	By string
	// Console is only set by the terminal: like the publish button of the dashboard, it does not depend on
	// the workspace's setting for publishing through the API (CONTRACT.md, Publish).
	Console bool
	// IfMatch is what it is in an [UpdateRequest].
	IfMatch string
}

// Validation is the result of the publish-time check. Problems are in the order of the tables. Notices do not
// make a campaign invalid.
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

// StatusChanged is the result of a status change.
type StatusChanged struct {
	ResponseInfo
	ID     string
	Action Action
	Status State
}

// TestRequest sends a test. Body is the request body in inline or draft mode (CONTRACT.md, Test sends).
type TestRequest struct {
	Call
	Body doc.Value
	// As, where set, is whose data is among the attributes of the body. It is noted with the test, and is no part of
	// the request.
	As *TestPersona
	// Copies also sends each email to its addresses in Cc and Bcc. The request of the API has no field for it, so a service
	// that [IsExternal] cannot do it.
	Copies bool
	// Progress, where set, is told of every send as it starts and ends, from one goroutine at a
	// time. It must return quickly.
	Progress func(TestProgress)
}

// TestProgress is a progress report of a running test send.
type TestProgress struct {
	Key       string // {PLATFORM}_{locale}_{variation}
	Recipient string // empty: all recipients of the key
	Done      bool
	Err       string // why the recipient failed; empty while running and on success
	Unknown   bool   // the recipient failed, but may have got the message
	Note      string // what it waits for, while running; or what the provider said on success
	Completed int    // finished sends
	Total     int
}

// The results of one key of a test.
const (
	Sent   = "SENT"
	Failed = "FAILED"
)

// SendResult is the result of one key.
type SendResult struct {
	Status        string `json:"status"`
	FailureReason string `json:"failure_reason,omitempty"`
	Detail        string `json:"detail,omitempty"` // what the provider said about the sent messages, such as its queue id; a line for each response
	// Unknown are the recipients whose message failed, but may have been delivered.
	Unknown []string `json:"unknown,omitempty"`
}

// Outcome returns the result in a word: sent, failed or, where a message may have been delivered, unknown.
func (r SendResult) Outcome() string {
	if len(r.Unknown) > 0 {
		return "unknown"
	}
	return strings.ToLower(r.Status)
}

// TestResult is the result of a test send (CONTRACT.md, Test sends). Keys are in the order of sending.
type TestResult struct {
	ResponseInfo
	Keys    []string
	Data    map[string]SendResult
	Message string
	Calls   []ContentCall // the content API calls of the messages, in order; not stored
}

// PreviewRequest resolves content for one user without sending it (CONTRACT.md, Preview).
type PreviewRequest struct {
	Call
	Body doc.Value
}

// Preview is content with its expressions resolved.
type Preview struct {
	ResponseInfo
	Content    doc.Value
	Unresolved []Unresolved
	// UnknownUser reports that the workspace has no such user, so that no attribute has a value. It is false
	// if the service does not report it.
	UnknownUser bool
	Calls       []ContentCall // the content API calls of the content, in order
}

// Unresolved is an expression that has no value for the user.
type Unresolved struct {
	Field      string `json:"field"` // dotted path from the request's root
	Expression string `json:"expression"`
}

// PageSize is the most campaigns on one page of search or meta (CONTRACT.md, Limits).
const PageSize = 15

// DateRange is a range of times. A zero bound is open.
type DateRange struct{ From, To time.Time }

// Contains reports whether a time is in the range; both bounds are.
func (r DateRange) Contains(t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || !t.After(r.To))
}

// SearchRequest is the request of Search Campaigns. Empty lists and strings match everything.
type SearchRequest struct {
	Call
	IDs           []string
	Channels      []Channel
	CreatedBy     []string
	Created       DateRange
	DeliveryTypes []DeliveryType
	Name          string // part of the name, case-insensitive
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
	// DeliveryTypes is campaign_delivery_type. A campaign must match DeliveryType as well.
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
	Reachability   *Reachability // nil if the service computes none
}

// Reachability is the daily estimate of how many users a campaign reaches.
type Reachability struct {
	Count       int       `json:"count"`
	LastUpdated time.Time `json:"last_updated_time"`
}
