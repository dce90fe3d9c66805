//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

var (
	monkeyFor  = flag.Duration("monkey-for", 20*time.Second, "how long TestMonkey presses keys")
	monkeySeed = flag.Uint64("monkey-seed", uint64(time.Now().UnixNano()), "which keys TestMonkey presses")
)

// endLimit is how long the program may take to end after it was told to.
const endLimit = 2 * time.Second

// console is the program on a pseudo terminal that the test reads itself, or stops reading.
type console struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	done chan error

	reading sync.Mutex // held while nothing is read

	mu   sync.Mutex
	out  []byte
	last time.Time // when something was read
}

// environment returns the environment of a program with files of its own.
func environment(t *testing.T, more ...string) (env []string, home string) {
	home = t.TempDir()
	env = append(os.Environ(), "HOME="+home, "BUGLE_DATA="+filepath.Join(home, "data"), "BUGLE_AUTHOR=ann@example.com",
		"TERM=xterm-256color", "COLORFGBG=15;0", "CI=", "DISPLAY=", "VISUAL=", "EDITOR=true", "TMPDIR="+t.TempDir())
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		env = append(env, name+"="+filepath.Join(home, name))
	}
	return append(env, more...), home
}

// bugle runs a command of the program to its end.
func bugle(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("bugle %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func openConsole(t *testing.T, env []string) *console {
	t.Helper()
	c := &console{t: t, cmd: exec.Command(binary), done: make(chan error, 1)}
	c.cmd.Env = env
	tty, err := pty.StartWithSize(c.cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	c.tty = tty
	go c.read()
	go func() { c.done <- c.cmd.Wait() }()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it has ended, unless the test failed
		c.tty.Close()
	})
	return c
}

func (c *console) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := c.tty.Read(b)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.out, c.last = append(c.out, b[:n]...), time.Now()
		if len(c.out) > 1<<20 {
			c.out = c.out[len(c.out)-1<<19:]
		}
		c.mu.Unlock()
		c.reading.Lock()
		c.reading.Unlock() //nolint:staticcheck // waits while nothing is to be read
	}
}

// output returns what was written since the last call, without control sequences.
func (c *console) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := ansi.Strip(string(c.out))
	c.out = nil
	return out
}

// wait waits until a condition is met, and reports whether it was within a limit.
func wait(limit time.Duration, met func() bool) bool {
	for deadline := time.Now().Add(limit); !met(); time.Sleep(2 * time.Millisecond) { // between two looks at the program
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// see waits until a text is written.
func (c *console) see(text string) {
	c.t.Helper()
	var all strings.Builder
	if !wait(patience, func() bool { all.WriteString(c.output()); return strings.Contains(all.String(), text) }) {
		c.t.Fatalf("waited for %q; written was\n%s", text, all.String())
	}
}

func (c *console) press(keys string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// rest waits until the program has answered the keys so far: until it is silent for a moment.
func (c *console) rest(silence time.Duration) {
	begin := time.Now()
	wait(patience, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return time.Since(begin) > silence && time.Since(c.last) > silence
	})
}

func (c *console) resize(width, height uint16) {
	if err := pty.Setsize(c.tty, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		c.t.Fatal(err)
	}
}

// end tells the program to end, and fails the test if it does not in time.
func (c *console) end(sig syscall.Signal) error {
	c.t.Helper()
	begin := time.Now()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
	select {
	case err := <-c.done:
		c.t.Logf("ended after %s", time.Since(begin).Round(time.Millisecond))
		return err
	case <-time.After(endLimit):
	}
	_ = c.cmd.Process.Signal(syscall.SIGQUIT) // prints what it does
	select {
	case <-c.done:
	case <-time.After(patience):
	}
	c.t.Fatalf("the program has not ended %s after %s\n%s", endLimit, sig, c.output())
	return nil
}

// openName opens the first draft of the sample in the builder, with the cursor in its name.
func (c *console) openName() {
	c.t.Helper()
	c.see("Campaigns")
	c.press("/status:draft\r")
	c.rest(200 * time.Millisecond)
	c.press("\r")
	c.see("Sections")
	c.press("\r")
	c.see("Typing")
}

// The program ends soon, and with everything saved, whatever has the terminal or holds it up.
func TestEndsInEveryState(t *testing.T) {
	const commands = "- key: alt+k\n  name: Slow\n  screen: app\n  command: trap '' TERM HUP INT; echo; echo running; sleep 60\n"
	editor := "#!/bin/sh\ntrap '' TERM HUP\nprintf 'Edited at the end' > \"$1\"\necho editing\nsleep 60\n"
	for name, state := range map[string]struct {
		signal   syscall.Signal
		commands string
		reach    func(*console)
		saved    string // a name that a campaign has afterwards
	}{
		"list":              {signal: syscall.SIGTERM, reach: func(c *console) { c.see("Campaigns") }},
		"closed terminal":   {signal: syscall.SIGHUP, reach: func(c *console) { c.openName(); c.press(" typed at the end"); c.see("at the end") }, saved: "typed at the end"},
		"just typed":        {signal: syscall.SIGTERM, reach: func(c *console) { c.openName(); c.press(" typed at the end"); c.see("at the end") }, saved: "typed at the end"},
		"question":          {signal: syscall.SIGTERM, reach: func(c *console) { c.see("Campaigns"); c.press("d"); c.rest(200 * time.Millisecond) }},
		"editor":            {signal: syscall.SIGTERM, reach: func(c *console) { c.openName(); c.press("\x05"); c.see("editing") }, saved: "Edited at the end"},
		"command":           {signal: syscall.SIGTERM, commands: commands, reach: func(c *console) { c.see("Campaigns"); c.press("\x1bk"); c.see("Running") }},
		"command in screen": {signal: syscall.SIGTERM, commands: commands + "  terminal: true\n", reach: func(c *console) { c.see("Campaigns"); c.press("\x1bk"); c.see("running") }},
		"stuck terminal": {signal: syscall.SIGTERM, saved: "typed at the end", reach: func(c *console) {
			c.openName()
			c.press(" typed at the end")
			c.see("at the end")
			c.reading.Lock()
			c.t.Cleanup(c.reading.Unlock)
			waiting := -1
			for width := uint16(80); width < 200; width++ { // each draws everything again
				c.resize(width, 40)
				time.Sleep(5 * time.Millisecond) // between two looks at the program
				n, _ := unix.IoctlGetInt(int(c.tty.Fd()), unix.TIOCINQ)
				if n > 2000 && n == waiting {
					break
				}
				waiting = n
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			env, home := environment(t)
			script := filepath.Join(home, "editor")
			env = append(env, "EDITOR="+script)
			if err := os.WriteFile(script, []byte(editor), 0o700); err != nil {
				t.Fatal(err)
			}
			if state.commands != "" {
				dir := filepath.Join(home, "XDG_CONFIG_HOME", "bugle")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "commands.yaml"), []byte(state.commands), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			bugle(t, env, "init", "--sample")
			c := openConsole(t, env)
			state.reach(c)
			if err := c.end(state.signal); err != nil {
				t.Error(err)
			}
			if !strings.Contains(bugle(t, env, "search", state.saved), state.saved) {
				t.Errorf("no campaign has %q in its name", state.saved)
			}
			bugle(t, env, "doctor")
		})
	}
}

// monkeyKeys are pressed as often as all others together.
var monkeyKeys = strings.Fields(`\r \x1b \t \x1b[Z \x1b[A \x1b[B \x1b[C \x1b[D \x1b[5~ \x1b[6~ \x1b[H \x1b[F \x7f \x1b[3~ \x13 \x07 \x0b \x1a \x19 \x05 \x14 \x15 \x17
	\x1bOP \x1bOR \x1bOS \x1b[15~ \x1b[17~ \x1b[18~ \x1b[19~ \x1b[20~ \x1bn \x1bp \x1br \x1bm \x1bu \x1be \x1bl \x1bv \x1bs \x1bx`)

var monkeyTexts = []string{"tomorrow 9am", "{{UserAttribute['First Name']|default('x')}}", "ann@example.com", "https://example.com/?a=1", "日本語テキスト",
	"👩‍👩‍👧 family", "مرحبا", "150", "-1", "at least 2 times in the last 7 days", "status:draft", "\u202e evil", strings.Repeat("a", 300)}

// monkeyInput returns a random key, text, paste or click.
func monkeyInput(r *rand.Rand) string {
	one := func(of []string) string { return of[r.IntN(len(of))] }
	const letters = "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ /!*?123456789" // not q, which quits
	switch p := r.Float64(); {
	case p < 0.45:
		return strings.NewReplacer(`\r`, "\r", `\x1b`, "\x1b", `\t`, "\t", `\x7f`, "\x7f", `\x13`, "\x13", `\x07`, "\x07", `\x0b`, "\x0b", `\x1a`, "\x1a",
			`\x19`, "\x19", `\x05`, "\x05", `\x14`, "\x14", `\x15`, "\x15", `\x17`, "\x17").Replace(one(monkeyKeys))
	case p < 0.8:
		return string(letters[r.IntN(len(letters))])
	case p < 0.89:
		return one(monkeyTexts)
	case p < 0.93:
		return "\x1b[200~" + one(monkeyTexts) + "\n" + one(monkeyTexts) + "\x1b[201~"
	}
	x, y, button := 1+r.IntN(120), 1+r.IntN(40), []int{0, 0, 0, 64, 65, 2}[r.IntN(6)]
	click := fmt.Sprintf("\x1b[<%d;%d;%dM", button, x, y)
	if button < 64 {
		click += fmt.Sprintf("\x1b[<%d;%d;%dm", button, x, y)
	}
	return click
}

// Whatever is pressed, pasted, clicked and resized, the program does not panic, it draws, it ends soon when it is told
// to, and its store is sound.
func TestMonkey(t *testing.T) {
	t.Logf("-monkey-seed %d", *monkeySeed)
	r := rand.New(rand.NewPCG(*monkeySeed, 0))
	env, _ := environment(t)
	bugle(t, env, "init", "--sample")
	starts, keys := 0, 0
	for deadline := time.Now().Add(*monkeyFor); time.Now().Before(deadline); starts++ {
		c := openConsole(t, env)
		c.see("Campaigns")
		var pressed []string
		for range 400 {
			if time.Now().After(deadline) {
				break
			}
			if r.IntN(100) == 0 {
				c.resize([]uint16{40, 60, 80, 120, 200, 10}[r.IntN(6)], []uint16{8, 20, 24, 40, 60, 3}[r.IntN(6)])
				continue
			}
			in := monkeyInput(r)
			pressed = append(pressed, in)
			if _, err := c.tty.WriteString(in); err != nil {
				t.Fatalf("the program is gone after %q\n%s", pressed, c.output())
			}
			keys++
			c.rest(5 * time.Millisecond)
		}
		c.rest(300 * time.Millisecond)
		drawn := c.output()
		c.resize(100, 30)
		c.rest(20 * time.Millisecond)
		c.resize(120, 40)
		if !wait(5*time.Second, func() bool { return c.output() != "" }) {
			t.Errorf("nothing is drawn after %q\n%s", pressed, drawn)
		}
		if err := c.end(syscall.SIGTERM); err != nil {
			t.Errorf("ended with %v after %q\n%s", err, pressed, c.output())
		}
	}
	t.Logf("%d starts, %d keys", starts, keys)
	t.Log(bugle(t, env, "doctor"))
}
