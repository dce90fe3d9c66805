package attach

import (
	"context"

	"bugle/engine/search/index"
)

var _ index.Indexed = (*session)(nil)

// Index returns the index that the workspace's service keeps where this process has the store; elsewhere
// there is none. When the store is let go, the index is left.
func (s *session) Index(ctx context.Context) (*index.Index, bool) {
	if s.node.enter(ctx) != nil {
		return nil, false
	}
	defer s.node.calls.leave()
	s.node.mu.Lock()
	h := s.node.host
	s.node.mu.Unlock()
	if h == nil || !h.calls.enter() {
		return nil, false
	}
	defer h.calls.leave()
	svc, err := h.service(s.workspace)
	if err != nil {
		return nil, false
	}
	return index.Of(ctx, svc)
}
