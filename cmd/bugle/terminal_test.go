package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// onTerminal returns what a command writes to a terminal.
func onTerminal(t *testing.T, b bugle, args ...string) string {
	t.Helper()
	return onTTY(t, func(tty *os.File) {
		if code := run(t.Context(), args, b.getenv, cli.Streams{In: tty, Out: tty, Err: tty}); code != cli.ExitDone {
			t.Errorf("bugle %s: exit code %d", strings.Join(args, " "), code)
		}
	})
}

// JSON goes to a file byte for byte; to a terminal, what would control it goes as an escape.
func TestJSONOnTerminal(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	id := b.create("{\"channel\": \"PUSH\", \"campaign_delivery_type\": \"ONE_TIME\", \"basic_details\": {\"name\": \"\u009b2J\u202eok\"}}")
	if out, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(out, "\"\u009b2J\u202eok\"") {
		t.Errorf("the name is not as it was: %q", out)
	}
	if out := onTerminal(t, b, "get", id); !strings.Contains(out, `"\u009b2J\u202eok"`) {
		t.Errorf("the terminal got %q", out)
	}
}

// A command asks the terminal nothing and sends it no control sequence.
func TestCommandsLeaveTheTerminalAlone(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init", "--sample")
	for _, args := range [][]string{{"--version"}, {"help"}, {"search"}, {"workspace", "list"}} {
		if out := onTerminal(t, b, args...); strings.ContainsRune(out, '\x1b') || out == "" {
			t.Errorf("bugle %s wrote %q", strings.Join(args, " "), out)
		}
	}
}

// Standard input stays silent, and the user interrupts the command.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), w.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	var errs strings.Builder
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"create", "-"}, b.getenv, cli.Streams{In: in, Out: io.Discard, Err: &errs})
	}()
	cancel()
	if code := <-ended; code != cli.ExitFailed || errs.String() != "bugle: interrupted\n" {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}
