//go:build e2e

package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugle/ui/uitest"
)

// script writes a small program to a folder and returns its path.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// written waits until another program has written a file, and returns its text.
func written(t *testing.T, path string) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if b, err := os.ReadFile(path); err == nil && len(b) > 0 {
			return string(b)
		}
	}
	t.Fatalf("%s is not written", path)
	return ""
}

// fetched returns what is at an address.
func fetched(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The grid of an email: two locales more, a second variation, 60 to 40, a cell copied and another
// compared; the text is changed in the person's editor and the mail looked at in the browser.
func TestContentInTheGrid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	editor := script(t, dir, "editor", `echo '<p>Added in the editor.</p>' >> "$1"`)
	script(t, dir, "xdg-open", `echo "$1" > `+dir+`/part && mv `+dir+`/part `+dir+`/opened`)
	p := sample(t, 120, 40, "EDITOR="+editor, "VISUAL="+editor, "DISPLAY=:99")
	p.start = "PATH=" + dir + ":$PATH " + p.start
	p.again()
	p.play("?Winter roast launch")
	p.play("n", "?New draft", "Down Enter", "?One-time", "Enter", ">Tasting", "Enter", "?Connector: add a connector",
		"Down Enter", "?▸ Subject", "M-m", "?+ locale (a)")

	p.play("a", "?German", ">de,fr", "Enter", "?French       ○ empty", "A", "?B  ", "Home Left", "?○ empty",
		"%", "?use what is left", ">60", "?110 of 100", "Tab", ">40", "?100 of 100", "?60%", "?40%")

	p.play("Down Left Enter", "?Default · A", ">Come and taste", "Enter Enter Enter", ">news@example.com", "Down", ">Six cups on the table", "?▸ HTML")
	p.play("C-e", "?Added in the editor", "?On a phone", "?Six cups on the table")
	p.play("M-m", "?✓ Come and taste", "Right M-y", "?= Come and taste", "M-l", "?French       = Come and taste")

	// One cell differs from the others, and the comparison shows how.
	p.play("Down Right Enter", "?▸ Subject", "C-u", ">Komm und probier", "M-m", "?✓ Komm und probier", "d", "?1 difference", "?Come and taste", "Escape", "!1 difference")
	p.play("M-o", "?Opened in the browser")
	if page := fetched(t, uitest.LedTo(t, strings.TrimSpace(written(t, filepath.Join(dir, "opened"))))+"message"); !strings.Contains(page, "Added in the editor.") {
		t.Errorf("the browser shows %s", page)
	}
	p.holds("Tasting", `"locales":["de","fr"]`, `"no_of_variations":2`, `:60`, `:40`, "Komm und probier", "Added in the editor.")
}
