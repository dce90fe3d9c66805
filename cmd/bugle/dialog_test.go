package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"bugle/cmd/bugle/internal/cli"
)

const liveCampaign = `{"channel": "PUSH", "campaign_delivery_type": "PERIODIC", "basic_details": {"name": "Live", "platforms": ["ANDROID"]},
 "campaign_content": {"content": {"push": {"android": {"template_type": "BASIC", "basic_details": {"title": "Hi", "message": "Half price"}}}}},
 "segmentation_details": {"is_all_user_campaign": true},
 "scheduling_details": {"delivery_type": "AT_FIXED_TIME", "start_time": "2126-01-01T09:00:00Z", "expiry_time": "2127-01-01T09:00:00Z",
   "periodic_details": {"sending_frequency": "DAILY", "repeat_frequency": 1}}}`

// dialog is a command on a terminal.
type dialog struct {
	t        *testing.T
	cmd      *exec.Cmd
	terminal *os.File
	out      bytes.Buffer
	read     int // of out, what was waited for
}

// startDialog starts a command on a terminal, with more variables of the environment.
func startDialog(t *testing.T, b bugle, env []string, args ...string) *dialog {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a question that is not the expected one is never answered
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "bugle", args...)
	cmd.Env = append(append(os.Environ(), cli.EnvData+"="+b.env[cli.EnvData], cli.EnvAuthor+"="+b.env[cli.EnvAuthor], "XDG_STATE_HOME="+b.env["XDG_STATE_HOME"], "TERM=xterm-256color"), env...)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return &dialog{t: t, cmd: cmd, terminal: terminal}
}

// waitFor reads until a text is there.
func (d *dialog) waitFor(text string) {
	d.t.Helper()
	for part := make([]byte, 1024); ; {
		if i := strings.Index(d.out.String()[d.read:], text); i >= 0 {
			d.read += i + len(text)
			return
		}
		n, err := d.terminal.Read(part)
		d.out.Write(part[:n])
		if err != nil {
			d.t.Fatalf("it did not write %q: %s", text, d.out.String())
		}
	}
}

func (d *dialog) answer(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.terminal, text); err != nil {
		d.t.Fatal(err)
	}
}

// end waits until the command ends, with an exit code.
func (d *dialog) end(code int) {
	d.t.Helper()
	_, _ = io.Copy(&d.out, d.terminal) // ends with an error where the other end closes
	_ = d.cmd.Wait()                   // the code says it
	if got := d.cmd.ProcessState.ExitCode(); got != code {
		d.t.Fatalf("exit code %d, want %d: %s", got, code, d.out.String())
	}
}

// What a command will do is asked on a terminal, in words that say what others will see, and done when the answer is yes.
func TestCommandsAsk(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.must("init", "--sample")
	b.must("settings", "put", "publish=enabled")
	live := b.create(liveCampaign)
	file, backup, draft := filepath.Join(t.TempDir(), "live.json"), filepath.Join(t.TempDir(), "b.buglebackup"), filepath.Join(t.TempDir(), "draft.json")
	write(t, draft, `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Matcha hour"}}`)
	b.must("backup", backup)
	for _, name := range []string{"One", "Two"} {
		b.must("create", "--channel", "PUSH", "--name", name)
	}
	for _, tt := range []struct {
		command string
		asks    []string
		then    string
	}{
		{"publish " + live, []string{"Publish Live? It goes by Push to ", " people regularly, first "}, live + " is now SCHEDULED"},
		{"update " + file, []string{"Live: Apply 1 change to a scheduled campaign that reaches ", " people? [y/N] "}, "Updated " + live},
		{"pause " + live, []string{"Pause Live? Nothing is sent until you resume."}, live + " is now PAUSED"},
		{"apply " + draft, []string{"Plan: 1 to create.", "Apply this plan? [y/N] "}, "created "},
		{"delete One Two", []string{"Delete One and Two? Drafts are deleted permanently. [y/N] "}, " Two"},
		{"restore " + backup, []string{"Not in the backup, so removed: 1 campaign.", "Changed since the backup, so set back: 1 campaign.", "Replace the store? [y/N] "}, "Restored 52 campaigns in 1 workspace"},
	} {
		if strings.HasPrefix(tt.command, "update") {
			write(t, file, strings.Replace(b.must("get", live), "Half price", "Full price", 1))
		}
		before := b.must("search", "--all", "--json")
		for _, answer := range []struct{ text, then string }{{"\n", "No changes made."}, {"no\n", "No changes made."}, {"y\n", tt.then}} {
			if now := b.must("search", "--all", "--json"); now != before {
				t.Errorf("bugle %s changed something before anybody agreed", tt.command)
			}
			d := startDialog(t, b, nil, strings.Fields(tt.command)...)
			for _, text := range tt.asks {
				d.waitFor(text)
			}
			d.answer(answer.text)
			d.waitFor(answer.then)
			d.end(cli.ExitDone)
		}
		if now := b.must("search", "--all", "--json"); now == before {
			t.Errorf("bugle %s changed nothing", tt.command)
		}
	}
}
