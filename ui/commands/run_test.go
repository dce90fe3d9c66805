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

// command returns a command with that template.
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
	"# x", "$HOME", "${HOME}", "& touch owned &", "| touch owned", "> owned", "ä€😀", "!!", "\x1b[31m", "%s", "{{.ID}}", "\xff\xfe",
}

// A hostile value arrives as one word, byte for byte, wherever a template may use it.
func TestValuesRunNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, value := range hostile {
		d := Data{ID: value, Name: value, Value: value, Field: value, IDs: []string{value, value}, Prompt: map[string]string{"p": value}}
		for text, want := range map[string]string{
			`printf '%s' {{.ID}}`:                                    value,
			`printf '%s' {{.Prompt.p}}`:                              value,
			`printf '[%s]' {{.IDs}}`:                                 "[" + value + "][" + value + "]",
			`printf '[%s]' {{range .IDs}} {{.}}{{end}}`:              "[" + value + "][" + value + "]",
			`printf '%s' a{{.Name}}b`:                                "a" + value + "b",
			`x={{.Value}}; printf '%s' "$x"`:                         value,
			`printf '%s' "$(printf '%s.' {{.Field}})"`:               value + ".",
			`if [ {{.Name}} = {{.ID}} ]; then printf '%s' same; fi`:  "same",
			`{{$x := .Name}}printf '%s' {{$x}}`:                      value,
			`printf '%s' {{printf "%s!" .Name}}`:                     value + "!",
			"printf '%s' \\\n  {{with .Name}}{{.}}{{else}}''{{end}}": value,
		} {
			c := command(t, text, Prompt{Name: "p"})
			r, err := run(t, c, d, Document{})
			if text == `printf '%s' {{.ID}}` && value == "-n" || err == nil && r.Output == want {
				continue
			}
			t.Errorf("%s with %q printed %q (%v, %s), want %q", text, value, r.Output, err, r.Errors, want)
		}
	}
	if _, err := os.Stat("owned"); err == nil {
		t.Error("a value was run")
	}
}

// Functions of templates that escape for something else do not undo the quoting.
func TestTemplateFunctionsRunNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, text := range []string{`printf '%s' {{printf "%q" .Name}}`, `printf '%s' {{.Name | print | urlquery}}`} {
		for _, value := range hostile {
			if r, err := run(t, command(t, text), Data{Name: value}, Document{}); err != nil {
				t.Errorf("%s with %q: %v %s", text, value, err, r.Errors)
			}
		}
	}
	if left, _ := os.ReadDir("."); len(left) != 0 {
		t.Errorf("a value was run: %v", left)
	}
}

// Where the shell would not take a value as a word, the template is refused.
func TestValuesInQuotesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`echo '{{.Name}}'`:                    "in quotes",
		`echo "{{.Name}}"`:                    "in quotes",
		`echo "it's {{.Name}}"`:               "in quotes",
		`echo "\"{{.Name}}"`:                  "in quotes",
		"echo `cat {{.File}}`":                "in backquotes",
		"echo x # {{.Name}}":                  "in a comment",
		`echo \{{.Name}}`:                     "after \\",
		`echo ${{.Name}}`:                     "after $",
		`echo "$(cat "{{.File}}")"`:           "in quotes",
		`sh -c 'echo {{.Name}}'`:              "in quotes",
		`{{if .Name}}echo '{{end}}{{.Name}}'`: "in quotes",
	} {
		if _, err := parseScript(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`echo 'it''s' {{.Name}}`, `echo "a" {{.Name}} 'b'`, `echo "$(cat {{.File}})"`, `echo \"{{.Name}}\"`, "echo a#b {{.Name}}", "# it's\necho {{.Name}}", `echo "$((1+1))" {{.Name}}`} {
		if _, err := parseScript(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestValuesThatCannotBePassed(t *testing.T) {
	for value, want := range map[string]string{strings.Repeat("x", 200_000): "too long", "a\x00b": "null character"} {
		_, err := command(t, "echo {{.Value}}").Prepare(Data{Value: value}, Document{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "{{.File}}") || strings.Contains(err.Error(), "template") {
			t.Errorf("%v, want %s", err, want)
		}
		if r, err := run(t, command(t, "cat {{.File}}"), Data{}, Document{Text: value}); err != nil || r.Output != value {
			t.Errorf("the file has %d bytes, want %d: %v", len(r.Output), len(value), err)
		}
	}
}

// The file is private and is removed, whatever happens.
func TestFileIsPrivateAndRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	r, err := run(t, command(t, "ls -l {{.File}}; cat {{.File}}; false"), Data{}, Document{"<p>\nx", ".html"})
	if err == nil || !strings.HasPrefix(r.Output, "-rw------- ") || !strings.Contains(r.Output, "value.html\n") || !strings.HasSuffix(r.Output, "<p>\nx") {
		t.Errorf("%q, %v", r.Output, err)
	}
	if _, err := command(t, "echo {{.File}} {{.Value}}").Prepare(Data{Value: "\x00"}, Document{}); err == nil {
		t.Error("a null character is passed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFailureHasStandardError(t *testing.T) {
	r, err := run(t, command(t, "echo out; echo wrong >&2; exit 3"), Data{}, Document{})
	if err == nil || err.Error() != "exit status 3" || r.Output != "out\n" || r.Errors != "wrong\n" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	r, err := run(t, command(t, "head -c 9000000 /dev/zero; head -c 900000 /dev/zero >&2"), Data{}, Document{})
	if err != nil || len(r.Output) != maxOutput || !r.Cut || len(r.Errors) != maxErrors {
		t.Errorf("%d and %d bytes, cut %v, %v", len(r.Output), len(r.Errors), r.Cut, err)
	}
}

func TestTimeout(t *testing.T) {
	c := command(t, "sleep 60")
	c.Timeout = time.Millisecond
	if _, err := run(t, c, Data{}, Document{}); err == nil || !strings.Contains(err.Error(), "stopped after 1ms") {
		t.Errorf("%v", err)
	}
	for d, want := range map[time.Duration]string{5 * time.Minute: "5m", 90 * time.Second: "1m30s", time.Hour: "1h", 10 * time.Second: "10s"} {
		if got := duration(d); got != want {
			t.Errorf("%s, want %s", got, want)
		}
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
		text := "sleep 600 & echo $! > {{.Prompt.pid}}"
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
	for _, c := range readmeCommands(t) {
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
