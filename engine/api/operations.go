package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/api/limit"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// How long an operation may take; a test send talks to other servers.
const (
	usualBudget = 30 * time.Second
	testBudget  = 5 * time.Minute
)

// What reading campaigns may take. A page of the largest ones takes more, and there are few of these.
const (
	oneCampaign = MaxBody * perByte
	onePage     = 16 << 20
)

// operation is one row of the endpoint table (gaps.md, Operations).
type operation struct {
	name    string
	methods []string // the documented one first
	path    string
	limits  []limit.Window
	// creates says that the limits of creations hold.
	creates bool
	// write: the request is done to its end, also where its client has gone.
	write bool
	// keyed: it needs an Idempotency-Key.
	keyed bool
	body  bodyRule
	// ownID: the request id may be left out, and is made.
	ownID  bool
	scope  func(*exchange) string // nil: every credential will do
	budget time.Duration
	// memory is how many bytes the campaigns that it reads may take, besides body and answer.
	memory int64
	// open: it is answered without credentials.
	open bool
	run  func(context.Context, *exchange) (result, error)
}

// bodyRule says what becomes of a request's body.
type bodyRule int

const (
	bodyRequired bodyRule = iota
	bodyOptional
	bodyIgnored
)

var operations = []*operation{
	{
		name: "create", methods: []string{http.MethodPost}, path: "/v5/campaigns", limits: limit.Create, creates: true,
		write: true, keyed: true, scope: manage, budget: usualBudget, run: create,
	},
	{
		name: "get", methods: []string{http.MethodGet, http.MethodHead}, path: "/v5/campaigns/{id}", limits: limit.Other,
		body: bodyIgnored, ownID: true, budget: usualBudget, memory: oneCampaign, run: get,
	},
	{
		name: "update", methods: []string{http.MethodPatch}, path: "/v5/campaigns/{id}", limits: limit.Other,
		write: true, keyed: true, scope: manageOrPublish, budget: usualBudget, memory: oneCampaign, run: update,
	},
	{
		name: "validate", methods: []string{http.MethodPost}, path: "/v5/campaigns/{id}/validate", limits: limit.Other,
		body: bodyOptional, ownID: true, budget: usualBudget, memory: oneCampaign, run: validate,
	},
	{
		name: "status", methods: []string{http.MethodPost, http.MethodPatch}, path: "/v5/campaigns/{id}/status", limits: limit.Other,
		write: true, keyed: true, scope: manage, budget: usualBudget, run: changeStatus,
	},
	{
		name: "search", methods: []string{http.MethodPost}, path: "/v5/campaigns/search", limits: limit.Other,
		budget: usualBudget, memory: onePage, run: search,
	},
	{
		name: "meta", methods: []string{http.MethodPost}, path: "/v5/campaigns/meta", limits: limit.Other,
		budget: usualBudget, run: meta,
	},
	{
		name: "test", methods: []string{http.MethodPost}, path: "/v5/campaigns/test", limits: limit.Other,
		write: true, keyed: true, scope: manage, budget: testBudget, run: test,
	},
	{
		name: "preview", methods: []string{http.MethodPost}, path: "/v5/personalization/preview", limits: limit.Preview,
		budget: usualBudget, run: preview,
	},
}

func operationPaths() []string {
	paths := map[string]bool{}
	for _, op := range operations {
		paths[op.path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// Route is one method and path of the API, with the name of its operation.
type Route struct{ Operation, Method, Path string }

// Routes returns what [New] serves, for whoever documents it.
func Routes() []Route {
	var out []Route
	for _, op := range operations {
		for _, m := range op.methods {
			out = append(out, Route{op.name, m, op.path})
		}
	}
	return out
}

// unknown is a path that is not there.
var unknown = &operation{name: "unknown", open: true, run: func(_ context.Context, x *exchange) (result, error) {
	return result{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "unknown path %s; paths of operations start with /v5", x.r.URL.EscapedPath())
}}

// wrongMethod is a path that is there, for other methods. OPTIONS it answers.
func wrongMethod(methods map[string]*operation) *operation {
	allow := strings.Join(append(slices.Sorted(maps.Keys(methods)), http.MethodOptions), ", ")
	return &operation{name: "method", open: true, run: func(_ context.Context, x *exchange) (result, error) {
		x.header.Set("Allow", allow)
		if x.r.Method == http.MethodOptions {
			return result{status: http.StatusNoContent}, nil
		}
		return result{}, engine.Errorf(engine.BadRequest, http.StatusMethodNotAllowed, "%s supports %s, not %s", x.r.URL.EscapedPath(), allow, x.r.Method)
	}}
}

func manage(*exchange) string { return engine.ScopeManage }

// manageOrPublish asks for the scope of what the body wants. While publishing is in beta the
// service refuses it to every caller, so that the scope does not matter.
func manageOrPublish(x *exchange) string {
	if !x.body.Get("status").Exists() {
		return engine.ScopeManage
	}
	if x.tenant.Publish == engine.PublishBeta {
		return ""
	}
	return engine.ScopePublish
}

// The types of the success envelope (spec.md, Envelopes; gaps.md, Operations, Preview).
const (
	typeCampaign        = "campaign"
	typePersonalization = "personalization"
)

func create(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Create(ctx, engine.CreateRequest{Call: x.call(), Body: x.body})
	return result{
		status: http.StatusCreated, answer: out.Answer,
		data: doc.NewObject(doc.M("id", doc.NewString(out.ID)), doc.M("status", doc.NewString(string(out.Status)))),
	}, err
}

func get(ctx context.Context, x *exchange) (result, error) {
	id := x.r.PathValue("id")
	if h, rest, ok := x.records.find(ctx, x.tenant, id); ok {
		return result{spell: func(b []byte) []byte { return h.AppendRecord(b, rest) }}, nil
	}
	c, err := x.tenant.Service.Get(ctx, id)
	if err != nil {
		return result{}, err
	}
	x.records.put(x.tenant.Workspace, &c)
	return result{spell: c.AppendRecord}, nil
}

func update(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Update(ctx, engine.UpdateRequest{Call: x.call(), ID: x.r.PathValue("id"), Body: x.body})
	return result{answer: out.Answer, data: doc.NewObject(doc.M("id", doc.NewString(out.ID)))}, err
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
	return result{
		answer: out.Answer,
		data:   doc.NewObject(doc.M("id", doc.NewString(out.ID)), doc.M("action", doc.NewString(string(out.Action)))),
	}, err
}

func search(ctx context.Context, x *exchange) (result, error) {
	r, err := engine.ParseSearch(x.body)
	if err != nil {
		return result{}, err
	}
	r.Call = x.call()
	found, err := x.tenant.Service.Search(ctx, r)
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
	return result{spell: func(b []byte) []byte {
		return spellRows(b, found, func(m *engine.Meta, b []byte) []byte { return m.Row().AppendTo(b) })
	}}, err
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
	return result{answer: out.Answer, data: out.Document()}, err
}

func preview(ctx context.Context, x *exchange) (result, error) {
	out, err := x.tenant.Service.Preview(ctx, engine.PreviewRequest{Call: x.call(), Body: x.body})
	data := []doc.Member{doc.M("personalized_content", out.Content)}
	if len(out.Unresolved) > 0 {
		missing := make([]doc.Value, len(out.Unresolved))
		for i, u := range out.Unresolved {
			missing[i] = doc.NewObject(doc.M("field", doc.NewString(u.Field)), doc.M("expression", doc.NewString(u.Expression)))
		}
		data = append(data, doc.M("unresolved", doc.NewArray(missing...)))
	}
	return result{kind: typePersonalization, answer: out.Answer, data: doc.NewObject(data...)}, err
}
