//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// served starts `bugle serve` on a new sample workspace, and gives its address and API key.
func served(t *testing.T) (addr, key string) {
	t.Helper()
	env := append(os.Environ(), "BUGLE_DATA="+filepath.Join(t.TempDir(), "served"), "XDG_CONFIG_HOME="+t.TempDir())
	setup := exec.Command(binary, "init", "--sample", "--json")
	setup.Env = env
	out, err := setup.Output()
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--json", "--rate-limits", "off")
	serve.Env = env
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			t.Errorf("serve ended with %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Addr string }
	if err := json.Unmarshal(line, &said); err != nil || said.Addr == "" {
		t.Fatalf("serve said %s", line)
	}
	return said.Addr, made.Key
}

// The terminal works against a remote service as on its own store, with the program itself as the
// remote: build, apply, validate, test.
func TestAgainstARemoteService(t *testing.T) {
	addr, key := served(t)
	config := t.TempDir()
	env := []string{"XDG_CONFIG_HOME=" + config, "XDG_STATE_HOME=" + filepath.Join(config, "state"), "REMOTE_KEY=" + key}
	add := exec.Command(binary, "profile", "add", "there", "--url", "http://"+strings.TrimPrefix(addr, "http://"), "--workspace-id", "DEMO", "--key-env", "REMOTE_KEY", "--author", "ann@example.com", "--use")
	add.Env = append(os.Environ(), env...)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	term := open(t, 80, 24, "", env...)
	term.see("DEMO @ there", "Campaigns", "Winter roast launch")
	term.press("n", "Down", "Enter", "Enter")
	term.write("From afar")
	term.press("Enter", "Enter")
	term.see("Connector is required")
	term.press("Enter")
	term.write("CUSTOM_SMTP")
	term.press("Enter")
	term.write("Demo mail")
	term.see("changes not applied")
	term.press("C-s")
	term.see("Applied.")
	term.press("Escape", "v")
	term.see("Validate", "Content")
	term.press("Escape", "Escape")
	term.see("enter open", "From afar")

	// A draft of theirs, sent as a test through the service.
	term.press("/")
	term.write("winter roast")
	term.see("1 of ", "Winter roast launch")
	term.press("Enter", "t")
	term.see("Test send", "Recipients")
	term.write("ann@example.com")
	term.press("Enter")
	term.see("1 of 10")
	term.press("C-s")
	term.see("SENT")
}
