// Package contentapi calls the content APIs of a workspace: HTTP services whose responses the expressions of
// a message show (CONTRACT.md, Personalization).
//
// The author of a message decides what is called, and the response leaves the system. Therefore only hosts on
// the workspace's list are called, and addresses in private networks only if the workspace allows it, checked
// when dialing. No proxy is used.
package contentapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bugle/engine"
)

// The limits of one session.
const (
	MaxAnswer = 256 << 10 // bytes of a response
	MaxCalls  = 1000      // calls per session
)

// Client makes the calls. The zero value is ready for use. It is safe for concurrent use.
type Client struct {
	Getenv    func(string) (string, bool) // nil: the environment
	Now       func() time.Time            // nil: time.Now
	UserAgent string                      // empty: "bugle"
	Logger    *slog.Logger                // nil: nothing is logged
}

// Session makes the calls of one send. Each API is called once with the same arguments, and all messages
// share its response or error. It is safe for concurrent use and must be closed.
type Session struct {
	client    *Client
	policy    engine.ContentPolicy
	apis      []engine.ContentAPI
	transport *http.Transport
	do        func(ctx context.Context, api engine.ContentAPI, args []any) (engine.ContentCall, any, error)

	mu    sync.Mutex
	known map[string]*result
	order []*result
}

// result is the result of one call, valid once done is closed.
type result struct {
	done      chan struct{}
	call      engine.ContentCall
	value     any
	err       error
	abandoned bool // the caller was canceled; others must call again
	reused    int
}

// NewSession starts a session with the APIs of a workspace. It must be closed.
func (c *Client) NewSession(apis []engine.ContentAPI, policy engine.ContentPolicy) *Session {
	s := &Session{client: c, policy: policy, apis: apis, transport: transport(policy), known: map[string]*result{}}
	s.do = s.call
	return s
}

// Through returns calls that another service makes, each once with the same arguments, as in a send.
func Through(keeper engine.ContentStore) *Session {
	do := func(ctx context.Context, api engine.ContentAPI, args []any) (engine.ContentCall, any, error) {
		out, err := keeper.TryContentAPI(ctx, api.Name, args)
		if err == nil && out.Call.Err != "" {
			err = errors.New(out.Call.Err)
		}
		return out.Call, out.Value, err
	}
	return &Session{do: do, known: map[string]*result{}}
}

// Close lets the connections go.
func (s *Session) Close() {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
}

// Functions returns the APIs as functions for expressions, by name.
func (s *Session) Functions() map[string]func(ctx context.Context, args ...any) (any, error) {
	return s.FunctionsOf(s.apis)
}

// FunctionsOf returns some APIs as expressions call them, by name.
func (s *Session) FunctionsOf(apis []engine.ContentAPI) map[string]func(ctx context.Context, args ...any) (any, error) {
	out := make(map[string]func(context.Context, ...any) (any, error), len(apis))
	for _, api := range apis {
		out[api.Name] = func(ctx context.Context, args ...any) (any, error) { return s.ask(ctx, api, args) }
	}
	return out
}

// Calls returns the finished calls in the order in which they started.
func (s *Session) Calls() []engine.ContentCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []engine.ContentCall
	for _, a := range s.order {
		select {
		case <-a.done:
			c := a.call
			c.Reused = a.reused
			out = append(out, c)
		default:
		}
	}
	return out
}

// ask returns the result of a call, which another message may have made already.
func (s *Session) ask(ctx context.Context, api engine.ContentAPI, args []any) (any, error) {
	key, err := callKey(api, args)
	if err != nil {
		return nil, err
	}
	for {
		a, ours, err := s.claim(key)
		if err != nil {
			return nil, err
		}
		if ours {
			s.fetch(ctx, a, key, api, args)
			return a.value, a.err
		}
		select {
		case <-a.done:
			if !a.abandoned {
				return a.value, a.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func callKey(api engine.ContentAPI, args []any) (string, error) {
	b, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("its arguments cannot be sent: %w", err)
	}
	return api.Name + "\x00" + string(b), nil
}

// claim returns the result for a key, and whether the caller must make the call.
func (s *Session) claim(key string) (a *result, ours bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a = s.known[key]; a != nil {
		a.reused++
		return a, false, nil
	}
	if len(s.order) >= MaxCalls {
		return nil, false, fmt.Errorf("a send can call content APIs at most %d times", MaxCalls)
	}
	a = &result{done: make(chan struct{})}
	s.known[key] = a
	s.order = append(s.order, a)
	return a, true, nil
}

func (s *Session) fetch(ctx context.Context, a *result, key string, api engine.ContentAPI, args []any) {
	defer close(a.done)
	a.err = errors.New("the call was cut short") // should it panic
	a.call, a.value, a.err = s.do(ctx, api, args)
	if ctx.Err() == nil {
		return
	}
	// Its caller was canceled, which does not mean that the API failed.
	s.mu.Lock()
	defer s.mu.Unlock()
	a.abandoned = true
	delete(s.known, key)
}

// Try calls an API once.
func (c *Client) Try(ctx context.Context, api engine.ContentAPI, policy engine.ContentPolicy, args []any) engine.ContentTrial {
	s := c.NewSession(nil, policy)
	defer s.Close()
	var out engine.ContentTrial
	out.Call, out.Value, _ = s.call(ctx, api, args) // the call says what went wrong
	return out
}

// Check returns what is wrong with an API, or nil if it can be called once its host is on the list.
func Check(api engine.ContentAPI) error {
	if _, err := target(api, nil); err != nil {
		return err
	}
	switch {
	case api.Method != "" && api.Method != "GET" && api.Method != "POST":
		return fmt.Errorf("the method must be GET or POST, not %q", api.Method)
	case api.Timeout < 0 || time.Duration(api.Timeout)*time.Millisecond > engine.MaxContentTimeout:
		return fmt.Errorf("the time limit must be at most %d milliseconds", engine.MaxContentTimeout.Milliseconds())
	}
	for i, p := range api.Params {
		switch {
		case !plainName(p):
			return fmt.Errorf("the parameter %q can only have letters, digits and _", p)
		case slices.Contains(api.Params[:i], p):
			return fmt.Errorf("there are two parameters %q", p)
		}
	}
	return checkHeaders(api.Headers)
}

// plainName reports whether a name can follow a dot in an expression.
func plainName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return s != "" && len(s) <= 64 && strings.Trim(s, letters+"0123456789") == "" && strings.ContainsAny(s[:1], letters)
}
