package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// server is the program serving the API in its own process.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// serve starts a server on the store in dir. Its log is written and discarded.
func (r *run) serve(ctx context.Context, dir string) (*server, error) {
	cmd := exec.CommandContext(ctx, r.Program, "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json")
	cmd.Env = r.environment(dir)
	cmd.Cancel, cmd.WaitDelay = func() error { return terminate(cmd.Process) }, quitTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	s := &server{cmd: cmd}
	var said struct{ Addr string }
	if err := json.NewDecoder(out).Decode(&said); err != nil || said.Addr == "" {
		_ = s.close()
		return nil, fmt.Errorf("the server did not say where it listens: %w", err)
	}
	s.addr = said.Addr
	return s, nil
}

// close ends the server, and waits for its end.
func (s *server) close() error {
	kill := time.AfterFunc(quitTimeout, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_ = terminate(s.cmd.Process) // it may have ended already
	_ = s.cmd.Wait()             // ignore the result: it was told to end
	return nil
}

// terminate asks a process to end, or kills it if the system does not support asking.
func terminate(p *os.Process) error {
	if err := p.Signal(syscall.SIGTERM); err == nil || errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.Kill()
}
