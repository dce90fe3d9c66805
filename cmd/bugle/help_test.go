package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/process"
)

// Every command and topic has its help in the same form: a line, a paragraph, and examples for those that are listed.
func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	root := newRoot(cli.New(cli.Streams{}, func(string) string { return "" }))
	root.InitDefaultHelpCmd()
	seen := 0
	var walk func(c *cobra.Command, listed bool)
	walk = func(c *cobra.Command, listed bool) {
		seen++
		name := c.CommandPath()
		if len(c.Short) >= 60 || strings.HasSuffix(c.Short, ".") || c.Short == "" || !unicode.IsUpper(rune(c.Short[0])) {
			t.Errorf("%s: the first line is %q", name, c.Short)
		}
		if c.Long == "" || c.Long == c.Short {
			t.Errorf("%s: there is no paragraph", name)
		}
		shell := c.Parent() != nil && c.Parent().Name() == "completion" // cobra's own
		if c.Example == "" && listed && c.Runnable() && !c.HasSubCommands() && !shell && c.Name() != "help" && c.Name() != "list" {
			t.Errorf("%s: there are no examples", name)
		}
		for _, l := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if len([]rune(l)) > 120 {
				t.Errorf("%s: a line is too wide: %s", name, l)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub, listed && !sub.Hidden)
		}
	}
	walk(root, true)
	if seen < 60 {
		t.Errorf("only %d commands were seen", seen)
	}
}

// Help is as wide as the terminal: words are whole, and descriptions of flags stay in their column.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	if got, want := readable("One two\nthree four.\n\n  a  table\n  b  of two", 9), "One two\nthree\nfour.\n\n  a  table\n  b  of two"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := readable("Set one of\n--keyring and --key-env", 17), "Set one of\n--keyring and\n--key-env"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	flags := "Flags:\n      --by email   email address to sign the change with\n"
	want := "Flags:\n      --by email   email address to sign\n                   the change with\n"
	if got := wrapFlags(flags, 42); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := wrapFlags(flags, 0); got != flags {
		t.Errorf("got %q", got)
	}
	terminal, err := pty.StartWithSize(exec.Command("bugle", "help", "pause"), &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	out, _ := io.ReadAll(terminal) // ends with an error where the other end closes
	if !strings.Contains(string(out), "Pause campaigns") {
		t.Errorf("it writes %q", out)
	}
	for _, l := range strings.Split(strings.ReplaceAll(string(out), "\r", ""), "\n") {
		if len(l) > 80 {
			t.Errorf("a line is %d columns wide: %s", len(l), l)
		}
	}
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	codeSpan   = regexp.MustCompile("`(bugle [^`\n]+)`")
	// misunderstood is what bugle says of a command line that it does not understand, whatever is there.
	misunderstood = regexp.MustCompile(`unknown (command|flag|shorthand)|flag needs|no help for|takes no arguments|must be (one of|a whole)`)
	shellEnd      = regexp.MustCompile(`(\s+(\||&&|#|>|<|\\$)|;).*`)
)

// What README, the topics and the examples tell people to type runs: it may not find what it names here, but no command line
// is one that bugle does not understand.
func TestCommandsInTexts(t *testing.T) {
	var lines []string
	names, err := filepath.Glob("help/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range append(names, "../../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllSubmatch(text, -1) {
			lines = append(lines, strings.Split(string(block[1]), "\n")...)
		}
		for _, span := range codeSpan.FindAllSubmatch(text, -1) {
			lines = append(lines, string(span[1]))
		}
	}
	var examples func(c *cobra.Command)
	examples = func(c *cobra.Command) {
		lines = append(lines, strings.Split(c.Example, "\n")...)
		for _, sub := range c.Commands() {
			examples(sub)
		}
	}
	examples(newRoot(cli.New(cli.Streams{}, func(string) string { return "" })))
	keyring.MockInit()
	t.Setenv("DISPLAY", "") // so that no browser is opened
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Chdir(t.TempDir())
	b := newBugle(t)
	b.env["EDITOR"] = "true"
	b.run(cli.ExitDone, "", "init", "--sample")
	seen := map[string]bool{}
	for _, line := range lines {
		line, isCommand := strings.CutPrefix(strings.TrimSpace(line), "bugle ")
		line = shellEnd.ReplaceAllString(line, "")
		if !isCommand || seen[line] {
			continue
		}
		seen[line] = true
		words, err := process.Words(strings.NewReplacer("[", "", "]", "").Replace(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if len(words) > 0 && words[len(words)-1] == "…" { // commands of that name
			words[len(words)-1] = "--help"
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // for those that go on until they are told to end
		var errs strings.Builder
		run(ctx, words, b.getenv, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs})
		cancel()
		if said := errs.String(); misunderstood.MatchString(said) {
			t.Errorf("bugle %s: %s", line, said)
		}
	}
	if len(seen) < 120 {
		t.Errorf("only %d commands were seen", len(seen))
	}
}
