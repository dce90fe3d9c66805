//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The main job by questions and answers in a terminal, as somebody does it who hears the lines: the
// environment asks for it, nothing but lines is drawn, and long texts open in the editor.
func TestMainJobLineByLine(t *testing.T) {
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf '<p>Beans for everybody.</p>\\n' > \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	term := open(t, 100, 40, filepath.Join(dir, "data"), "ACCESSIBLE=1", "EDITOR="+editor, "VISUAL="+editor)
	answer := func(text, then string) {
		t.Helper()
		if text != "" {
			term.write(text)
		}
		term.press("Enter")
		term.see(then)
	}
	term.see("What do you want to start with?", "Welcome>")
	answer("1", "Campaigns>")
	answer("new", "Channel>")
	answer("email", "Delivery type>")
	answer("one-time", "Name>")
	answer("Spring sale", "Campaign Spring sale>")
	answer("next to do", "Name>")
	answer("demo", "Subject>")
	answer("Spring is here", "From address>")
	answer("news@example.com", "HTML>")
	answer(":edit", "HTML>")
	answer(":back", "3. Content: done")

	// What was answered survives the death of the program.
	term.kill()
	term.again()
	term.see("1. Spring sale: Email, one-time, draft", "Campaigns>")
	answer("1", "3. Content: done")
	answer("next to do", "Audience")

	// ctrl+c while a question waits, and the end of the input, leave with everything saved.
	term.press("C-c")
	term.see("Goodbye. Everything is saved.", "EXIT=0")
	term.again()
	term.see("Campaigns>")
	term.press("C-d")
	term.see("Goodbye. Everything is saved.", "EXIT=0")
	out, err := term.bugle("search", "--status", "DRAFT", "--name", "Spring sale", "--json")
	if err != nil || !strings.Contains(out, "Spring is here") || !strings.Contains(out, "<p>Beans for everybody.</p>\"") {
		t.Errorf("the draft: %v\n%s", err, out)
	}
}
