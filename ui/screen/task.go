package screen

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/phrase"
	"bugle/themes"
	"bugle/ui/widget"
)

// ID identifies a screen.
type ID int64

var lastID atomic.Int64

// Result is what a task of a screen has to report. The root model delivers it to Update of the screen that started the
// task, wherever that is on the stack; Update calls [Result.Done].
type Result struct {
	Screen ID
	done   func() tea.Cmd
	next   tea.Cmd
}

// Done calls the function that the task was started with, unless a newer task of its key has replaced the task.
func (r Result) Done() tea.Cmd {
	if r.done == nil {
		return nil
	}
	return r.done()
}

// Next returns the command that waits for what a running [Stream] reports next; nil if that was its result.
func (r Result) Next() tea.Cmd { return r.next }

// Base is what all screens have in common: an ID, a context that ends with the screen, tasks, changes to undo, and the
// methods of a [Screen] that many do without. Embed it by value; create it with [NewBase].
//
// [Go], [Stream], [Write] and [Every] start tasks. They, and the methods, are called in the screen's Update, and so are the
// functions that take the results: only the work itself runs beside it.
type Base struct {
	id     ID
	ctx    context.Context
	cancel context.CancelFunc
	tasks  map[string]task
	writes map[string]write // the newest of each key
	seq    int

	overlay Overlay // the last one shown, see [Base.Show]
	UndoStack
}

type task struct {
	seq    int
	cancel context.CancelFunc
}

// write is a task that changes something: ran is closed when it has ended, and taken when its result is taken.
type write struct{ ran, taken chan struct{} }

// NewBase returns the base of a new screen.
func NewBase() Base {
	ctx, cancel := context.WithCancel(context.Background())
	return Base{id: ID(lastID.Add(1)), ctx: ctx, cancel: cancel, tasks: map[string]task{}, writes: map[string]write{}}
}

// ID returns the screen's identity.
func (b *Base) ID() ID { return b.id }

// Resume does nothing.
func (b *Base) Resume() tea.Cmd { return nil }

// LeaveQuestion asks nothing.
func (b *Base) LeaveQuestion() *Question { return nil }

// Badge returns none.
func (b *Base) Badge() (string, themes.Tone) { return "", themes.ToneMuted }

// Subject returns none.
func (b *Base) Subject() Subject { return Subject{} }

// FocusedField returns none.
func (b *Base) FocusedField() (Field, bool) { return Field{}, false }

// Find searches nothing.
func (b *Base) Find(string) func(context.Context) []PaletteItem { return nil }

// Close ends every task.
func (b *Base) Close() tea.Cmd {
	b.cancel()
	return nil
}

// Go starts a task: done takes the result of work. A running task of the same key is canceled, and its result never
// arrives.
func Go[T any](b *Base, key string, work func(context.Context) (T, error), done func(T, error) tea.Cmd) tea.Cmd {
	ctx, seq := b.begin(key)
	return func() tea.Msg {
		v, err := work(ctx)
		return Result{Screen: b.id, done: func() tea.Cmd {
			if !b.end(key, seq) {
				return nil
			}
			return done(v, err)
		}}
	}
}

// Write starts a task that changes something: a newer one of its key waits for it instead of canceling it, so that
// changes are made in their order, and every result arrives. It goes on when the screen is closed.
func Write[T any](b *Base, key string, work func(context.Context) (T, error), done func(T, error) tea.Cmd) tea.Cmd {
	w := write{make(chan struct{}), make(chan struct{})}
	before, waits := b.writes[key]
	b.writes[key] = w
	return func() tea.Msg {
		if waits {
			<-before.ran
			select {
			case <-before.taken:
			case <-b.ctx.Done(): // the screen is closed, and takes nothing any more
			}
		}
		defer close(w.ran)
		v, err := work(context.WithoutCancel(b.ctx))
		return Result{Screen: b.id, done: func() tea.Cmd {
			close(w.taken)
			if b.writes[key] == w {
				delete(b.writes, key)
			}
			return done(v, err)
		}}
	}
}

// Stream starts a task as [Go] does. Every value that work emits arrives at progress, in order, before done takes the
// result.
func Stream[P, T any](b *Base, key string, work func(ctx context.Context, emit func(P)) (T, error), progress func(P) tea.Cmd, done func(T, error) tea.Cmd) tea.Cmd {
	ctx, seq := b.begin(key)
	news := make(chan Result, 64)
	wait := func() tea.Msg {
		select {
		case r := <-news:
			return r
		case <-b.ctx.Done(): // the screen is closed, and nothing receives
			return nil
		}
	}
	emit := func(v P) {
		r := Result{Screen: b.id, next: wait, done: func() tea.Cmd {
			if !b.current(key, seq) {
				return nil
			}
			return progress(v)
		}}
		select {
		case news <- r:
		case <-ctx.Done():
		}
	}
	run := func() tea.Msg {
		v, err := work(ctx, emit)
		last := Result{Screen: b.id, done: func() tea.Cmd {
			if !b.end(key, seq) {
				return nil
			}
			return done(v, err)
		}}
		select {
		case news <- last:
		case <-b.ctx.Done(): // the screen is closed, and nothing receives
		}
		return nil
	}
	return tea.Batch(run, wait)
}

// LaterMsg asks the root model to run a command that waits for something. It is a message and not that command, so that plain
// mode knows when all other commands have ended.
type LaterMsg struct{ wait tea.Cmd }

// Later returns a command that does not wait itself, but has the root model run one that does.
func Later(wait tea.Cmd) tea.Cmd { return Send(LaterMsg{wait}) }

// Timer returns the command that delivers a message after d.
func Timer(d time.Duration, message func() tea.Msg) tea.Cmd {
	return Later(tea.Tick(d, func(time.Time) tea.Msg { return message() }))
}

// Start returns the command that waits.
func (l LaterMsg) Start() tea.Cmd { return l.wait }

// Every calls tick after each interval, until the key is dropped or the screen is closed.
func Every(b *Base, key string, interval time.Duration, tick func() tea.Cmd) tea.Cmd {
	_, seq := b.begin(key)
	var wait func() tea.Cmd
	wait = func() tea.Cmd {
		return Timer(interval, func() tea.Msg {
			return Result{Screen: b.id, done: func() tea.Cmd {
				if !b.current(key, seq) {
					return nil
				}
				return tea.Batch(tick(), wait())
			}}
		})
	}
	return wait()
}

func (b *Base) begin(key string) (context.Context, int) {
	if old, ok := b.tasks[key]; ok {
		old.cancel()
	}
	b.seq++
	ctx, cancel := context.WithCancel(b.ctx)
	b.tasks[key] = task{seq: b.seq, cancel: cancel}
	return ctx, b.seq
}

// current reports whether no newer task of the key has been started.
func (b *Base) current(key string, seq int) bool { return b.tasks[key].seq == seq }

// end ends a task; false if a newer one of its key has been started.
func (b *Base) end(key string, seq int) bool {
	if !b.current(key, seq) {
		return false
	}
	b.tasks[key].cancel()
	delete(b.tasks, key)
	return true
}

// Running reports whether a task of that key is running.
func (b *Base) Running(key string) bool {
	_, running := b.tasks[key]
	_, writing := b.writes[key]
	return running || writing
}

// Cancel cancels the context of the task of that key; its result still arrives.
func (b *Base) Cancel(key string) {
	if t, ok := b.tasks[key]; ok {
		t.cancel()
	}
}

// Drop ends the task of that key; nothing of it arrives any more.
func (b *Base) Drop(key string) {
	b.Cancel(key)
	delete(b.tasks, key)
}

// SettleTime returns how long the work of a task has to wait that is started with each letter of a text: if an earlier one
// of its key is still running, until the text stays the same, so that a slow service is not asked about each letter.
func (b *Base) SettleTime(key string) time.Duration {
	if b.Running(key) {
		return settleTime
	}
	return 0
}

// settleTime is how long a text must stay the same before it is searched for.
const settleTime = 150 * time.Millisecond

// Settled returns work that waits for [Base.SettleTime] before it begins.
func Settled[T any](b *Base, key string, work func(context.Context) (T, error)) func(context.Context) (T, error) {
	wait := b.SettleTime(key)
	return func(ctx context.Context) (T, error) {
		if err := Pause(ctx, wait); err != nil {
			var none T
			return none, err
		}
		return work(ctx)
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

// OrNotify returns what takes the result of a task, or tells the user why there is none.
func OrNotify[T any](take func(T) tea.Cmd) func(T, error) tea.Cmd {
	return func(v T, err error) tea.Cmd {
		switch {
		case Canceled(err):
			return nil
		case err != nil:
			return Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		return take(v)
	}
}

// Canceled reports whether err means only that a task was canceled.
func Canceled(err error) bool { return errors.Is(err, context.Canceled) }
