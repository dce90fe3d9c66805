package local

import (
	"context"
	"sync"
)

// tasks are what a service does in the background. They end with it.
type tasks struct {
	ctx context.Context // ended with the service
	end context.CancelFunc
	mu  sync.Mutex // so that none starts once they have ended
	all sync.WaitGroup
}

func newTasks() *tasks {
	t := new(tasks)
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// start does something until it ends, or the service does; it reports false where that has ended.
func (t *tasks) start(do func(context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.all.Go(func() { do(t.ctx) })
	return true
}

// close ends all tasks, and waits for them.
func (t *tasks) close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.all.Wait()
}
