package main

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/internal/manual"
)

var manualDir = flag.String("manual", "", "write the manual pages and the completions to this folder, for .ci/release")

// about are the paragraphs of bugle(1) that `bugle help` does without, because the README and the program say them.
var about = []string{
	"In the terminal program, push and email campaigns are built section by section. Every change is checked and saved at " +
		"once. `?` shows the keys that work where you are (`f1` while you type), `ctrl+k` finds actions, screens and settings, " +
		"and `f8` starts a tour.",
	"Everything also works with commands, and while the terminal program is open. Every command has `--json`, and reads " +
		"standard input for `-`. Campaigns are kept in a folder, in a PostgreSQL database that several machines share (`--data`), or " +
		"in a service that speaks the Campaigns V5 API (`--remote`). `bugle serve` serves that API itself.",
}

// book returns the manual, of the version and date that are linked into a release.
func book() manual.Book {
	date := time.Now()
	if b := cli.ThisBuild(); !b.CommitDate.IsZero() {
		date = b.CommitDate
	}
	return manual.Book{
		Version: cli.Version(), Date: date, About: about,
		Sections: []manual.Section{
			{Title: "ENVIRONMENT", Text: environmentNote, Rows: environment},
			{Title: "FILES", Text: placesNote, Rows: places},
			{Title: "EXIT STATUS", Text: exitCodesNote, Rows: exitCodes},
		},
	}
}

// Every command that help lists has a manual page, which is formatted without a warning and, but for examples, in the columns of a terminal.
func TestManual(t *testing.T) {
	files := book().Pages(newRoot(cli.New(cli.Streams{}, func(string) string { return "" })))
	for _, name := range []string{"bugle.1", "bugle-create.1", "bugle-workspace-put.1", "bugle-completion-zsh.1"} {
		if files[name] == nil {
			t.Errorf("there is no page %s", name)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil { // it comes with man
		cmd := exec.Command(groff, "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=80n")
		var out, warnings strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(bytes.Join(slices.Collect(maps.Values(files)), nil)), &out, &warnings
		if err := cmd.Run(); err != nil || warnings.Len() > 0 {
			t.Errorf("%v\n%s", err, warnings.String())
		}
		if out.Len() < 20_000 {
			t.Errorf("only %d bytes are printed", out.Len())
		}
		for l := range strings.Lines(out.String()) {
			if len(l) > 120 || strings.Contains(l, " .") || strings.Contains(l, `\f`) {
				t.Errorf("a line of %d columns: %s", len(l), l)
			}
		}
	}
	if *manualDir == "" {
		return
	}
	for file, shell := range map[string]string{"bugle.bash": "bash", "_bugle": "zsh", "bugle.fish": "fish", "bugle.ps1": "powershell"} {
		var out bytes.Buffer
		if code := run(context.Background(), []string{"completion", shell}, func(string) string { return "" }, cli.Streams{Out: &out, Err: os.Stderr}); code != cli.ExitDone {
			t.Fatalf("completion %s: exit code %d", shell, code)
		}
		files[filepath.Join("completions", file)] = out.Bytes()
	}
	for name, content := range files {
		if filepath.Ext(name) == ".1" {
			name = filepath.Join("man", name)
		}
		path := filepath.Join(*manualDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
