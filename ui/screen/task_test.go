package screen_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
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

func returning[T any](v T) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return v, nil }
}

// taken records what tasks report.
type taken struct {
	texts []string
	errs  []error
}

func (k *taken) text(text string) tea.Cmd {
	k.texts = append(k.texts, text)
	return nil
}

func (k *taken) result(text string, err error) tea.Cmd {
	k.texts, k.errs = append(k.texts, text), append(k.errs, err)
	return nil
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

func TestNewestTaskOfAKeyWins(t *testing.T) {
	b := screen.NewBase()
	var got taken
	var oldCtx context.Context
	old := screen.Go(&b, "load", func(ctx context.Context) (string, error) { oldCtx = ctx; return "old", ctx.Err() }, got.result)
	other := screen.Go(&b, "save", returning("saved"), got.result)
	fresh := screen.Go(&b, "load", returning("new"), got.result)

	late := result(t, old)
	if oldCtx.Err() == nil {
		t.Error("the older task is not canceled")
	}
	if late.Done(); len(got.texts) > 0 || !b.Running("load") {
		t.Error("an older result counts, or ends the newer task")
	}
	r := result(t, fresh)
	if r.Done(); !slices.Equal(got.texts, []string{"new"}) || b.Running("load") {
		t.Error("the newest result does not count, or does not end its task")
	}
	if r.Done(); len(got.texts) != 1 {
		t.Error("a result counts twice")
	}
	if !b.Running("save") {
		t.Error("a task of another key is not left alone")
	}
	if result(t, other).Done(); b.Running("save") || len(got.texts) != 2 {
		t.Error("a task of another key does not end")
	}
}

func TestCancelStillDeliversResult(t *testing.T) {
	b := screen.NewBase()
	var got taken
	cmd := screen.Go(&b, "send", func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "half", ctx.Err()
	}, got.result)
	b.Cancel("send")
	b.Cancel("nothing of the kind")
	if result(t, cmd).Done(); len(got.texts) != 1 || got.texts[0] != "half" || !screen.Canceled(got.errs[0]) {
		t.Errorf("it took %+v", got)
	}
	cmd = screen.Go(&b, "find", returning("found"), got.result)
	b.Drop("find") // of which nothing arrives
	if result(t, cmd).Done(); len(got.texts) != 1 || b.Running("find") {
		t.Errorf("it took %+v", got)
	}
}

// Changes are made in their order, one after the other, and every result arrives.
func TestWritesAreMadeInOrder(t *testing.T) {
	b := screen.NewBase()
	var got taken
	var stored []string
	store := func(text string) tea.Cmd {
		return screen.Write(&b, "keep", func(context.Context) (string, error) {
			stored = append(stored, text)
			return text, nil
		}, got.result)
	}
	first, second := store("first"), store("second")
	later := make(chan tea.Msg)
	go func() { later <- second() }() // begins before the first one does
	result(t, first).Done()
	(<-later).(screen.Result).Done()
	if want := []string{"first", "second"}; !slices.Equal(stored, want) || !slices.Equal(got.texts, want) || b.Running("keep") {
		t.Errorf("stored are %v, and it took %v", stored, got.texts)
	}
}

func TestStreamDeliversInOrder(t *testing.T) {
	b := screen.NewBase()
	var got []int
	var ended string
	const news = 200 // more than it buffers
	wait, end := started(t, screen.Stream(&b, "send", func(_ context.Context, emit func(int)) (string, error) {
		for i := range news {
			emit(i)
		}
		return "done", nil
	}, func(i int) tea.Cmd { got = append(got, i); return nil }, func(text string, _ error) tea.Cmd { ended = text; return nil }))
	for i := range news {
		r := result(t, wait)
		if r.Done(); len(got) != i+1 || got[i] != i || !b.Running("send") || ended != "" {
			t.Fatalf("after %d it took %v", i, got)
		}
		wait = r.Next()
	}
	r := result(t, wait)
	if r.Done(); len(got) != news || ended != "done" || r.Next() != nil || b.Running("send") {
		t.Errorf("at the end it took %v and %q", got, ended)
	}
	waitForEnd(t, end)
}

func TestSupersededStreamIsIgnored(t *testing.T) {
	b := screen.NewBase()
	var got taken
	go_ := make(chan struct{})
	wait, ended := started(t, screen.Stream(&b, "send", func(ctx context.Context, emit func(string)) (string, error) {
		emit("first")
		<-go_
		return "old", ctx.Err()
	}, got.text, got.result))
	first := result(t, wait)
	fresh := screen.Go(&b, "send", returning("new"), got.result)
	close(go_)
	first.Done()
	result(t, first.Next()).Done()
	if len(got.texts) > 0 {
		t.Errorf("an overtaken stream is heard: %v", got.texts)
	}
	if result(t, fresh).Done(); len(got.texts) != 1 {
		t.Error("the newer task is not heard")
	}
	waitForEnd(t, ended)
}

func TestEveryTicksUntilDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := screen.NewBase()
		defer func() { b.Close() }()
		n, start := 0, time.Now()
		wait := screen.Every(&b, "spin", time.Second, func() tea.Cmd { n++; return nil })
		for range 3 {
			wait = result(t, wait().(screen.LaterMsg).Start()).Done()
		}
		if n != 3 || time.Since(start) != 3*time.Second {
			t.Errorf("%d ticks in %s", n, time.Since(start))
		}
		b.Drop("spin")
		if next := result(t, wait().(screen.LaterMsg).Start()).Done(); next != nil || n != 3 {
			t.Error("it goes on")
		}
	})
}

// A bubble of synctest ends only when all its goroutines have ended.
func TestCloseEndsEveryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := screen.NewBase()
		var got taken
		wait, _ := started(t, screen.Stream(&b, "send", func(ctx context.Context, emit func(string)) (string, error) {
			for ctx.Err() == nil {
				emit("more") // nothing receives: this blocks until the screen is closed
			}
			return "", ctx.Err()
		}, got.text, got.result))
		work := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		load := screen.Go(&b, "load", work, got.result)
		go load()
		synctest.Wait()
		if cmd := b.Close(); cmd != nil {
			t.Error("a plain screen has nothing to finish")
		}
		for wait() != nil { // what was emitted already may still arrive
		}
		if result(t, screen.Go(&b, "late", work, got.result)).Done(); len(got.errs) != 1 || !screen.Canceled(got.errs[0]) {
			t.Error("a closed screen starts tasks")
		}
	})
}
