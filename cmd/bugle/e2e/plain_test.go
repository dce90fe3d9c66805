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
	term.see("The first workspace, 1 to 2, Enter for Sample workspace:")
	answer("", "Choose 1 to 4, list, back or ?:")
	answer("new", "Channel, 1 to 2:")
	answer("email", "Delivery type, 1 to 7:")
	answer("one-time", "Name, Enter for none yet:")
	answer("Spring sale", "Creator, Enter for ann@example.com:")
	answer("", "Choose 1 to 18, list, back or ?:")

	answer("connector", "1 of 2. Type. Required.")
	answer("custom", "2 of 2. Name. Required.")
	answer("Demo mail", "End of Connector. Nothing is invalid or missing here.")
	answer("content", "The message: empty")
	answer("1", "1 of 11. Subject. Required.")
	answer("Spring is here", "2 of 11.")
	answer("list", "Go to, 1 to 11")
	answer("html", "8 of 11. HTML.")
	answer("edit", "9 of 11.")
	answer("back", "The message: 1 problem")
	answer("", "Choose 1 to 19, list, back or ?:")

	// What was answered survives the death of the program.
	term.kill()
	term.again()
	term.see("Choose 1 to 4, list, back or ?:")
	answer("campaigns", "1. Spring sale: Email, one-time, draft")
	answer("1", "Next problem, or type next: Content, Message, Email")
	answer("next", "Choose 1 to 18, list, back or ?:")

	// ctrl+c while a question waits, and the end of the input, leave with everything saved.
	term.press("C-c")
	term.see("Goodbye. Everything is saved.", "EXIT=0")
	term.again()
	term.see("Choose 1 to 4, list, back or ?:")
	term.press("C-d")
	term.see("Goodbye. Everything is saved.", "EXIT=0")
	out, err := term.bugle("search", "--status", "DRAFT", "--name", "Spring sale", "--json")
	if err != nil || !strings.Contains(out, "Spring is here") || !strings.Contains(out, "<p>Beans for everybody.</p>\"") {
		t.Errorf("the draft: %v\n%s", err, out)
	}
}
