//go:build unix

package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bugle/ui/keymap"
)

// command returns a command with that text.
func command(t *testing.T, text string, prompts ...Prompt) Command {
	t.Helper()
	s, err := parseScript(text, prompts)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return Command{Name: "Try", Timeout: time.Minute, script: s, Prompts: prompts}
}

func run(t *testing.T, c Command, d Data, doc Document) (Result, error) {
	t.Helper()
	job, err := c.Prepare(d, doc)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	return job.Run(t.Context())
}

// hostile are values that a shell would run, split or expand if they were part of its text.
var hostile = []string{
	`'; rm -rf /`, `"; rm -rf /; "`, "$(touch owned)", "`touch owned`", `\`, `\'`, `'`, `"`, "a b  c", "*", "~", "-n", "", "line\nbreak; touch owned",
	"# x", "$HOME", "${HOME}", "& touch owned &", "| touch owned", "> owned", "ä€😀", "!!", "\x1b[31m", "%s", "$BUGLE_ID", "\xff\xfe",
}

// A hostile value arrives byte for byte, and runs nothing, in double quotes and without.
func TestValuesRunNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, value := range hostile {
		d := Data{ID: value, Name: value, Value: value, Field: value, IDs: []string{value, value}, Prompt: map[string]string{"p": value}}
		for text, want := range map[string]string{
			`printf '%s' "$BUGLE_ID"`:                                        value,
			`printf '%s' "${BUGLE_PROMPT_p}"`:                                value,
			`printf '[%s]' "$BUGLE_IDS"`:                                     "[" + value + "\n" + value + "]",
			`printf '%s' "a${BUGLE_NAME}b"`:                                  "a" + value + "b",
			`x=$BUGLE_VALUE; printf '%s' "$x"`:                               value,
			`printf '%s' "$(printf '%s.' "$BUGLE_FIELD")"`:                   value + ".",
			`if [ "$BUGLE_NAME" = "$BUGLE_ID" ]; then printf '%s' same; fi`:  "same",
			`awk 'BEGIN { printf "%s", ENVIRON["BUGLE_NAME"] }'`:             value,
			`for id in $BUGLE_IDS; do : "$id"; done; printf '%s' $BUGLE_ID.`: "",
		} {
			r, err := run(t, command(t, text, Prompt{Name: "p"}), d, Document{})
			if want != "" && (err != nil || r.Output != want) && !(strings.HasPrefix(text, "awk") && strings.Contains(value, "\xff")) {
				t.Errorf("%s with %q printed %q (%v, %s), want %q", text, value, r.Output, err, r.Errors, want)
			}
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("a value was run: %v", left)
	}
}

// A question has the values, and nothing else is replaced in it.
func TestQuestion(t *testing.T) {
	s, err := parseScript("Send $BUGLE_NAME (${BUGLE_PROMPT_to}) for $5, $HOME, $(x) and BUGLE_NAME?", []Prompt{{Name: "to"}})
	if err != nil {
		t.Fatal(err)
	}
	d := Data{Name: "$BUGLE_ID", Prompt: map[string]string{"to": "a\nb"}}
	if got, want := (Command{confirm: s}).Question(d), "Send $BUGLE_ID (a\nb) for $5, $HOME, $(x) and BUGLE_NAME?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestValuesThatCannotBePassed(t *testing.T) {
	for value, want := range map[string]string{strings.Repeat("x", 200_000): "too long", "a\x00b": "null character"} {
		_, err := command(t, "echo $BUGLE_VALUE").Prepare(Data{Value: value}, Document{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "$BUGLE_FILE") {
			t.Errorf("%v, want %s", err, want)
		}
		if r, err := run(t, command(t, `cat "$BUGLE_FILE"`), Data{}, Document{Text: value}); err != nil || r.Output != value {
			t.Errorf("the file has %d bytes, want %d: %v", len(r.Output), len(value), err)
		}
	}
}

// The file is private and is removed, whatever happens.
func TestFileIsPrivateAndRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r, err := run(t, command(t, `ls -l "$BUGLE_FILE"; cat "$BUGLE_FILE"; false`), Data{}, Document{"<p>\nx", ".html"})
	if err == nil || !strings.HasPrefix(r.Output, "-rw------- ") || !strings.Contains(r.Output, "value.html\n") || !strings.HasSuffix(r.Output, "<p>\nx") {
		t.Errorf("%q, %v", r.Output, err)
	}
	if _, err := command(t, `echo "$BUGLE_FILE" "$BUGLE_VALUE"`).Prepare(Data{Value: "\x00"}, Document{}); err == nil {
		t.Error("a null character is passed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTimeout(t *testing.T) {
	c := command(t, "sleep 60")
	c.Timeout = time.Millisecond
	if _, err := run(t, c, Data{}, Document{}); err == nil || !strings.Contains(err.Error(), "stopped after 1ms") {
		t.Errorf("%v", err)
	}
}

// What a command has started ends with it: when it is canceled, and when it ends by itself.
func TestProcessGroupEnds(t *testing.T) {
	for name, cancels := range map[string]bool{"canceled": true, "ended": false} {
		dir := t.TempDir()
		pid := filepath.Join(dir, "pid")
		if err := syscall.Mkfifo(pid, 0o600); err != nil {
			t.Fatal(err)
		}
		text := `sleep 600 & echo $! > "$BUGLE_PROMPT_pid"`
		if cancels {
			text += "; wait"
		}
		job, err := command(t, text, Prompt{Name: "pid"}).Prepare(Data{Prompt: map[string]string{"pid": pid}}, Document{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := job.Run(ctx)
			ended <- err
		}()
		b, err := os.ReadFile(pid) // waits until the child has started
		if err != nil {
			t.Fatal(err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		if cancels {
			cancel()
		}
		if err := <-ended; cancels != errors.Is(err, context.Canceled) || !cancels && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !gone(child) {
			t.Errorf("%s: a process that it has started still runs", name)
		}
	}
}

// gone reports whether a process has ended, or only waits to be collected.
func gone(pid int) bool {
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return syscall.Kill(pid, 0) != nil || err == nil
		}
	}
	return false
}

// The examples of the README run with programs of the same names, which print their arguments.
func TestReadmeExamples(t *testing.T) {
	bin := t.TempDir()
	const stub = "#!/bin/sh\nfor a in \"$@\"; do printf '[%s]' \"$a\"; done\n[ -t 0 ] || cat\n"
	for _, name := range []string{"prettier", "aspell", "hunspell", "curl", "trans"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(stub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, c := range helpCommands(t) {
		d := Data{ID: "1", Name: "Sale '; false", Field: "a.b", Value: "x", Prompt: map[string]string{}}
		for _, p := range c.Prompts {
			d.Prompt[p.Name] = "it's $(false)"
		}
		r, err := run(t, c, d, Document{"<p>Hello</p>\n", ".html"})
		t.Logf("%s: %q", c.Name, r.Output)
		if err != nil || r.Output == "" || r.Errors != "" {
			t.Errorf("%s: %q, %v, %s", c.Name, r.Output, err, r.Errors)
		}
		for _, p := range c.Prompts {
			if !strings.Contains(r.Output, d.Prompt[p.Name]) {
				t.Errorf("%s does not get %s: %q", c.Name, p.Name, r.Output)
			}
		}
		if use := KeyUse(c.Screen, c.Key, keymap.Map{}); use != "" {
			t.Errorf("%s: %s %s", c.Name, c.Key, use)
		}
	}
}
