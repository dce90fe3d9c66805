package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// A typed secret is not echoed, and the echo is on again afterwards, even if the prompt was canceled.
func TestSecretsAreNotEchoed(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		far, near, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		before, err := term.GetState(int(near.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var said bytes.Buffer // read once it is over
		f := New(Streams{In: near, Out: &said, Err: &said}, nil)
		got := make(chan string, 1)
		go func() {
			text, err := f.Key(ctx)
			if err != nil {
				text = "error: " + err.Error()
			}
			got <- text
		}()
		if interrupted {
			stop()
		} else if _, err := far.WriteString("the-key\n"); err != nil {
			t.Fatal(err)
		}
		text := <-got
		if want := map[bool]string{false: "the-key", true: "error: context canceled"}[interrupted]; text != want {
			t.Errorf("got %q, want %q", text, want)
		}
		after, err := term.GetState(int(near.Fd()))
		if err != nil || *after != *before {
			t.Errorf("the terminal is left as %v, and was %v: %v", after, before, err)
		}
		if strings.Contains(said.String(), "the-key") {
			t.Errorf("it is shown: %q", said.String())
		}
		_, _ = far.WriteString("\n") // any process that still reads
		stop()
		_, _ = near.Close(), far.Close()
	}
}

// A profile's names lead to no folder but their own.
func TestRemoteNamesStayInTheirFolder(t *testing.T) {
	for _, name := range []string{"..", "../..", "/etc", ".", "", "a/b", `a\b`, "a\x00b", "W1", "-"} {
		got := Folder(name)
		if got != filepath.Base(got) || !filepath.IsLocal(got) || got == "." || strings.ContainsAny(got, `/\`+"\x00") {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	if Folder("W1") != "W1" || Folder("../a") == Folder("../b") {
		t.Error("names are not told apart")
	}
}
