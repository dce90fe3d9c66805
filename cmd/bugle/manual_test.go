package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"bugle/cmd/bugle/internal/cli"
)

var manualDir = flag.String("manual", "", "write the manual pages and the completions to this folder, for .ci/release")

// about are the paragraphs of bugle(1) that `bugle help` does without, because the README and the program say them.
var about = []string{
	"In the terminal program, push and email campaigns are built section by section. Every change is checked and saved at " +
		"once. `?` shows the keys that work where you are (`f1` while you type), `ctrl+k` finds actions, screens and settings, " +
		"and `bugle help` has topics.",
	"Everything also works with commands, and while the terminal program is open. Every command has `--json`, and reads " +
		"standard input for `-`. Campaigns are kept in a folder, in a PostgreSQL database that several machines share (`--data`), or " +
		"in a service that speaks the Campaigns V5 API (`--remote`). `bugle serve` serves that API itself.",
}

// writeManual writes a page for each command that help lists to a folder, of the version and date that are linked into
// a release.
func writeManual(dir string) error {
	date := time.Now()
	if of := cli.CommitDate(); !of.IsZero() {
		date = of
	}
	root := newRoot(cli.New(cli.Streams{}, func(string) string { return "" }))
	root.DisableAutoGenTag = true
	root.InitDefaultVersionFlag()
	inMarkdown(root)
	root.Long += "\n\n" + strings.Join(about, "\n\n") +
		section("ENVIRONMENT", environment, environmentNote) + section("FILES", places, placesNote) + section("EXIT STATUS", exitCodes, exitCodesNote)
	header := doc.GenManHeader{Date: &date, Source: "bugle " + cli.Version(), Manual: "Manual of bugle"}
	err := doc.GenManTree(root, &header, dir)
	for _, topic := range topics() {
		if _, noPage := pages.Open("help/" + topic.name + ".md"); noPage != nil {
			continue
		}
		page, bad := os.Create(filepath.Join(dir, "bugle-help-"+topic.name+".1"))
		if bad == nil {
			header.Title, header.Section = "BUGLE-HELP-"+strings.ToUpper(topic.name), "1"
			bad = doc.GenMan(&cobra.Command{Use: "bugle help " + topic.name, Short: topic.short, Long: topic.text, DisableFlagsInUseLine: true, DisableAutoGenTag: true}, &header, page)
			bad = errors.Join(bad, page.Close())
		}
		err = errors.Join(err, bad)
	}
	return err
}

// section returns a section of a page with a list of names and texts, in Markdown.
func section(title string, rows [][2]string, note string) string {
	text := "\n\n# " + title + "\n"
	for _, r := range rows {
		text += "**" + r[0] + "**\n: " + r[1] + "\n\n"
	}
	return text + note
}

// inMarkdown makes the texts of a command, and of all below it, those that cobra/doc expects: tables are code.
func inMarkdown(c *cobra.Command) {
	parts := strings.Split(strings.TrimSpace(c.Long), "\n\n")
	for i, p := range parts {
		if strings.Contains(p, "  ") {
			parts[i] = "```\n" + p + "\n```"
		} else {
			parts[i] = strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(p)
		}
	}
	c.Long = strings.Join(parts, "\n\n")
	for _, sub := range c.Commands() {
		inMarkdown(sub)
	}
}

var macro = regexp.MustCompile(`\s\.[A-Z][A-Z]\b`) // of troff, within a line

// Every command that help lists and each topic with a page has a manual page, which is formatted without a warning and, but for examples, in the columns of a terminal.
func TestManual(t *testing.T) {
	t.Parallel()
	dir := cmp.Or(*manualDir, t.TempDir())
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeManual(man); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bugle.1", "bugle-create.1", "bugle-connectors-put.1", "bugle-completion-zsh.1", "bugle-help-team.1"} {
		if _, err := os.Stat(filepath.Join(man, name)); err != nil {
			t.Error(err)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil { // it comes with man
		pages, err := filepath.Glob(filepath.Join(man, "*.1"))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(groff, append([]string{"-man", "-Tascii", "-P-cbou", "-ww", "-rLL=80n"}, pages...)...)
		var out, warnings strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &warnings
		if err := cmd.Run(); err != nil || warnings.Len() > 0 {
			t.Errorf("%v\n%s", err, warnings.String())
		}
		if out.Len() < 20_000 {
			t.Errorf("only %d bytes are printed", out.Len())
		}
		for l := range strings.Lines(out.String()) {
			if len(l) > 120 || macro.MatchString(l) || strings.Contains(l, `\f`) {
				t.Errorf("a line of %d columns: %s", len(l), l)
			}
		}
	}
	for file, shell := range map[string]string{"bugle.bash": "bash", "_bugle": "zsh", "bugle.fish": "fish", "bugle.ps1": "powershell"} {
		var out bytes.Buffer
		if code := run(context.Background(), []string{"completion", shell}, func(string) string { return "" }, cli.Streams{Out: &out, Err: os.Stderr}); code != cli.ExitDone {
			t.Fatalf("completion %s: exit code %d", shell, code)
		}
		if err := os.WriteFile(filepath.Join(completions, file), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
