//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Size of the terminal that the program runs in.
const (
	width  = 120
	height = 40
)

const (
	// patience is how long the program may take to show something.
	patience = time.Minute
	// quitTimeout is how long the program may take to end before it is killed.
	quitTimeout = 10 * time.Second
	// pause is a gap between two frames: frames are at least 8 ms apart, and the bytes of one frame arrive together.
	pause = 3 * time.Millisecond
	// rest is how long the screen must not change until a key is considered handled.
	rest = 30 * time.Millisecond
	// unseen is how long to wait for a key that changes nothing on the screen.
	unseen = 250 * time.Millisecond
)

// session is the program in a pseudo-terminal, with a virtual screen. It must be used by one goroutine.
type session struct {
	cmd     *exec.Cmd
	tty     *os.File
	screen  *vt.Emulator
	chunks  chan chunk // closed when the program has closed its terminal
	working sync.WaitGroup
	began   time.Time
}

// chunk is output of the program, and when it arrived.
type chunk struct {
	at    time.Time
	bytes []byte
}

// open starts the program on a store.
func (r *run) open(ctx context.Context, data string) (*session, error) {
	cmd := exec.Command(r.program) // it is asked to quit when ctx ends: see close
	cmd.Env = r.environment(data)
	s := &session{cmd: cmd, screen: vt.NewEmulator(width, height), chunks: make(chan chunk, 4096), began: time.Now()}
	var err error
	if s.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		return nil, fmt.Errorf("starting %s in a terminal: %w", r.program, err)
	}
	s.working.Go(s.read)
	s.working.Go(func() { _, _ = io.Copy(s.tty, s.screen) }) // the terminal's responses; ends when the screen is closed
	return s, nil
}

func (s *session) read() {
	defer close(s.chunks)
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf)
		if n > 0 {
			s.chunks <- chunk{time.Now(), append([]byte(nil), buf[:n]...)}
		}
		if err != nil {
			return // the program has ended
		}
	}
}

// next waits for the next output of the program; ok is false on a timeout.
func (s *session) next(ctx context.Context, limit time.Duration) (c chunk, ok bool, err error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case c, open := <-s.chunks:
		if !open {
			return c, false, fmt.Errorf("the program has ended; its last screen:\n%s", s.screen)
		}
		_, _ = s.screen.Write(c.bytes) // only fails when it is closed
		return c, true, nil
	case <-timer.C:
		return c, false, nil
	case <-ctx.Done():
		return c, false, ctx.Err()
	}
}

// until waits until shown returns true for the screen, and returns the arrival time of the bytes that completed it.
func (s *session) until(ctx context.Context, shown func(screen string) bool) (at time.Time, err error) {
	for end := time.Now().Add(patience); ; {
		if shown(s.screen.String()) {
			return at, nil
		}
		c, ok, err := s.next(ctx, time.Until(end))
		if err != nil {
			return at, err
		}
		if !ok {
			return at, fmt.Errorf("the screen did not change within %v as it should; it is:\n%s", patience, s.screen)
		}
		at = c.at
	}
}

// write types keys.
func (s *session) write(keys string) error {
	if _, err := io.WriteString(s.tty, keys); err != nil {
		return fmt.Errorf("typing: %w", err)
	}
	return nil
}

// press types one key, waits until the screen no longer changes, and returns the time to the first frame, or 0 if there
// was none.
func (s *session) press(ctx context.Context, key string) (took time.Duration, err error) {
	began := time.Now()
	if err := s.write(key); err != nil {
		return 0, err
	}
	c, ok, err := s.next(ctx, unseen)
	for err == nil && ok && c.at.Before(began) { // sent before the key
		c, ok, err = s.next(ctx, unseen)
	}
	if err != nil || !ok {
		return 0, err
	}
	frame, last := c.at, c.at
	for first, end := true, began.Add(time.Second); time.Now().Before(end); {
		c, ok, err := s.next(ctx, rest)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		if first = first && c.at.Sub(last) <= pause; first {
			frame = c.at
		}
		last = c.at
	}
	return frame.Sub(began), nil
}

func (s *session) pressAll(ctx context.Context, keys ...string) error {
	for _, k := range keys {
		if _, err := s.press(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// close quits the program like a user, so that its store is closed, and waits for its end.
func (s *session) close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	kill := time.AfterFunc(quitTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	for _, key := range []string{keyEscape, keyEscape, "q"} {
		if _, err := s.press(ctx, key); err != nil {
			break // it has ended
		}
	}
	for range s.chunks { // drain its output until it has ended
	}
	_ = s.cmd.Wait() // ignore the result: it may have been killed
	if c, ok := s.screen.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	err := s.tty.Close()
	s.working.Wait()
	return err
}
