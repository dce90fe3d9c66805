package uitest

import (
	"html"
	"os"
	"regexp"
	"testing"
)

var refresh = regexp.MustCompile(`http-equiv="refresh" content="0;url=([^"]+)"`)

// LedTo returns the address to which the file that a browser gets leads. It fails the test if others can read the file.
func LedTo(t testing.TB, file string) string {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file for the browser: %v, %v", info, err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := refresh.FindSubmatch(b)
	if found == nil {
		t.Fatalf("the file for the browser leads nowhere: %s", b)
	}
	return html.UnescapeString(string(found[1]))
}
