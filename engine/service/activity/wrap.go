package activity

import (
	"context"
	"slices"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/operation"
	"bugle/engine/search/index"
)

// Service is what [Wrap] accepts: all capabilities of a local workspace.
type Service interface {
	engine.Service
	engine.Lister
	engine.DraftSaver
	engine.WorkingCopyStore
	engine.DismissalStore
	engine.RevisionReader
	engine.CampaignManager
	engine.OutboxReader
	engine.WorkspaceStore
	engine.GatewayOpener
	engine.UserStore
	engine.UserImporter
	engine.AudienceReader
	engine.TestHistory
	engine.ContentStore
}

// Wrap returns a service whose ten operations are recorded in l as the equivalent API calls: with the method
// and path (CONTRACT.md, Operations), the status and the envelopes of the API. Saves of drafts are recorded
// as local calls. Other capabilities are not recorded.
func Wrap(s Service, l *Log) Service {
	return &recordingService{Service: s, log: l}
}

type recordingService struct {
	Service
	log *Log
}

var _ index.Indexed = (*recordingService)(nil)

// Index returns the index of the service, if it has one. Searches in it are not recorded.
func (s *recordingService) Index(ctx context.Context) (*index.Index, bool) {
	return index.For(ctx, s.Service)
}

// Sync implements [index.Indexed].
func (s *recordingService) Sync(ctx context.Context) error {
	if y, ok := s.Service.(index.Indexed); ok {
		return y.Sync(ctx)
	}
	return nil
}

// opSave is the operation of a save, which has no path.
const opSave = "save"

// pendingCall is a call that has started.
type pendingCall struct {
	*operation.Operation
	call Call
}

func begin(op *operation.Operation, id string, ids engine.Call, request doc.Value) *pendingCall {
	if ids.RequestID == "" {
		ids.RequestID = request.Get("request_id").Text()
	}
	return &pendingCall{Operation: op, call: Call{
		At: time.Now(), Operation: op.Name, Campaign: id, Method: op.Method(), Path: op.PathFor(id),
		RequestID: ids.RequestID, IdempotencyKey: ids.IdempotencyKey, request: document(request),
	}}
}

// end adds the call to the log. data returns the data of the success envelope, which keeps about size bytes
// in memory.
func (s *recordingService) end(n *pendingCall, a engine.ResponseInfo, err error, size int, data func() doc.Value) {
	c := &n.call
	c.Took, c.Status, c.Err, c.Replayed = time.Since(c.At), n.Operation.Status, Reason(err), a.Replayed
	if err != nil {
		c.Status, c.response = refusal(c.RequestID, err)
	} else {
		id := a.ResponseID
		if id == "" {
			id = c.RequestID
		}
		c.response = body{size: size, doc: func() doc.Value { return success(n.Operation, id, data()) }}
	}
	s.log.Add(*c)
}

func (s *recordingService) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	n := begin(operation.Create, "", r.Call, r.Body)
	out, err := s.Service.Create(ctx, r)
	n.call.Campaign = out.ID
	s.end(n, out.ResponseInfo, err, nodeWeight, out.Document)
	return out, err
}

func (s *recordingService) Get(ctx context.Context, id string) (engine.Campaign, error) {
	n := begin(operation.Get, id, engine.Call{}, doc.Value{})
	out, err := s.Service.Get(ctx, id)
	s.end(n, engine.ResponseInfo{}, err, heldBy(out), out.Record)
	return out, err
}

func (s *recordingService) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	n := begin(operation.Update, r.ID, r.Call, r.Body)
	out, err := s.Service.Update(ctx, r)
	s.end(n, out.ResponseInfo, err, nodeWeight, out.Document)
	return out, err
}

func (s *recordingService) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	n := begin(operation.Publish, r.ID, r.Call, doc.NewObject(text("status", string(catalog.Publish))))
	out, err := s.Service.Publish(ctx, r)
	s.end(n, out.ResponseInfo, err, nodeWeight, out.Document)
	return out, err
}

func (s *recordingService) Validate(ctx context.Context, id string) (engine.Validation, error) {
	n := begin(operation.Validate, id, engine.Call{}, doc.Value{})
	out, err := s.Service.Validate(ctx, id)
	s.end(n, engine.ResponseInfo{}, err, nodeWeight*(1+len(out.Problems)), out.Document)
	return out, err
}

func (s *recordingService) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	n := begin(operation.Status, r.ID, r.Call, r.Document())
	out, err := s.Service.ChangeStatus(ctx, r)
	s.end(n, out.ResponseInfo, err, nodeWeight, out.Document)
	return out, err
}

func (s *recordingService) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	n := begin(operation.Search, "", r.Call, r.Document())
	out, err := s.Service.Search(ctx, r)
	size := nodeWeight
	for _, c := range out {
		size += heldBy(c)
	}
	found := slices.Clone(out) // the caller's to sort
	s.end(n, engine.ResponseInfo{}, err, size, func() doc.Value { return page(found, engine.Campaign.Record) })
	return out, err
}

func (s *recordingService) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	n := begin(operation.Meta, r.ID, r.Call, r.Document())
	out, err := s.Service.Meta(ctx, r)
	found := slices.Clone(out)
	s.end(n, engine.ResponseInfo{}, err, (1+len(out))*4*nodeWeight, func() doc.Value { return page(found, engine.Meta.Row) })
	return out, err
}

func (s *recordingService) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	n := begin(operation.Test, r.Body.Get("draft_id").Text(), r.Call, r.Body)
	out, err := s.Service.Test(ctx, r)
	s.addContentCalls(out.Calls)
	s.end(n, out.ResponseInfo, err, (1+len(out.Keys))*nodeWeight, out.Document)
	return out, err
}

func (s *recordingService) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	n := begin(operation.Preview, "", r.Call, r.Body)
	out, err := s.Service.Preview(ctx, r)
	s.addContentCalls(out.Calls)
	s.end(n, out.ResponseInfo, err, weight(out.Content)+len(out.Unresolved)*nodeWeight, out.Document)
	return out, err
}

// Save is recorded as a local call: the API cannot save invalid drafts.
func (s *recordingService) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	c := Call{At: time.Now(), Operation: opSave, Campaign: r.ID, Local: true, request: document(r.Body)}
	out, err := s.Service.Save(ctx, r)
	c.Took, c.Err = time.Since(c.At), Reason(err)
	if err != nil {
		_, c.response = refusal("", err)
	} else {
		c.response = body{size: nodeWeight, doc: func() doc.Value {
			return doc.NewObject(text("id", out.ID), text("status", string(out.Status)), doc.M("revision", doc.NewInt(out.Revision)))
		}}
	}
	s.log.Add(c)
	return out, err
}

// heldBy returns about how many bytes a campaign keeps in memory.
func heldBy(c engine.Campaign) int { return 4*nodeWeight + weight(c.Body) }
