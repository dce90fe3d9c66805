//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// goOn is how long other processes may take to continue after the owner of the store is killed. It takes about a
// second, which the tests log. The limit distinguishes a hang from a delay on a machine that is busy with other tests.
const goOn = 10 * time.Second

// Two terminals, a server, and ten commands use one folder at once, and clients write through the server. Whichever
// process owns the store when it is killed, the others continue, and nothing acknowledged is lost or duplicated.
func TestManyProcesses(t *testing.T) {
	c := newLoadTest(t)
	for _, owner := range []string{"terminal", "serve", "command"} {
		t.Run(owner, func(t *testing.T) { c.round(t, owner) })
	}
	t.Run("kept", c.check)
}

// loadTest is the processes that use one folder, and what they have reported.
type loadTest struct {
	data, config string
	user, key    string
	sample       string // the id of a draft that can be sent

	mu      sync.Mutex
	made    map[string]string // names of the campaigns that were made, by id
	named   map[string]string // what was last said to be the name of a campaign, by id
	keyed   []*keyedCreate
	updates int
	serving string // the server's address
}

// keyedCreate is a campaign that was made over HTTP.
type keyedCreate struct{ key, name, id string }

func newLoadTest(t *testing.T) *loadTest {
	c := &loadTest{
		data: filepath.Join(t.TempDir(), "data"), config: t.TempDir(),
		made: map[string]string{}, named: map[string]string{},
	}
	var made struct {
		ID  string `json:"workspace_id"`
		Key string `json:"api_key"`
	}
	c.must(t, &made, "", "init", "--sample", "--json")
	c.user, c.key = made.ID, made.Key
	var found struct{ Campaigns []struct{ ID string } }
	c.must(t, &found, "", "search", "--status", "DRAFT", "--name", "Winter roast launch", "--json")
	c.sample = found.Campaigns[0].ID
	return c
}

func (c *loadTest) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "BUGLE_DATA="+c.data, "BUGLE_AUTHOR=ann@example.com", "XDG_CONFIG_HOME="+c.config)
	return cmd
}

// run runs a command to its end, and decodes what it writes into out, unless that is nil.
func (c *loadTest) run(out any, in string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := c.command(ctx, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // show where it hangs
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(in), &errs
	b, err := cmd.Output()
	if err == nil && out != nil {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		return fmt.Errorf("bugle %s: %w\n%s%s", strings.Join(args, " "), err, b, &errs)
	}
	return nil
}

func (c *loadTest) must(t *testing.T, out any, in string, args ...string) {
	t.Helper()
	if err := c.run(out, in, args...); err != nil {
		t.Fatal(err)
	}
}

// create makes a campaign with a command, and notes it.
func (c *loadTest) create(name string) (id string, err error) {
	var made struct{ ID string }
	if err := c.run(&made, "", "create", "--channel", "PUSH", "--name", name, "--json"); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[made.ID], c.named[made.ID] = name, name
	return made.ID, nil
}

// renamed notes that a campaign has another name.
func (c *loadTest) renamed(id, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.named[id] = name
	c.updates++
}

func (c *loadTest) addr() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serving
}

// round has everything run at once, with one kind of process as the owner of the store, which is
// killed.
func (c *loadTest) round(t *testing.T, owner string) {
	var first, second *terminal
	var server, bulk *process
	var pid int
	terminals := func() { first = c.terminal(t); first.see("enter open") }
	serve := func() { server = c.serve(t) }
	switch owner {
	case "terminal":
		terminals()
		pid = first.pid()
		serve()
	case "serve":
		serve()
		pid = server.cmd.Process.Pid
		terminals()
	case "command":
		bulk = c.bulk(t)
		pid = bulk.cmd.Process.Pid
		serve()
		terminals()
	}
	c.owns(t, pid)
	// The second terminal is in the middle of a name.
	name := "Typed beside the " + owner
	id, err := c.create(name)
	if err != nil {
		t.Fatal(err)
	}
	second = c.terminal(t)
	second.edit(name)

	crew := c.start(t, owner)
	crew.until("every one has done two things", func(w *worker) bool { return w.done >= 2 })
	if bulk != nil {
		bulk.feed(t, owner)
		eventually(t, "the import is under way", func() bool {
			var found struct{ Campaigns []struct{ ID string } }
			return c.run(&found, "", "search", "--status", "DRAFT", "--name", "Imported", "--limit", "1", "--json") == nil && len(found.Campaigns) > 0
		})
	}
	c.owns(t, pid)
	kill(t, pid)
	killed := time.Now()

	second.write(" and on")
	typed := make(chan time.Duration, 1)
	go func() {
		for time.Since(killed) < patience {
			var got struct {
				Basic struct{ Name string } `json:"basic_details"`
			}
			if c.run(&got, "", "get", id, "--json") == nil && strings.HasSuffix(got.Basic.Name, " and on") {
				break
			}
		}
		typed <- time.Since(killed)
	}()
	if owner == "serve" {
		_ = server.cmd.Wait()
		serve()
	}
	slowest, took := crew.goesOn(killed)
	saved := <-typed
	crew.stop()
	c.renamed(id, name+" and on")
	t.Logf("the %s was killed: the slowest of the others (%s) went on after %v; what was typed was saved after %v", owner, slowest, took.Round(time.Millisecond), saved.Round(time.Millisecond))
	if took > goOn || saved > goOn {
		t.Errorf("the others went on after %v (%s), what was typed was saved after %v", took, slowest, saved)
	}
	second.see("and on", "saved")
}

func (c *loadTest) terminal(t *testing.T) *terminal {
	return open(t, 100, 30, c.data, "XDG_CONFIG_HOME="+c.config)
}

// edit opens the name of a campaign, with the cursor at its end.
func (term *terminal) edit(name string) {
	term.t.Helper()
	term.see("enter open")
	term.press("/")
	term.write(name)
	term.see("1 of ", name)
	term.press("Enter", "Enter")
	term.see("Sections", "Campaign name")
	term.press("Enter", "End")
}

// pid returns the process id of the program in the window.
func (term *terminal) pid() int {
	term.t.Helper()
	shell := strings.TrimSpace(term.tmux("display-message", "-p", "-t", "main", "#{pane_pid}"))
	out, err := exec.Command("pgrep", "-P", shell, "-x", "bugle").Output()
	if err != nil {
		term.t.Fatalf("the program does not run: %v", err)
	}
	var pid int
	fmt.Sscan(string(out), &pid)
	return pid
}

// owns waits until a process has the store.
func (c *loadTest) owns(t *testing.T, pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("process %d has the store", pid), func() bool {
		b, err := os.ReadFile(filepath.Join(c.data, "store", "STATE"))
		var state struct{ PID int }
		return err == nil && json.NewDecoder(bytes.NewReader(b)).Decode(&state) == nil && state.PID == pid
	})
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
		time.Sleep(5 * time.Millisecond) // between two looks at other processes
	}
}

// process is a command that runs for a while.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a server, and has the clients use it.
func (c *loadTest) serve(t *testing.T) *process {
	t.Helper()
	p := &process{cmd: c.command(context.Background(), "serve", "--addr", "127.0.0.1:0", "--json", "--rate-limits", "off")}
	out, err := p.cmd.StdoutPipe()
	// In a process group of its own, as in a shell, so that others are not suspended.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState != nil { // it was killed
			return
		}
		_ = p.cmd.Process.Signal(os.Interrupt)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("serve ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var said struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		t.Fatalf("serve said %q: %v", line, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = said.URL
	return p
}

// bulk starts an import that has the store and waits for its input.
func (c *loadTest) bulk(t *testing.T) *process {
	t.Helper()
	p := &process{cmd: c.command(context.Background(), "import", "-")}
	in, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // where the test did not come so far
		_ = p.cmd.Wait()
	})
	c.owns(t, p.cmd.Process.Pid)
	return p
}

// feed sends the import more than it can process in the remaining time.
func (p *process) feed(t *testing.T, by string) {
	t.Helper()
	w := bufio.NewWriter(p.in)
	for i := range 20_000 {
		fmt.Fprintf(w, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Imported by a %s %d"}}`+"\n", by, i)
	}
	if err := errors.Join(w.Flush(), p.in.Close()); err != nil {
		t.Fatal(err)
	}
}
