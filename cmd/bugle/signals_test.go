//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bugle/cmd/bugle/internal/cli"
)

// endsWithin is how long a command may take to end after the first signal: two seconds, and one on a busy machine.
const endsWithin = 3 * time.Second

// hanging is a command that waits for something that never comes.
type hanging struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin *os.File // what it reads, from which nothing but the first byte comes
	errs  bytes.Buffer
	ended chan struct{} // closed when the process has ended
	code  int           // with which it has to end
}

// hang starts a command whose standard input stays open.
func (b bugle) hang(t *testing.T, args ...string) *hanging {
	t.Helper()
	h := &hanging{t: t, cmd: exec.Command("bugle", args...), ended: make(chan struct{}), code: cli.ExitFailed}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	h.cmd.Stdin, h.cmd.Stderr, h.stdin = in, &h.errs, to
	h.cmd.Env = os.Environ()
	for name, value := range b.env {
		h.cmd.Env = append(h.cmd.Env, name+"="+value)
	}
	t.Cleanup(func() { in.Close(); to.Close() })
	return h
}

// write writes what the command reads first.
func (h *hanging) write(text string) {
	h.t.Helper()
	if _, err := h.stdin.WriteString(text); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hanging) start() {
	h.t.Helper()
	if err := h.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() { // ends with the process
		_ = h.cmd.Wait() // its exit code is looked at
		close(h.ended)
	}()
	h.t.Cleanup(func() {
		_ = h.cmd.Process.Kill() // if it is still there
		<-h.ended
	})
}

// until waits for a condition.
func (h *hanging) until(what string, met func() bool) {
	h.t.Helper()
	for deadline := time.After(30 * time.Second); !met(); {
		select {
		case <-h.ended:
			h.t.Fatalf("it ended with %d before %s; it printed %s", h.cmd.ProcessState.ExitCode(), what, h.errs.String())
		case <-deadline:
			h.t.Fatalf("waited in vain until %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// ends sends a signal, after which the program has to end soon.
func (h *hanging) ends(signal syscall.Signal) {
	h.t.Helper()
	start := time.Now()
	if err := h.cmd.Process.Signal(signal); err != nil {
		h.t.Fatal(err)
	}
	late := time.AfterFunc(4*endsWithin, func() { _ = h.cmd.Process.Kill() })
	<-h.ended
	late.Stop()
	took, got := time.Since(start), h.cmd.ProcessState.ExitCode()
	if took > endsWithin || got != h.code {
		h.t.Errorf("after %s it ended with %d, want %d; it printed %s", took.Round(10*time.Millisecond), got, h.code, h.errs.String())
	}
}

// waiting returns how many bytes in a pipe nobody has read yet.
func waiting(pipe *os.File) int {
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		return -1
	}
	return n
}

// mute returns the address of a server that accepts and never answers, and a channel of its connections.
func mute(t *testing.T) (address string, connected chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connected = make(chan net.Conn, 64)
	go func() { // ends with l
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connected <- c
		}
	}()
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), connected
}

// waitingProgram returns a program that waits forever, however it is asked to end, and a function that reports whether it runs.
func waitingProgram(t *testing.T) (path string, runs func() bool) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "mjml")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ntrap '' INT TERM\n: >"+dir+"/runs\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() bool { _, err := os.Stat(filepath.Join(dir, "runs")); return err == nil }
}

// The first ctrl+c or SIGTERM ends every command, whatever it waits for but files that other programs write.
func TestFirstSignalEnds(t *testing.T) {
	needSlow(t)
	b := newBugle(t)
	b.env["XDG_CONFIG_HOME"], b.env["HOME"], b.env["XDG_STATE_HOME"] = t.TempDir(), t.TempDir(), t.TempDir()
	b.run(cli.ExitDone, "", "init")
	id := b.create(strings.Replace(smtpDraft, "<p>Hello", "<p>"+strings.Repeat("long ", 40_000)+"Hello", 1))
	file, mjml := filepath.Join(t.TempDir(), "a.json"), filepath.Join(t.TempDir(), "mjml.json")
	text, _ := b.run(cli.ExitDone, "", "get", id)
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.WriteFile(mjml, []byte(strings.Replace(smtpDraft, "<p>", "<mjml><mj-body></mj-body></mjml><p>", 1)), 0o600)); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	names := strings.NewReplacer("FILE", file, "MJML", mjml, "ID", id, "FOLDER", folder)

	// Each wait starts the command with what it waits for, and returns when it does.
	for _, wait := range []struct {
		name     string
		commands []string
		start    func(t *testing.T, args []string) *hanging
	}{
		{"standard input", []string{
			"create -", "update -", "preview - --nobody", "apply -", "lint -", "diff - FILE", "texts import -",
			"segments put --file -", "users import -",
		}, func(t *testing.T, args []string) *hanging {
			h := b.hang(t, args...)
			h.write("{")
			h.start()
			h.until("it reads standard input", func() bool { return waiting(h.stdin) == 0 })
			return h
		}},
		{"a service", []string{"search", "get ID", "create FILE", "check ID", "publish ID", "preview ID", "export ID", "apply --yes FILE", "remote test far", "mcp"}, func(t *testing.T, args []string) *hanging {
			address, connected := mute(t)
			far := newBugle(t)
			far.env["XDG_CONFIG_HOME"], far.env["REMOTE_KEY"] = t.TempDir(), "key"
			far.run(cli.ExitDone, "", "remote", "add", "far", "--url", "http://"+address, "--workspace-id", "W1", "--key-env", "REMOTE_KEY")
			if args[0] == "preview" {
				args = append(args, "--nobody", "--text")
			}
			if args[0] != "remote" {
				args = append(args, "--remote", "far")
			}
			h := far.hang(t, args...)
			h.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
				`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_campaigns","arguments":{"query":"x"}}}` + "\n")
			h.start()
			h.until("it has connected", func() bool { return len(connected) > 0 })
			return h
		}},
		{"a database", []string{"search", "get ID", "create FILE", "init", "doctor", "backup", "serve --addr 127.0.0.1:0", "keys list"}, func(t *testing.T, args []string) *hanging {
			address, connected := mute(t)
			far := newBugle(t)
			far.env[cli.EnvData] = "postgres://u:p@" + address + "/d?sslmode=disable"
			h := far.hang(t, args...)
			h.start()
			h.until("it has connected", func() bool { return len(connected) > 0 })
			return h
		}},
		{"a mail server", []string{"test NEW --to a@example.com", "connectors test Post"}, func(t *testing.T, args []string) *hanging {
			address, connected := mute(t)
			host, port, _ := net.SplitHostPort(address)
			b := newBugle(t)
			b.run(cli.ExitDone, "", "init")
			b.run(cli.ExitDone, "", "connectors", "put", "Post", "connector_type=CUSTOM_SMTP", "provider=smtp", "smtp.host="+host, "smtp.port="+port, "smtp.tls=none", "smtp.auth=none")
			h := b.hang(t, strings.Fields(strings.Replace(strings.Join(args, " "), "NEW", b.create(smtpDraft), 1))...)
			h.start()
			h.until("it has connected", func() bool { return len(connected) > 0 })
			return h
		}},
		{"a program", []string{"edit ID", "create MJML"}, func(t *testing.T, args []string) *hanging {
			path, runs := waitingProgram(t)
			h := b.hang(t, args...)
			h.cmd.Env = append(h.cmd.Env, "EDITOR="+path, "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"))
			h.start()
			h.until("the program runs", runs)
			return h
		}},
		{"the end", []string{"watch FOLDER --json", "serve --addr 127.0.0.1:0 --json", "mcp", "--accessible"}, func(t *testing.T, args []string) *hanging {
			h := b.hang(t, args...)
			b := newBugle(t)
			b.run(cli.ExitDone, "", "init")
			h.cmd.Env = append(h.cmd.Env, cli.EnvData+"="+b.env[cli.EnvData])
			out, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { out.Close(); to.Close() })
			h.cmd.Stdout, h.code = to, cli.ExitDone
			h.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
			h.start()
			h.until("it has started", func() bool { return waiting(out) > 0 })
			return h
		}},
	} {
		for i, command := range wait.commands {
			t.Run(wait.name+"/"+command, func(t *testing.T) {
				t.Parallel()
				h := wait.start(t, strings.Fields(names.Replace(command)))
				if command == "mcp" {
					h.code = cli.ExitDone // that is how it ends
				}
				h.ends([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2])
			})
		}
	}
}
