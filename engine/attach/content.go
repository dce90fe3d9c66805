package attach

import (
	"context"
	"time"

	"bugle/engine"
)

// trial is a call of a content API.
type trial struct {
	Name string
	Args []string
}

// What messages are made of.
var (
	contentMethod     = define(method[engine.ContentKind, []engine.ContentItem]{name: "content", run: on(Service.Content)})
	contentItemMethod = define(method[engine.ContentRef, engine.ContentItem]{name: "content-item", run: on(Service.ContentItem)})
	putContentMethod  = define(method[engine.ContentItem, engine.ContentRef]{name: "put-content", run: on(Service.PutContent),
		touched: func(engine.ContentItem, engine.ContentRef) []Change { return []Change{{Kind: Settings}} }})
	deleteContentMethod = define(method[engine.ContentRef, none]{name: "delete-content", settle: settleDeleteContent,
		run: func(ctx context.Context, t target, ref engine.ContentRef) (none, error) {
			return none{}, t.svc.DeleteContent(ctx, ref)
		},
		touched: func(engine.ContentRef, none) []Change { return []Change{{Kind: Settings}} }})
	contentUsesMethod = define(method[engine.ContentRef, []engine.ContentUse]{name: "content-uses", run: on(Service.ContentUses)})
	tryContentMethod  = define(method[trial, engine.ContentTrial]{name: "try-content-api",
		run: func(ctx context.Context, t target, in trial) (engine.ContentTrial, error) {
			return t.svc.TryContentAPI(ctx, in.Name, in.Args)
		}})
)

func settleDeleteContent(ctx context.Context, s *session, ref engine.ContentRef, _ time.Time) (none, bool, error) {
	_, err := look(ctx, s, contentItemMethod, ref)
	return none{}, isMissing(err), nil
}

func (s *session) Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	return call(ctx, s, contentMethod, kind)
}

func (s *session) ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	return call(ctx, s, contentItemMethod, ref)
}

func (s *session) PutContent(ctx context.Context, item engine.ContentItem) (engine.ContentRef, error) {
	return call(ctx, s, putContentMethod, item)
}

func (s *session) DeleteContent(ctx context.Context, ref engine.ContentRef) error {
	_, err := call(ctx, s, deleteContentMethod, ref)
	return err
}

func (s *session) ContentUses(ctx context.Context, ref engine.ContentRef) ([]engine.ContentUse, error) {
	return call(ctx, s, contentUsesMethod, ref)
}

func (s *session) TryContentAPI(ctx context.Context, name string, args []string) (engine.ContentTrial, error) {
	return call(ctx, s, tryContentMethod, trial{name, args})
}
