package attach

import (
	"context"

	"bugle/engine/search/index"
)

var _ index.Indexed = (*session)(nil)

// Index returns the index that the workspace's service keeps where this process has the store; elsewhere
// there is none. When the store is let go, the index is left.
func (s *session) Index(ctx context.Context) (*index.Index, bool) {
	svc, leave, ok := s.here(ctx)
	if !ok {
		return nil, false
	}
	defer leave()
	return index.Of(ctx, svc)
}

// Sync implements [index.Indexed].
func (s *session) Sync(ctx context.Context) error {
	svc, leave, ok := s.here(ctx)
	if !ok {
		return nil // there is no index
	}
	defer leave()
	if y, ok := svc.(index.Indexed); ok {
		return y.Sync(ctx)
	}
	return nil
}

// here returns the workspace's service where this process has the store; the call is to be left then.
func (s *session) here(ctx context.Context) (svc Service, leave func(), ok bool) {
	if s.node.enter(ctx) != nil {
		return nil, nil, false
	}
	s.node.mu.Lock()
	h := s.node.host
	s.node.mu.Unlock()
	if h == nil || !h.calls.enter() {
		s.node.calls.leave()
		return nil, nil, false
	}
	svc, err := h.service(s.workspace)
	if err != nil {
		h.calls.leave()
		s.node.calls.leave()
		return nil, nil, false
	}
	return svc, func() { h.calls.leave(); s.node.calls.leave() }, true
}
