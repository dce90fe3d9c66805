package attach

import (
	"context"
	"fmt"
	"time"
)

// Yield leaves the folder for a while, before the process is suspended: the store is let go, where
// this process has it, and another one takes over. Calls here wait for [Node.Rejoin], as long as
// their contexts let them. Calls that run are waited for until ctx ends; where some go on then, the
// node stays as it is, and the error says so. Yielding twice, or after Close, does nothing.
func (n *Node) Yield(ctx context.Context) error {
	n.part.Lock()
	defer n.part.Unlock()
	if n.away || n.closed {
		return nil
	}
	n.mu.Lock()
	n.back = make(chan struct{})
	n.mu.Unlock()
	if err := idle(ctx, n.calls.close()); err != nil {
		n.admit()
		return err
	}
	// From here on nobody else moves the node.
	n.halt()
	n.mu.Lock()
	h, l := n.host, n.link
	n.mu.Unlock()
	if h != nil {
		if err := idle(ctx, h.calls.close()); err != nil {
			h.calls.open()
			n.start()
			n.admit()
			return err
		}
	}
	n.mu.Lock()
	n.host, n.link, n.state = nil, nil, State{}
	n.told()
	n.mu.Unlock()
	n.away = true
	if l != nil {
		l.close()
	}
	if h != nil {
		return h.close(n.o.Grace)
	}
	return nil
}

// Rejoin takes part in the folder again after [Node.Yield]: it attaches to who has the store now,
// or takes it. It does not wait for that; calls do, as long as when an owner is lost. Where the node
// did not yield, or is closed, it does nothing.
func (n *Node) Rejoin() {
	n.part.Lock()
	defer n.part.Unlock()
	if !n.away || n.closed {
		return
	}
	n.away = false
	n.start()
	n.admit()
}

// admit lets calls in again.
func (n *Node) admit() {
	n.calls.open()
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.back)
}

func idle(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	begun := time.Now()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("calls go on after %v: %w", time.Since(begun).Round(time.Millisecond), ctx.Err())
	}
}

// servedKey marks the context of a request that came through the socket to the handler.
type servedKey struct{}

// author returns who makes a call: this node, or with a request that came through the socket nobody
// who is one.
func (n *Node) author(ctx context.Context) string {
	if ctx.Value(servedKey{}) != nil {
		return ""
	}
	return n.id
}

// enter lets a call in, as soon as the node takes part in the folder; then it is followed by
// n.calls.leave. A request that came through the socket does not wait for that: its caller finds
// the next owner sooner.
func (n *Node) enter(ctx context.Context) error {
	for !n.calls.enter() {
		n.mu.Lock()
		back := n.back
		n.mu.Unlock()
		select {
		case <-n.leaving:
			return ErrClosed
		default:
		}
		if ctx.Value(servedKey{}) != nil {
			return ErrClosed
		}
		select {
		case <-back:
		case <-n.leaving:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
