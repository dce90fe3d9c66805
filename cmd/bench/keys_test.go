//go:build unix

package bench_test

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
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
	// pause is a gap between two frames: the bytes of one frame arrive together.
	pause = 3 * time.Millisecond
	// rest is how long the screen must not change until a key is considered handled.
	rest = 30 * time.Millisecond
	// unseen is how long to wait for a key that changes nothing on the screen.
	unseen = 250 * time.Millisecond
)

// session is the program in a pseudo-terminal, with a virtual screen. It must be used by one goroutine.
type session struct {
	*testing.B
	cmd    *exec.Cmd
	tty    *os.File
	screen *vt.Emulator
	chunks chan chunk // closed when the program has closed its terminal
	began  time.Time
}

// chunk is output of the program, and when it arrived.
type chunk struct {
	at    time.Time
	bytes []byte
}

// open starts the program on the store.
func (f filled) open(b *testing.B) *session {
	cmd := exec.Command(f.program) // it is quit in close
	cmd.Env = environment(f.dir)
	s := &session{B: b, cmd: cmd, screen: vt.NewEmulator(width, height), chunks: make(chan chunk, 4096), began: time.Now()}
	var err error
	if s.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		b.Fatal(err)
	}
	go func() { _, _ = io.Copy(s.tty, s.screen) }() // the terminal's responses; ends when the screen is closed
	go func() {
		defer close(s.chunks)
		for buf := make([]byte, 64<<10); ; {
			n, err := s.tty.Read(buf)
			if n > 0 {
				s.chunks <- chunk{time.Now(), append([]byte(nil), buf[:n]...)}
			}
			if err != nil {
				return // the program has ended
			}
		}
	}()
	return s
}

// next waits for the next output of the program; ok is false on a timeout.
func (s *session) next(limit time.Duration) (c chunk, ok bool) {
	select {
	case c, open := <-s.chunks:
		if !open {
			s.Fatalf("the program has ended; its last screen:\n%s", s.screen)
		}
		_, _ = s.screen.Write(c.bytes) // only fails when it is closed
		return c, true
	case <-time.After(limit):
		return c, false
	}
}

// until waits until the screen matches a pattern, and returns the time from the start to the bytes that completed it.
func (s *session) until(pattern string) time.Duration {
	at := s.began
	for shown := regexp.MustCompile(pattern); !shown.MatchString(s.screen.String()); {
		c, ok := s.next(patience)
		if !ok {
			s.Fatalf("the screen did not change as it should; it is:\n%s", s.screen)
		}
		at = c.at
	}
	return at.Sub(s.began)
}

// write types keys.
func (s *session) write(keys string) {
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.Fatal(err)
	}
}

// press types one key, waits until the screen no longer changes, and returns the time to the first frame, or 0 if there
// was none.
func (s *session) press(key string) time.Duration {
	began := time.Now()
	s.write(key)
	c, ok := s.next(unseen)
	for ok && c.at.Before(began) { // sent before the key
		c, ok = s.next(unseen)
	}
	if !ok {
		return 0
	}
	frame, last := c.at, c.at
	for first, end := true, began.Add(time.Second); time.Now().Before(end); last = c.at {
		if c, ok = s.next(rest); !ok {
			break
		}
		if first = first && c.at.Sub(last) <= pause; first {
			frame = c.at
		}
	}
	return frame.Sub(began)
}

func (s *session) pressAll(keys ...string) {
	for _, k := range keys {
		s.press(k)
	}
}

// find searches for the campaign far down, and returns the time from the start until it is shown.
func (s *session) find() time.Duration {
	s.press("/") // a key of its own only if the text does not arrive with it
	s.write(strings.ToLower(farName))
	return s.until(farName)
}

// close quits the program like a user, so that its store is closed, and waits for its end.
func (s *session) close() {
	kill := time.AfterFunc(quitTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	s.pressAll(keyEscape, keyEscape)
	s.write("q")
	for range s.chunks { // its output until it has ended
	}
	_ = s.cmd.Wait() // it may have been killed
	_ = s.screen.Close()
	_ = s.tty.Close()
}

// BenchmarkStart measures the time from the start of the program to the first frame with campaigns, and until a campaign
// far down is found.
func BenchmarkStart(b *testing.B) {
	f := setup(b)
	var rows, found []time.Duration
	for b.Loop() {
		s := f.open(b)
		rows = append(rows, s.until(`▌ \S.*(Draft|Scheduled|Active|Sending|Paused|Sent|Stopped)`))
		found = append(found, s.find())
		s.close()
	}
	distribution(b, "-rows", rows)
	distribution(b, "-found", found)
}

// BenchmarkIdle measures the memory of the program when the work of its start is done: the whole store can be searched, and
// memory that is no longer used was returned.
func BenchmarkIdle(b *testing.B) {
	s := setup(b).open(b)
	defer s.close()
	s.find()
	for b.Loop() {
		for began := time.Now(); time.Since(began) < 3*time.Second; {
			s.next(time.Second)
		}
	}
	memory(b, s.cmd.Process.Pid, "VmRSS")
}

// Keys as a terminal sends them.
const (
	keyUp, keyDown      = "\x1b[A", "\x1b[B"
	keyPgUp, keyPgDown  = "\x1b[5~", "\x1b[6~"
	keyEnter, keyEscape = "\r", "\x1b"
	keyHome             = "\x1b[H"
	keyBackspace        = "\x7f"
)

// BenchmarkKeys measures the time from a key to the frame that shows its effect.
func BenchmarkKeys(b *testing.B) {
	f := setup(b)
	form, opening := []string{keyHome, keyEnter, keyEnter}, []string{keyEnter, keyEscape}
	var searches []string // typed and deleted letter by letter
	for _, q := range []string{"summer sale", "cart rem", "wlcm", "status:draft newsletter", "flash deal -tag:test", "price drop updated:<30d", `"gift guide"`, "2025-03"} {
		letters := strings.Split(q, "")
		searches = append(searches, letters...)
		for range letters {
			searches = append(searches, keyBackspace)
		}
	}
	for _, walk := range []struct {
		name   string
		before []string // leads to the start, not measured; the first campaign of the list is a draft, whose forms accept text
		keys   []string // repeated
		part   int      // measures only the keys at this position of keys, from 1; 0 measures all
	}{
		{name: "list", keys: []string{keyDown, keyDown, keyDown, keyUp}},
		{name: "pages", keys: []string{keyPgDown, keyPgDown, keyPgDown, keyPgUp}},
		{name: "search", before: []string{"/"}, keys: searches},
		{name: "open", keys: opening, part: 1},
		{name: "leave", keys: opening, part: 2},
		{name: "form", before: form, keys: []string{keyDown, keyUp}},
		{name: "text", before: form, keys: append(strings.Split("bean", ""), keyBackspace, keyBackspace, keyBackspace, keyBackspace)},
	} {
		b.Run(walk.name, func(b *testing.B) {
			s := f.open(b)
			defer s.close()
			s.until(firstName)
			s.find() // then the whole store can be searched
			s.pressAll(keyEscape, keyEscape)
			s.pressAll(walk.before...)
			var frames []time.Duration
			for b.Loop() {
				for i, key := range walk.keys {
					s.next(rand.N(10 * time.Millisecond)) // frames are drawn at fixed times; keys arrive at any time
					frame := s.press(key)
					if frame > 0 && (walk.part == 0 || i == walk.part-1) {
						frames = append(frames, frame)
					}
				}
			}
			distribution(b, "", frames)
		})
	}
}
