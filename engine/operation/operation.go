// Package operation is the table of the API's operations. Each row holds what the server, the client, the
// activity log and the OpenAPI document need to know about an operation (CONTRACT.md, Operations).
package operation

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/service/api/limit"
)

// Operation is one row of the table.
type Operation struct {
	Name    string   // in limits, logs and metrics, such as "create"
	ID      string   // operationId in OpenAPI
	Methods []string // the one that clients use first
	Path    string   // {id} is the campaign's id
	Status  int      // HTTP status of success
	Type    string   // envelope type of success
	// Scope is the required scope. Empty means any credential.
	Scope string
	// NeedsKey reports that our server requires an Idempotency-Key. See [Operation.SendsKey].
	NeedsKey bool
	// Writes reports that the operation changes or sends something. It is completed even if the client
	// disconnects.
	Writes bool
	// Slow reports that the service itself waits for other servers.
	Slow bool
	Body Body
	// OwnID reports that the request id is optional and generated if missing.
	OwnID bool
	// IDInBody reports that clients send the request id in the body too (CONTRACT.md, Services that others run).
	IDInBody bool
	// NamesUsers reports that the body identifies users, for example by device tokens, which are redacted.
	NamesUsers bool
	Limits     []limit.Window
	// Creations limits successful requests in addition to Limits.
	Creations []limit.Window
}

// Body says how an operation treats the request body.
type Body int

const (
	Required Body = iota // a request without a body is refused
	Optional             // read if present
	Ignored              // never read
)

// The types of envelopes (CONTRACT.md, Envelopes and errors).
const (
	typeCampaign        = "campaign"
	typePersonalization = "personalization"
)

const (
	campaigns = "/v5/campaigns"
	campaign  = campaigns + "/{id}"
)

// The operations. Publish has the route of Update, but its own name in the activity log.
var (
	Create = &Operation{
		Name: "create", ID: "create_campaign_v5", Methods: []string{http.MethodPost}, Path: campaigns, Status: http.StatusCreated, Type: typeCampaign,
		Scope: engine.ScopeManage, NeedsKey: true, Writes: true, Limits: limit.Create, Creations: limit.Creations,
	}
	Get = &Operation{
		Name: "get", ID: "get_campaign_v5", Methods: []string{http.MethodGet, http.MethodHead}, Path: campaign, Status: http.StatusOK, Type: typeCampaign,
		Body: Ignored, OwnID: true, Limits: limit.Other,
	}
	Update = &Operation{
		Name: "update", ID: "update_campaign_v5", Methods: []string{http.MethodPatch}, Path: campaign, Status: http.StatusOK, Type: typeCampaign,
		Scope: engine.ScopeManage, NeedsKey: true, Writes: true, Limits: limit.Other,
	}
	Publish = &Operation{
		Name: "publish", ID: Update.ID, Methods: Update.Methods, Path: Update.Path, Status: http.StatusOK, Type: typeCampaign,
		Scope: engine.ScopePublish, NeedsKey: true, Writes: true, Limits: limit.Other,
	}
	Validate = &Operation{
		Name: "validate", ID: "validate_campaign_v5", Methods: []string{http.MethodPost}, Path: campaign + "/validate", Status: http.StatusOK, Type: typeCampaign,
		Body: Optional, OwnID: true, IDInBody: true, Limits: limit.Other,
	}
	Status = &Operation{
		Name: "status", ID: "update_campaign_status_v5", Methods: []string{http.MethodPost, http.MethodPatch}, Path: campaign + "/status", Status: http.StatusOK,
		Type: typeCampaign, Scope: engine.ScopeManage, NeedsKey: true, Writes: true, Limits: limit.Other,
	}
	Search = &Operation{
		Name: "search", ID: "search_campaigns_v5", Methods: []string{http.MethodPost}, Path: campaigns + "/search", Status: http.StatusOK, Type: typeCampaign,
		Limits: limit.Other,
	}
	Meta = &Operation{
		Name: "meta", ID: "get_campaign_meta_v5", Methods: []string{http.MethodPost}, Path: campaigns + "/meta", Status: http.StatusOK, Type: typeCampaign,
		Limits: limit.Other,
	}
	Test = &Operation{
		Name: "test", ID: "test_campaign_v5", Methods: []string{http.MethodPost}, Path: campaigns + "/test", Status: http.StatusOK, Type: typeCampaign,
		Scope: engine.ScopeManage, NeedsKey: true, Writes: true, Slow: true, NamesUsers: true, Limits: limit.Other,
	}
	Preview = &Operation{
		Name: "preview", ID: "personalized_preview_v5", Methods: []string{http.MethodPost}, Path: "/v5/personalization/preview", Status: http.StatusOK,
		Type: typePersonalization, IDInBody: true, NamesUsers: true, Limits: limit.Preview,
	}
)

// All lists the operations with a route of their own in the order of the contract.
var All = []*Operation{Create, Get, Update, Validate, Status, Search, Meta, Test, Preview}

// Named returns the operation with a name, including Publish, or nil.
func Named(name string) *Operation {
	if name == Publish.Name {
		return Publish
	}
	if i := slices.IndexFunc(All, func(o *Operation) bool { return o.Name == name }); i >= 0 {
		return All[i]
	}
	return nil
}

// Method returns the method that clients use.
func (o *Operation) Method() string { return o.Methods[0] }

// PathFor returns the operation's path for a campaign id. The id may be empty if the path has none.
func (o *Operation) PathFor(id string) string {
	return strings.ReplaceAll(o.Path, "{id}", url.PathEscape(id))
}

// SendsKey reports whether clients send an Idempotency-Key: other services require one on every POST and
// PATCH except validate (CONTRACT.md, Services that others run).
func (o *Operation) SendsKey() bool { return o.Method() != http.MethodGet && o != Validate }

// The headers of a request (CONTRACT.md, Requests).
const (
	HeaderTenant         = "X-SVC-Tenant-ID"
	HeaderRequestID      = "X-SVC-Request-Id"
	HeaderIdempotencyKey = "Idempotency-Key"
)

// The headers by which a change says what it was made from (RFC 9110): the response to Get has the tag of the revision,
// an update with that tag is refused if the campaign was changed since, and a Get with it needs no body while it is current.
const (
	HeaderETag        = "ETag"
	HeaderIfMatch     = "If-Match"
	HeaderIfNoneMatch = "If-None-Match"
)

// ParseETag returns the revision of an entity tag of ours ([engine.Campaign.Tag]); 0 for any other text.
func ParseETag(tag string) int64 {
	n, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	if err != nil || n < 1 || (engine.Campaign{Head: engine.Head{Revision: n}}).Tag() != tag {
		return 0
	}
	return n
}

// HeaderReplayed is "true" in a response that repeats the response to an earlier request with the same
// Idempotency-Key. Nothing else differs between the two.
const HeaderReplayed = "Idempotent-Replayed"
