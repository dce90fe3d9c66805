package engine

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bugle/engine/doc"
)

// ContentKind is a kind of what a workspace keeps for its messages (CONTRACT.md, Personalization).
type ContentKind string

// The kinds, in the order in which they are shown.
const (
	KindBlock    ContentKind = "content_block"
	KindProducts ContentKind = "product_set"
	KindAPI      ContentKind = "content_api"
	KindTemplate ContentKind = "template"
)

// ContentKinds lists the kinds.
func ContentKinds() []ContentKind {
	return []ContentKind{KindBlock, KindProducts, KindAPI, KindTemplate}
}

// Label is the kind for people.
func (k ContentKind) Label() string {
	if k == KindAPI {
		return "content API"
	}
	return strings.ReplaceAll(string(k), "_", " ")
}

// ContentStore reads and changes what a workspace keeps for its messages. What is named and not there
// is [NotFound], what cannot be kept [ValidationFailed].
type ContentStore interface {
	// Content returns the items of a kind by name, of each template the newest version.
	Content(ctx context.Context, kind ContentKind) ([]ContentItem, error)
	ContentItem(ctx context.Context, ref ContentRef) (ContentItem, error)
	// PutContent adds an item or changes the one of its name. A template without a version becomes the
	// next one of its id, unless it says what the newest says. A version never changes: one that is there and says something else is
	// refused with [BadRequest], HTTP 409.
	PutContent(ctx context.Context, item ContentItem) (ContentRef, error)
	// DeleteContent removes an item; a template's version, or all of them where ref names none.
	DeleteContent(ctx context.Context, ref ContentRef) error
	// ContentUses tells what names an item: other content, and campaigns that still can be sent.
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

// ContentRef names an item.
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

// ContentItem is one item: exactly one member is set.
type ContentItem struct {
	Block    *ContentBlock    `json:"content_block,omitempty"`
	Products *ProductSet      `json:"product_set,omitempty"`
	API      *ContentAPI      `json:"content_api,omitempty"`
	Template *ContentTemplate `json:"template,omitempty"`
}

// Ref names the item; it is empty where no member is set.
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

// ContentUse is something that names an item.
type ContentUse struct {
	In       ContentRef `json:"in,omitzero"`        // other content; empty for a campaign
	Campaign string     `json:"campaign,omitempty"` // the campaign's id
	Name     string     `json:"name"`               // what it is called
	Status   State      `json:"status,omitempty"`   // the campaign's
}

// ProductSet is a list of products that expressions can show: {{ ProductSet.name[0].title }}.
type ProductSet struct {
	Name string `json:"name"`
	// Products are objects with members of any name. Numbers in them are json.Number.
	Products []map[string]any `json:"products"`
}

// ContentAPI is an HTTP service that expressions can call: {{ ContentApi.name('Oslo').today }}. It
// answers with JSON, or with a text.
type ContentAPI struct {
	Name string `json:"name"`
	// URL is where it is, with {name} for a parameter in its path or query. Parameters that it does
	// not hold go into the query of a GET, and into the JSON object that is the body of a POST.
	URL     string          `json:"url"`
	Method  string          `json:"method,omitempty"` // GET or POST; empty: GET
	Params  []string        `json:"params,omitempty"` // the names of the arguments, in their order
	Headers []ContentHeader `json:"headers,omitempty"`
	Timeout int             `json:"timeout_ms,omitempty"` // milliseconds; 0: [ContentTimeout]
}

// ContentTimeout and MaxContentTimeout are how long a content API usually has for an answer, and at most.
const (
	ContentTimeout    = 5 * time.Second
	MaxContentTimeout = 20 * time.Second
)

// ContentHeader is a header that goes with each call.
type ContentHeader struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// Env names the environment variable that holds the value instead: secrets are not stored.
	Env string `json:"env,omitempty"`
}

// ContentPolicy says which servers content APIs may reach.
type ContentPolicy struct {
	// Hosts are those that may be called: a name, one with *. before it for all names below it, or
	// either with a port. Without a port it is the usual one of http and https. None is called that
	// is not on the list.
	Hosts []string `json:"hosts,omitempty"`
	// Private lets hosts of the list be in this machine's own networks: loopback, private and
	// link-local addresses. Otherwise these are refused whatever name leads there.
	Private bool `json:"private,omitempty"`
}

// ContentTemplate is a saved template, which messages take by its id (CONTRACT.md, campaign_content).
type ContentTemplate struct {
	ID      string  `json:"id"`
	Version int     `json:"version"` // from 1
	Name    string  `json:"name,omitempty"`
	Channel Channel `json:"channel"` // PUSH or EMAIL
	// Platform is the one that a push template is for: ANDROID or IOS.
	Platform string `json:"platform,omitempty"`
	// Content is what stands under `email`, `android` or `ios` in a campaign that has it from here.
	// What the campaign says itself takes precedence.
	Content doc.Value `json:"content"`
	SavedAt time.Time `json:"saved_at"`
}

// ContentCall is one call of a content API that a preview, a test send or a trial made. A header whose
// value comes from the environment has $NAME for it.
type ContentCall struct {
	API            string      `json:"api"`
	Start          time.Time   `json:"start"`
	End            time.Time   `json:"end"`
	Method         string      `json:"method"`
	URL            string      `json:"url"`
	RequestHeader  http.Header `json:"request_header,omitempty"`
	Request        []byte      `json:"request,omitempty"` // the body; nil: none
	Status         int         `json:"status,omitempty"`  // 0 where there was no answer
	ResponseHeader http.Header `json:"response_header,omitempty"`
	Response       []byte      `json:"response,omitempty"`
	Err            string      `json:"error,omitempty"` // why it gave no value
	// Reused counts how often its answer was used again in the same send.
	Reused int `json:"again,omitempty"`
}

// ContentTrial is what a call of a content API gave.
type ContentTrial struct {
	Call  ContentCall `json:"call"`
	Value any         `json:"value"` // as an expression gets it; nil where the call failed
}
