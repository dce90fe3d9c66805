package engine

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bugle/engine/doc"
)

// ContentKind is a kind of workspace content (CONTRACT.md, Personalization).
type ContentKind string

// The kinds in display order.
const (
	KindBlock    ContentKind = "content_block"
	KindProducts ContentKind = "product_set"
	KindAPI      ContentKind = "content_api"
	KindTemplate ContentKind = "template"
)

// ContentKinds returns all kinds of content.
func ContentKinds() []ContentKind {
	return []ContentKind{KindBlock, KindProducts, KindAPI, KindTemplate}
}

// Label returns the display name of the kind.
func (k ContentKind) Label() string {
	if k == KindAPI {
		return "content API"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// ContentStore reads and changes the content of a workspace. A missing item is a [NotFound] error, an invalid
// one [ValidationFailed].
type ContentStore interface {
	// Content returns the items of a kind sorted by name, and the newest version of each template.
	Content(ctx context.Context, kind ContentKind) ([]ContentItem, error)
	ContentItem(ctx context.Context, ref ContentRef) (ContentItem, error)
	// PutContent adds or replaces an item. A template without a version becomes the next version of its id,
	// unless it equals the newest one. Versions are immutable: different content for an existing version is
	// refused with [BadRequest], HTTP 409.
	PutContent(ctx context.Context, item ContentItem) (ContentRef, error)
	// DeleteContent deletes an item. For a template it deletes one version, or all versions if ref has none.
	DeleteContent(ctx context.Context, ref ContentRef) error
	// ContentUses returns the content and the campaigns that can still be sent that refer to an item.
	ContentUses(ctx context.Context, ref ContentRef) ([]ContentUse, error)
	// TryContentAPI calls a content API as a message would, and tells what happened. Arguments are values as
	// expressions have them, or texts. A call that fails is no error: the answer says so.
	TryContentAPI(ctx context.Context, name string, args []any) (ContentTrial, error)
}

// TextArguments returns texts as the arguments of a content API.
func TextArguments(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// ContentRef identifies a content item.
type ContentRef struct {
	Kind    ContentKind `json:"kind"`
	Name    string      `json:"name"`              // a template's id
	Version int         `json:"version,omitempty"` // of a template; 0: the newest
}

func (r ContentRef) String() string {
	if r.Version > 0 {
		return fmt.Sprintf("%s %s, version %d", r.Kind.Label(), r.Name, r.Version)
	}
	return r.Kind.Label() + " " + r.Name
}

// ContentItem is one content item. Exactly one field is set.
type ContentItem struct {
	Block    *ContentBlock    `json:"content_block,omitempty"`
	Products *ProductSet      `json:"product_set,omitempty"`
	API      *ContentAPI      `json:"content_api,omitempty"`
	Template *ContentTemplate `json:"template,omitempty"`
}

// Ref returns the reference to the item, or the zero reference if no field is set.
func (i ContentItem) Ref() ContentRef {
	switch {
	case i.Block != nil:
		return ContentRef{Kind: KindBlock, Name: i.Block.Name}
	case i.Products != nil:
		return ContentRef{Kind: KindProducts, Name: i.Products.Name}
	case i.API != nil:
		return ContentRef{Kind: KindAPI, Name: i.API.Name}
	case i.Template != nil:
		return ContentRef{Kind: KindTemplate, Name: i.Template.ID, Version: i.Template.Version}
	}
	return ContentRef{}
}

// ContentUse is something that refers to an item.
type ContentUse struct {
	In       ContentRef `json:"in,omitzero"`        // other content; empty for a campaign
	Campaign string     `json:"campaign,omitempty"` // the campaign's id
	Name     string     `json:"name"`               // its display name
	Status   State      `json:"status,omitempty"`   // the campaign's
}

// ProductSet is a list of products for expressions: {{ ProductSet.name[0].title }}.
type ProductSet struct {
	Name string `json:"name"`
	// Products are objects with any fields. Numbers are json.Number.
	Products []map[string]any `json:"products"`
}

// ContentAPI is an HTTP service that expressions can call: {{ ContentApi.name('Oslo').today }}. It returns
// JSON or text.
type ContentAPI struct {
	Name string `json:"name"`
	// URL may contain {name} in its path or query for a parameter. Other parameters are added to the query of
	// a GET, or to the JSON object in the body of a POST.
	URL     string          `json:"url"`
	Method  string          `json:"method,omitempty"` // GET or POST; empty: GET
	Params  []string        `json:"params,omitempty"` // the names of the arguments, in order
	Headers []ContentHeader `json:"headers,omitempty"`
	Timeout int             `json:"timeout_ms,omitempty"` // milliseconds; 0: [ContentTimeout]
}

// ContentTimeout and MaxContentTimeout are how long a content API usually has for an answer, and at most.
const (
	// ContentTimeout and MaxContentTimeout are the default and the longest timeout of a content API call.
	ContentTimeout    = 5 * time.Second
	MaxContentTimeout = 20 * time.Second
)

// ContentHeader is a header of every call.
type ContentHeader struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// Env names an environment variable with the value. Secrets are not stored.
	Env string `json:"env,omitempty"`
}

// ContentPolicy configures which servers content APIs may call.
type ContentPolicy struct {
	// Hosts lists the allowed hosts: a name, or *. and a domain for all names below it, both with an optional
	// port. Without a port, the default port of http or https is meant. No other host is called.
	Hosts []string `json:"hosts,omitempty"`
	// Private allows listed hosts in loopback, private and link-local networks. Otherwise such addresses are
	// refused, whatever their name.
	Private bool `json:"private,omitempty"`
}

// ContentTemplate is a saved template that messages refer to by id (CONTRACT.md, campaign_content).
type ContentTemplate struct {
	ID      string  `json:"id"`
	Version int     `json:"version"` // from 1
	Name    string  `json:"name,omitempty"`
	Channel Channel `json:"channel"` // PUSH or EMAIL
	// Platform is the platform of a push template: ANDROID or IOS.
	Platform string `json:"platform,omitempty"`
	// Content is what a campaign has under `email`, `android` or `ios`. Fields that the campaign sets itself
	// take precedence.
	Content doc.Value `json:"content"`
	SavedAt time.Time `json:"saved_at"`
}

// ContentCall is one call of a content API by a preview, a test send or a trial. A header with a value from
// the environment has $NAME as its value.
type ContentCall struct {
	API            string      `json:"api"`
	Start          time.Time   `json:"start"`
	End            time.Time   `json:"end"`
	Method         string      `json:"method"`
	URL            string      `json:"url"`
	RequestHeader  http.Header `json:"request_header,omitempty"`
	Request        []byte      `json:"request,omitempty"` // the body; nil if there is none
	Status         int         `json:"status,omitempty"`  // 0 if there was no response
	ResponseHeader http.Header `json:"response_header,omitempty"`
	Response       []byte      `json:"response,omitempty"`
	Err            string      `json:"error,omitempty"` // why the call returned no value
	// Reused counts how often the response was used again in the same send.
	Reused int `json:"again,omitempty"`
}

// ContentTrial is the result of a trial call of a content API.
type ContentTrial struct {
	Call  ContentCall `json:"call"`
	Value any         `json:"value"` // as an expression receives it; nil if the call failed
}
