package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"bugle/cmd/bugle/internal/cli"
)

// On a terminal the plan is shown, and carried out when the answer is yes.
func TestApplyAsks(t *testing.T) {
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	file := filepath.Join(t.TempDir(), "campaign.json")
	if err := os.WriteFile(file, []byte(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Flat white hour"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ answer, want, then string }{
		{"\n", "No changes made.", `"campaigns": 0`},
		{"no\n", "No changes made.", `"campaigns": 0`},
		{"y\n", "created ", `"campaigns": 1`},
	} {
		out := answered(t, b, tt.answer, "apply", file)
		if !strings.Contains(out, "Plan: 1 to create.") || !strings.Contains(out, "Apply this plan? [y/N]") || !strings.Contains(out, tt.want) {
			t.Errorf("answered %q, bugle apply wrote %q", tt.answer, out)
		}
		if now, _ := b.run(cli.ExitDone, "", "--json"); !strings.Contains(now, tt.then) {
			t.Errorf("after %q there is %s", tt.answer, now)
		}
	}
}

// answered runs a command on a terminal, and types once it asks.
func answered(t *testing.T, b bugle, answer string, args ...string) string {
	t.Helper()
	cmd := exec.Command("bugle", args...)
	cmd.Env = append(os.Environ(), cli.EnvData+"="+b.env[cli.EnvData], cli.EnvAuthor+"="+b.env[cli.EnvAuthor], "TERM=xterm-256color")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for part := make([]byte, 1024); !strings.Contains(out.String(), "[y/N] "); {
		n, err := terminal.Read(part)
		out.Write(part[:n])
		if err != nil {
			t.Fatalf("bugle %s asked nothing: %q", strings.Join(args, " "), out.String())
		}
	}
	if _, err := io.WriteString(terminal, answer); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&out, terminal) // ends with an error where the other end closes
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("bugle %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}
