package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// The messages that a client may send at once, and then each second. Those that are longer than a chunk count as several.
const (
	burst     = 500
	perSecond = 100
	chunk     = 64 << 10
)

// messages reads the lines of a client that are messages. It answers the others itself, because the SDK ends the session at the
// first of them, and it slows down a client that sends more than an assistant can.
type messages struct {
	ctx   context.Context //nolint:containedctx // of Serve, which the SDK does not pass to Read
	in    *bufio.Reader
	close func() error
	out   io.Writer
	limit *rate.Limiter
	rest  []byte // of the line that is being read
}

func newMessages(ctx context.Context, in io.ReadCloser, out io.Writer) *messages {
	return &messages{ctx: ctx, in: bufio.NewReaderSize(in, chunk), close: in.Close, out: out, limit: rate.NewLimiter(perSecond, burst)}
}

// Read implements [io.Reader]. It never returns parts of two lines.
func (m *messages) Read(p []byte) (n int, err error) {
	for len(m.rest) == 0 {
		line, err := m.next()
		if len(bytes.TrimSpace(line)) == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		if err := m.limit.WaitN(m.ctx, 1+len(line)/chunk); err != nil {
			return 0, io.EOF // ctx has ended
		}
		if answer := refused(line); answer != nil {
			if _, err := m.out.Write(append(answer, '\n')); err != nil {
				return 0, fmt.Errorf("cannot answer the MCP client: %w", err)
			}
			continue
		}
		m.rest = line
	}
	n = copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (m *messages) Close() error { return m.close() }

// next returns the next line. Of one that is too long it returns only the beginning.
func (m *messages) next() (line []byte, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if len(line) <= maxMessage {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// refused returns the answer to a line that is not a message; nil for one that is.
func refused(line []byte) []byte {
	if len(line) > maxMessage {
		return errorResponse(jsonrpc.CodeInvalidRequest, nil, fmt.Sprintf("the message is too long; at most %d MiB are read", maxMessage>>20))
	}
	var whole json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return errorResponse(jsonrpc.CodeParseError, nil, "the line is not JSON: "+err.Error())
	}
	if whole[0] == '[' {
		return errorResponse(jsonrpc.CodeInvalidRequest, nil, "send one message a line; batches are not supported")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		var head struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(line, &head) // what is no object has no id
		return errorResponse(jsonrpc.CodeInvalidRequest, head.ID, "the line is not a JSON-RPC message: "+err.Error())
	}
	return nil
}

// errorResponse returns a response with an error. An id that is no text and no number is null, as JSON-RPC wants it.
func errorResponse(code int64, id json.RawMessage, message string) []byte {
	if len(id) == 0 || bytes.ContainsAny(id[:1], "{[tfn") {
		id = json.RawMessage("null")
	}
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": jsonrpc.Error{Code: code, Message: message}})
	return b
}

// transport is a transport of the SDK whose input ends only once the calls before are answered: the SDK cancels them.
type transport struct{ sdk.IOTransport }

// Connect implements [sdk.Transport].
func (t *transport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.IOTransport.Connect(ctx)
	return &connection{Connection: c, calls: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

// lastCalls is how long the end of input waits for the calls before. A client that wants to end the program closes it.
const lastCalls = 10 * time.Second

type connection struct {
	sdk.Connection
	answered chan struct{} // has a value after an answer
	closed   chan struct{}
	once     sync.Once

	mu    sync.Mutex
	calls map[jsonrpc.ID]bool // without an answer
}

// Read implements [sdk.Connection].
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
		c.mu.Lock()
		c.calls[r.ID] = true
		c.mu.Unlock()
	}
	if !errors.Is(err, io.EOF) {
		return msg, err
	}
	for late := time.After(lastCalls); c.waiting(); {
		select {
		case <-c.answered:
		case <-c.closed:
			return nil, err
		case <-ctx.Done():
			return nil, err
		case <-late:
			return nil, err
		}
	}
	return nil, err
}

func (c *connection) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls) > 0
}

// Write implements [sdk.Connection].
func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if r, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.calls, r.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default: // it has one
		}
	}
	return err
}

// Close implements [sdk.Connection].
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// output is a writer for several goroutines, which each write whole messages. It stays open.
type output struct {
	mu sync.Mutex
	to io.Writer
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(p)
}

// Close implements [io.Closer].
func (*output) Close() error { return nil }
