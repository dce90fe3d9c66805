package local

import (
	"context"
	"sync"
)

// tasks are the background tasks of a service, which end with it.
type tasks struct {
	ctx context.Context // ends with the service
	end context.CancelFunc
	mu  sync.Mutex // prevents starting a task after the end
	all sync.WaitGroup
}

func newTasks() *tasks {
	t := new(tasks)
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// start runs a task until it ends or the service does. It returns false after the service has ended.
func (t *tasks) start(do func(context.Context)) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.all.Go(func() { do(t.ctx) })
	return true
}

// close ends all tasks and waits for them.
func (t *tasks) close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.all.Wait()
}
