package operation_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/operation"
)

// A shell must read the body back as it is.
func TestCurlIsOneShellCommand(t *testing.T) {
	body := doc.NewObject(doc.M("Quote", doc.NewString("it's $HOME `x` \\ \"y\"")))
	curl := operation.TestCurl("DE'MO", body)
	if sh, err := exec.LookPath("sh"); err == nil {
		out, err := exec.Command(sh, "-c", strings.Replace(curl, "curl", `printf '%s\n'`, 1)).Output()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(strings.TrimSpace(string(out)), "\n")
		if got := words[len(words)-1]; got != string(body.Encode()) {
			t.Errorf("the shell reads\n%s\nnot\n%s", got, body.Encode())
		}
		if !slices.Contains(words, "X-SVC-Tenant-ID: DE'MO") {
			t.Errorf("words %q", words)
		}
	}
	if again := operation.TestCurl("DE'MO", body); again == curl {
		t.Error("two commands share their ids")
	}
}
