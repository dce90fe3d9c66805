package screen

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// ID identifies a screen.
type ID int64

var lastID atomic.Int64

// Result is the outcome of a screen's task. The root model delivers it only to the screen that started the
// task; [Base.Accept] reports whether it is still current.
type Result struct {
	Screen ID
	Kind   string // what the task was for, such as "load"
	Value  any
	Err    error
	// Partial marks an intermediate result of a running task.
	Partial bool

	seq   int
	next  tea.Cmd
	taken chan struct{} // of a write: closed when it is accepted
}

// Next returns the command that waits for the task's next result; nil once the task has ended.
func (r Result) Next() tea.Cmd { return r.next }

// Base is what all screens have in common: an ID, a context that ends with the screen, and tasks. Embed it by
// value; create it with [NewBase].
type Base struct {
	id     ID
	ctx    context.Context
	cancel context.CancelFunc
	mu     *sync.Mutex
	tasks  map[string]task
	writes map[string]write // the newest of each kind
	seq    int
}

// write is a task that changes something: ran is closed when it has ended, and taken when its result is accepted.
type write struct{ ran, taken chan struct{} }

type task struct {
	seq    int
	cancel context.CancelFunc
}

// NewBase returns the base of a new screen.
func NewBase() Base {
	ctx, cancel := context.WithCancel(context.Background())
	return Base{id: ID(lastID.Add(1)), ctx: ctx, cancel: cancel, mu: &sync.Mutex{}, tasks: map[string]task{}, writes: map[string]write{}}
}

// ID returns the screen's identity.
func (b *Base) ID() ID { return b.id }

// Close ends every task.
func (b *Base) Close() tea.Cmd {
	b.cancel()
	return nil
}

// Run starts a task of that kind. If one of the same kind is running, it is canceled and its result is not
// accepted.
func (b *Base) Run(kind string, fn func(context.Context) (any, error)) tea.Cmd {
	ctx, seq := b.begin(kind)
	return func() tea.Msg {
		v, err := fn(ctx)
		return Result{Screen: b.id, Kind: kind, Value: v, Err: err, seq: seq}
	}
}

// Write starts a task that changes something: a newer one of its kind waits for it instead of canceling it, so that
// changes are made in their order, and every result is accepted. It goes on when the screen is closed.
func (b *Base) Write(kind string, fn func(context.Context) (any, error)) tea.Cmd {
	w := write{make(chan struct{}), make(chan struct{})}
	b.mu.Lock()
	before, waits := b.writes[kind]
	b.writes[kind] = w
	b.mu.Unlock()
	return func() tea.Msg {
		if waits {
			<-before.ran
			select {
			case <-before.taken:
			case <-b.ctx.Done(): // the screen is closed, and nothing is accepted any more
			}
		}
		defer close(w.ran)
		v, err := fn(context.WithoutCancel(b.ctx))
		return Result{Screen: b.id, Kind: kind, Value: v, Err: err, taken: w.taken}
	}
}

// Stream starts a task that reports progress: every value passed to emit arrives as a partial [Result], in
// order.
func (b *Base) Stream(kind string, fn func(ctx context.Context, emit func(any)) (any, error)) tea.Cmd {
	ctx, seq := b.begin(kind)
	news := make(chan Result, 64)
	var wait tea.Cmd
	wait = func() tea.Msg {
		select {
		case r := <-news:
			if r.Partial {
				r.next = wait
			}
			return r
		case <-b.ctx.Done(): // the screen is closed, and nothing receives
			return nil
		}
	}
	emit := func(v any) {
		select {
		case news <- Result{Screen: b.id, Kind: kind, Value: v, Partial: true, seq: seq}:
		case <-ctx.Done():
		}
	}
	run := func() tea.Msg {
		v, err := fn(ctx, emit)
		last := Result{Screen: b.id, Kind: kind, Value: v, Err: err, seq: seq}
		select {
		case news <- last:
		case <-b.ctx.Done(): // the screen is closed, and nothing receives
		}
		return nil
	}
	return tea.Batch(run, wait)
}

func (b *Base) begin(kind string) (context.Context, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if old, ok := b.tasks[kind]; ok {
		old.cancel()
	}
	b.seq++
	ctx, cancel := context.WithCancel(b.ctx)
	b.tasks[kind] = task{b.seq, cancel}
	return ctx, b.seq
}

// Running reports whether a task of that kind is running.
func (b *Base) Running(kind string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.tasks[kind]
	_, writing := b.writes[kind]
	return ok || writing
}

// Busy reports whether any task is running.
func (b *Base) Busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.tasks)+len(b.writes) > 0
}

// Cancel cancels the context of the task of that kind; its result still arrives.
func (b *Base) Cancel(kind string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.tasks[kind]; ok {
		t.cancel()
	}
}

// Accept reports whether a result is from the newest task of its kind, or from a write. Unless the result is partial, the task
// has ended.
func (b *Base) Accept(r Result) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.taken != nil {
		close(r.taken)
		if b.writes[r.Kind].taken == r.taken {
			delete(b.writes, r.Kind)
		}
		return true
	}
	t, ok := b.tasks[r.Kind]
	if !ok || t.seq != r.seq {
		return false
	}
	if !r.Partial {
		t.cancel()
		delete(b.tasks, r.Kind)
	}
	return true
}

// settleTime is how long a text must stay the same before it is searched for.
const settleTime = 150 * time.Millisecond

// Settled returns fn for a task that is started with each letter of a text. If an earlier one is still running, it waits
// until the text stays the same, so that a slow service is not asked about each letter.
func Settled(running bool, fn func(context.Context) (any, error)) func(context.Context) (any, error) {
	wait := time.Duration(0)
	if running {
		wait = settleTime
	}
	return func(ctx context.Context) (any, error) {
		if err := Pause(ctx, wait); err != nil {
			return nil, err
		}
		return fn(ctx)
	}
}

// Pause waits for d. It returns the error of ctx if that ends first.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Canceled reports whether err means only that a task was canceled.
func Canceled(err error) bool { return errors.Is(err, context.Canceled) }
