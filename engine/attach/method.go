package attach

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bugle/engine"
)

// target is what a method works on.
type target struct {
	owned Owned
	svc   Service // of the call's workspace; nil for methods on the store
}

// method is one thing that a process can ask of the owner.
type method[In, Out any] struct {
	name  string
	store bool // on the store as a whole, without a workspace
	run   func(ctx context.Context, t target, in In) (Out, error)
	// touched gives what a call has changed; nil for methods that only read.
	touched func(in In, out Out) []Change
	// progress is where a call keeps what is told of its steps; nil for methods without any. A
	// caller that gives up stops such a call, and hears how far it came.
	progress func(in *In) *func(engine.TestProgress)
	// settle looks what became of a call whose answer was lost, and reports whether it was done;
	// nil where a call can be made again.
	settle func(ctx context.Context, s *session, in In, since time.Time) (out Out, done bool, err error)
}

// endpoints are all methods by name, as the owner serves them.
var endpoints = map[string]endpoint{}

func define[In, Out any](m method[In, Out]) *method[In, Out] {
	if _, taken := endpoints[m.name]; taken {
		panic("attach: two methods named " + m.name)
	}
	endpoints[m.name] = endpoint{steps: m.progress != nil, serve: m.serve}
	return &m
}

// on makes a method of one of the service.
func on[In, Out any](f func(Service, context.Context, In) (Out, error)) func(context.Context, target, In) (Out, error) {
	return func(ctx context.Context, t target, in In) (Out, error) { return f(t.svc, ctx, in) }
}

// endpoint is a method without its types.
type endpoint struct {
	steps bool
	serve func(ctx context.Context, h *host, q asked, tell func(engine.TestProgress)) ([]byte, error)
}

// serve does a call that came through the socket.
func (m *method[In, Out]) serve(ctx context.Context, h *host, q asked, tell func(engine.TestProgress)) ([]byte, error) {
	var in In
	if err := decode(orNull(q.In), &in); err != nil {
		return nil, undecodable(err)
	}
	if m.progress != nil {
		*m.progress(&in) = tell
	}
	out, err := m.do(ctx, h, q.Node, q.Workspace, in)
	if err != nil {
		return nil, err
	}
	b, err := encode(out)
	if err != nil {
		return nil, fmt.Errorf("cannot write the response of %s: %w", m.name, err)
	}
	return b, nil
}

func undecodable(err error) error {
	var unkept *unkeptError
	if errors.As(err, &unkept) {
		return engine.Errorf(engine.BadRequest, 400, "cannot store the body: %w", unkept.error)
	}
	return engine.Errorf(engine.BadRequest, 400, "cannot read the request: %w", err)
}

func orNull(b []byte) []byte {
	if len(b) == 0 {
		return []byte("null")
	}
	return b
}

// do does a call in the process that owns the store.
func (m *method[In, Out]) do(ctx context.Context, h *host, node, workspace string, in In) (out Out, err error) {
	if !h.calls.enter() {
		return out, errLeaving
	}
	defer h.calls.leave()
	t := target{owned: h.owned}
	if !m.store {
		if t.svc, err = h.service(workspace); err != nil {
			return out, err
		}
	}
	if out, err = m.run(ctx, t, in); err != nil || m.touched == nil {
		return out, err
	}
	for _, c := range m.touched(in, out) {
		if c == (Change{}) { // it went past the services
			for _, t := range h.tidiers() {
				t.Reindex()
			}
		}
		if c.Workspace == "" {
			c.Workspace = workspace
		}
		h.tell(news{Change: c, Node: node})
	}
	return out, nil
}

// call does a call wherever the store is, and goes on where it gets another owner meanwhile.
func call[In, Out any](ctx context.Context, s *session, m *method[In, Out], in In) (out Out, err error) {
	if err := s.node.enter(ctx); err != nil {
		return out, err
	}
	defer s.node.calls.leave()
	out, _, err = persist(ctx, s, m, in)
	return out, err
}

// persist is [call] from within one. It reports whether an answer was lost on the way.
func persist[In, Out any](ctx context.Context, s *session, m *method[In, Out], in In) (out Out, lost bool, err error) {
	since := time.Now()
	for {
		h, l, err := s.node.owner(ctx)
		if err != nil {
			return out, lost, err
		}
		var t *trouble
		if h != nil {
			out, err = m.do(ctx, h, s.node.author(ctx), s.workspace, in)
			if errors.Is(err, errLeaving) {
				err = ErrClosed
			}
		} else {
			out, err = ask(ctx, l, s, m, in)
		}
		if !errors.As(err, &t) {
			return out, lost, err
		}
		if err := l.after(ctx, t, since); err != nil {
			return out, lost, err
		}
		if t.undone || l.clean() {
			continue
		}
		lost = true
		if m.settle == nil {
			continue
		}
		if out, done, err := m.settle(ctx, s, in, since); done || err != nil {
			return out, lost, err
		}
	}
}

// ask does a call in another process. A failure to reach it is a *[trouble].
func ask[In, Out any](ctx context.Context, l *link, s *session, m *method[In, Out], in In) (out Out, err error) {
	b, err := encode(in)
	if err != nil {
		return out, engine.Errorf(engine.BadRequest, 400, "cannot send the request: %w", err)
	}
	var tell func(engine.TestProgress)
	if m.progress != nil {
		tell = *m.progress(&in)
	}
	raw, err := l.call(ctx, m.name, asked{Workspace: s.workspace, Node: s.node.id, In: b}, m.progress != nil, tell)
	if err != nil {
		return out, err
	}
	if err := decode(orNull(raw), &out); err != nil {
		return out, fmt.Errorf("cannot read the response of the process that has the store open: %w", err)
	}
	return out, nil
}
