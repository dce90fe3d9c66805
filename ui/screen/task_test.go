package screen_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
)

func result(t *testing.T, cmd tea.Cmd) screen.Result {
	t.Helper()
	r, ok := cmd().(screen.Result)
	if !ok {
		t.Fatal("the command gives no result")
	}
	return r
}

func returning(v any) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { return v, nil }
}

// started runs the work of a stream in a goroutine, as Bubble Tea does, and returns the command that waits for
// its results.
func started(t *testing.T, stream tea.Cmd) (wait tea.Cmd, ended <-chan struct{}) {
	t.Helper()
	batch, ok := stream().(tea.BatchMsg)
	if !ok || len(batch) != 2 {
		t.Fatal("a stream is its work and who waits for it")
	}
	end := make(chan struct{})
	go func() { batch[0](); close(end) }()
	return batch[1], end
}

func waitForEnd(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the work does not end")
	}
}

func TestScreenIDsAreUnique(t *testing.T) {
	a, b := screen.NewBase(), screen.NewBase()
	if a.ID() == b.ID() {
		t.Error("two screens have one identity")
	}
	if r := result(t, a.Run("load", returning(1))); r.Screen != a.ID() || r.Kind != "load" || r.Value != 1 {
		t.Errorf("the result is %+v", r)
	}
}

func TestNewestTaskOfAKindWins(t *testing.T) {
	b := screen.NewBase()
	var oldCtx context.Context
	old := b.Run("load", func(ctx context.Context) (any, error) { oldCtx = ctx; return "old", ctx.Err() })
	other := b.Run("save", returning("saved"))
	fresh := b.Run("load", returning("new"))

	late := result(t, old)
	if oldCtx.Err() == nil || !screen.Canceled(late.Err) {
		t.Error("the older task is not canceled")
	}
	if b.Accept(late) {
		t.Error("an older result counts")
	}
	if !b.Running("load") {
		t.Error("an older result ends the newer task")
	}
	r := result(t, fresh)
	if !b.Accept(r) || b.Running("load") {
		t.Error("the newest result does not count, or does not end its task")
	}
	if b.Accept(r) {
		t.Error("a result counts twice")
	}
	if !b.Busy() || !b.Accept(result(t, other)) || b.Busy() {
		t.Error("a task of another kind is not left alone")
	}
}

func TestErrorEndsTask(t *testing.T) {
	b := screen.NewBase()
	broken := errors.New("broken")
	r := result(t, b.Run("load", func(context.Context) (any, error) { return nil, broken }))
	if !b.Accept(r) || !errors.Is(r.Err, broken) || screen.Canceled(r.Err) || b.Busy() {
		t.Errorf("the result is %+v", r)
	}
}

func TestCancelStillDeliversResult(t *testing.T) {
	b := screen.NewBase()
	cmd := b.Run("send", func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return "half", ctx.Err()
	})
	b.Cancel("send")
	b.Cancel("nothing of the kind")
	if r := result(t, cmd); !b.Accept(r) || r.Value != "half" || !screen.Canceled(r.Err) {
		t.Errorf("the result is %+v", r)
	}
}

func TestStreamDeliversInOrder(t *testing.T) {
	b := screen.NewBase()
	const news = 200 // more than it buffers
	wait, ended := started(t, b.Stream("send", func(_ context.Context, emit func(any)) (any, error) {
		for i := range news {
			emit(i)
		}
		return "done", nil
	}))
	for i := range news {
		r := result(t, wait)
		if !r.Partial || r.Value != i || !b.Accept(r) || !b.Running("send") {
			t.Fatalf("news %d is %+v", i, r)
		}
		wait = r.Next()
	}
	r := result(t, wait)
	if r.Partial || r.Value != "done" || r.Next() != nil || !b.Accept(r) || b.Busy() {
		t.Errorf("the end is %+v", r)
	}
	waitForEnd(t, ended)
}

func TestSupersededStreamIsIgnored(t *testing.T) {
	b := screen.NewBase()
	go_ := make(chan struct{})
	wait, ended := started(t, b.Stream("send", func(ctx context.Context, emit func(any)) (any, error) {
		emit("first")
		<-go_
		return "old", ctx.Err()
	}))
	first := result(t, wait)
	fresh := b.Run("send", returning("new"))
	close(go_)
	if b.Accept(first) || b.Accept(result(t, first.Next())) {
		t.Error("an overtaken stream is heard")
	}
	if !b.Accept(result(t, fresh)) {
		t.Error("the newer task is not heard")
	}
	waitForEnd(t, ended)
}

func TestCloseEndsEveryTask(t *testing.T) {
	before := runtime.NumGoroutine()
	b := screen.NewBase()
	flooded := make(chan struct{})
	wait, ended := started(t, b.Stream("send", func(ctx context.Context, emit func(any)) (any, error) {
		for i := 0; ctx.Err() == nil; i++ {
			emit(i) // nothing receives: this blocks until the screen is closed
			if i == 50 {
				close(flooded)
			}
		}
		return nil, ctx.Err()
	}))
	var inner context.Context
	load := b.Run("load", func(ctx context.Context) (any, error) { inner = ctx; <-ctx.Done(); return nil, ctx.Err() })
	loaded := make(chan tea.Msg, 1)
	go func() { loaded <- load() }()
	<-flooded
	if cmd := b.Close(); cmd != nil {
		t.Error("a plain screen has nothing to finish")
	}
	waitForEnd(t, ended)
	select {
	case msg := <-loaded:
		if inner.Err() == nil || !screen.Canceled(msg.(screen.Result).Err) {
			t.Error("the task ended by itself")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the task does not end with its screen")
	}
	quiet := false
	for range 200 { // what was emitted already may still arrive, but no wait lasts
		if quiet = wait() == nil; quiet {
			break
		}
	}
	if !quiet {
		t.Error("a closed screen goes on hearing")
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
	if ctxErr := result(t, b.Run("late", func(ctx context.Context) (any, error) { return nil, ctx.Err() })).Err; !screen.Canceled(ctxErr) {
		t.Error("a closed screen starts tasks")
	}
}
