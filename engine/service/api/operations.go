package api

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/operation"
	"bugle/engine/schema"
)

// Timeouts of operations. A test send talks to other servers: a mail server may think about a message for ten minutes.
const (
	defaultBudget = 30 * time.Second
	testBudget    = 15 * time.Minute
)

// The memory for reading campaigns. A page of the largest ones takes more, but that is rare.
const (
	oneCampaign = engine.MaxBody * perByte
	onePage     = 16 << 20
)

// route is an operation on this server.
type route struct {
	*operation.Operation
	scope  func(*exchange) string // nil: any credential
	budget time.Duration
	// memory is the memory of the campaigns that it reads, in bytes, besides body and response.
	memory int64
	// open reports that it needs no credentials.
	open bool
	run  func(context.Context, *exchange) (result, error)
}

var routes = []*route{
	{Operation: operation.Create, scope: ownScope, budget: defaultBudget, run: create},
	{Operation: operation.Get, budget: defaultBudget, run: get},
	{Operation: operation.Update, scope: updateOrPublish, budget: defaultBudget, memory: oneCampaign, run: update},
	{Operation: operation.Validate, budget: defaultBudget, memory: oneCampaign, run: validate},
	{Operation: operation.Status, scope: ownScope, budget: defaultBudget, run: changeStatus},
	{Operation: operation.Search, budget: defaultBudget, memory: onePage, run: search},
	{Operation: operation.Meta, budget: defaultBudget, run: meta},
	{Operation: operation.Test, scope: ownScope, budget: testBudget, run: test},
	{Operation: operation.Preview, budget: defaultBudget, run: preview},
}

func operationPaths() []string {
	paths := map[string]bool{}
	for _, op := range routes {
		paths[op.Path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// unknown is the route for unknown paths.
var unknown = &route{Operation: &operation.Operation{Name: "unknown"}, open: true, run: func(_ context.Context, x *exchange) (result, error) {
	return result{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "unknown path %s; paths of operations start with /v5", x.r.URL.EscapedPath())
}}

// wrongMethod is the route for other methods of an existing path. It answers OPTIONS.
func wrongMethod(methods map[string]*route) *route {
	allow := strings.Join(append(slices.Sorted(maps.Keys(methods)), http.MethodOptions), ", ")
	return &route{Operation: &operation.Operation{Name: "method"}, open: true, run: func(_ context.Context, x *exchange) (result, error) {
		x.header.Set("Allow", allow)
		if x.r.Method == http.MethodOptions {
			return result{status: http.StatusNoContent}, nil
		}
		return result{}, engine.Errorf(engine.BadRequest, http.StatusMethodNotAllowed, "%s supports %s, not %s", x.r.URL.EscapedPath(), allow, x.r.Method)
	}}
}

func ownScope(x *exchange) string { return x.op.Scope }

// updateOrPublish returns the scope for the body. While publishing is in beta, it is refused to every caller,
// regardless of the scope.
func updateOrPublish(x *exchange) string {
	if !x.body.Get("status").Exists() {
		return operation.Update.Scope
	}
	if x.tenant.Publish == engine.PublishBeta {
		return ""
	}
	return operation.Publish.Scope
}

func create(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Create(ctx, engine.CreateRequest{Call: x.call(), Body: x.body})
	return result{answer: out.ResponseInfo, data: out.Document()}, err
}

func get(ctx context.Context, x *exchange) (result, error) {
	id := x.r.PathValue("id")
	if h, rest, ok := x.records.find(ctx, x.tenant, id); ok {
		if x.unchanged(h) {
			return result{status: http.StatusNotModified}, nil
		}
		return result{spell: func(b []byte) []byte { return h.AppendRecord(b, rest) }}, nil
	}
	// A cached record is short, and often waits for a database.
	if err := x.reservation.work(ctx, oneCampaign); err != nil {
		return result{}, err
	}
	c, err := x.tenant.Service.Get(ctx, id)
	if err != nil {
		return result{}, err
	}
	x.records.put(x.tenant.Workspace, &c)
	if x.unchanged(c.Head) {
		return result{status: http.StatusNotModified}, nil
	}
	return result{spell: c.AppendRecord}, nil
}

func update(ctx context.Context, x *exchange) (result, error) {
	from, err := x.revision()
	if err != nil {
		return result{}, err
	}
	out, err := x.tenant.Service.Update(ctx, engine.UpdateRequest{Call: x.call(), ID: x.r.PathValue("id"), Body: x.body, IfMatch: from})
	if out.ETag != "" {
		x.header.Set(operation.HeaderETag, out.ETag)
	}
	return result{answer: out.ResponseInfo, data: out.Document()}, err
}

// unchanged sets the entity tag of a campaign, and reports whether the caller has that revision (RFC 9110, section 13.1.2).
func (x *exchange) unchanged(h engine.Head) bool {
	tag := engine.Campaign{Head: h}.Tag()
	x.header.Set(operation.HeaderETag, tag)
	for _, list := range x.r.Header.Values(operation.HeaderIfNoneMatch) {
		for _, has := range strings.Split(list, ",") {
			if has = strings.TrimSpace(has); has == "*" || strings.TrimPrefix(has, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// revision returns the entity tag of the revision that a change was made from; empty if it does not say.
func (x *exchange) revision() (string, error) {
	tag, twice := single(x.r.Header, operation.HeaderIfMatch)
	if tag == "" && !twice || tag == "*" {
		return "", nil
	}
	if operation.ParseETag(tag) > 0 && !twice {
		return tag, nil
	}
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "%s must be the %s of a response to a GET of the campaign", operation.HeaderIfMatch, operation.HeaderETag)
	e.Target = operation.HeaderIfMatch
	return "", e
}

func validate(ctx context.Context, x *exchange) (result, error) {
	if x.body.Exists() {
		err := engine.Invalid(catalog.ValidateRequest().Validate(x.body, schema.Env{}))
		if e := engine.AsError(err); e != nil {
			e.Message = strings.Replace(e.Message, "the campaign", "the validate request", 1)
			return result{}, e
		}
	}
	out, err := x.tenant.Service.Validate(ctx, x.r.PathValue("id"))
	return result{data: out.Document()}, err
}

func changeStatus(ctx context.Context, x *exchange) (result, error) {
	r, err := engine.ParseStatus(x.body)
	if err != nil {
		return result{}, err
	}
	r.Call, r.ID = x.call(), x.r.PathValue("id")
	out, err := x.tenant.Service.ChangeStatus(ctx, r)
	return result{answer: out.ResponseInfo, data: out.Document()}, err
}

func search(ctx context.Context, x *exchange) (result, error) {
	r, err := engine.ParseSearch(x.body)
	if err != nil {
		return result{}, err
	}
	r.Call = x.call()
	found, err := x.tenant.Service.Search(ctx, r)
	err = cmp.Or(err, x.damage())
	return result{spell: func(b []byte) []byte {
		return spellRows(b, found, (*engine.Campaign).AppendRecord)
	}}, err
}

func meta(ctx context.Context, x *exchange) (result, error) {
	r, err := engine.ParseMeta(x.body)
	if err != nil {
		return result{}, err
	}
	r.Call = x.call()
	found, err := x.tenant.Service.Meta(ctx, r)
	err = cmp.Or(err, x.damage())
	return result{spell: func(b []byte) []byte {
		return spellRows(b, found, func(m *engine.Meta, b []byte) []byte { return m.Row().AppendTo(b) })
	}}, err
}

// damage returns an error if the store has left out records of a list because they are damaged.
func (x *exchange) damage() error {
	if s, ok := x.tenant.Service.(interface{ Damage() error }); ok {
		return s.Damage()
	}
	return nil
}

// spellRows appends a page as it is spelled.
func spellRows[T any](b []byte, found []T, row func(*T, []byte) []byte) []byte {
	b = append(b, `{"campaigns":[`...)
	for i := range found {
		if i > 0 {
			b = append(b, ',')
		}
		b = row(&found[i], b)
	}
	return append(b, "]}"...)
}

func test(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Test(ctx, engine.TestRequest{Call: x.call(), Body: x.body})
	return result{answer: out.ResponseInfo, data: out.Document()}, err
}

func preview(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Preview(ctx, engine.PreviewRequest{Call: x.call(), Body: x.body})
	return result{answer: out.ResponseInfo, data: out.Document()}, err
}
