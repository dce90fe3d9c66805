package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// answered runs a command on a terminal, answers its question, and returns what it wrote.
func answered(t *testing.T, b bugle, answer string, args ...string) string {
	t.Helper()
	d := startDialog(t, b, nil, args...)
	d.waitFor("[y/N] ")
	d.answer(answer)
	d.end(cli.ExitDone)
	return d.out.String()
}
