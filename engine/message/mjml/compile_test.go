//go:build unix

package mjml

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// stub puts a program mjml on PATH that runs a shell script, and returns its folder.
func stub(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mjml"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// echoing compiles MJML as the real one does, as far as these tests need it.
const echoing = "printf '%s\\n' '<!-- FILE: undefined -->' '<!doctype html>' '<html><body>'\nsed 's/<[^>]*>//g'\necho '</body></html>'\n"

func TestCompile(t *testing.T) {
	tests := map[string]struct {
		script, source string
		want           string // the HTML, or the error
	}{
		"HTML":               {echoing, "<mjml>Hi {{ x }}</mjml>", "<!doctype html>\n<html><body>\nHi {{ x }}</body></html>\n"},
		"problems, status 0": {"cat >/dev/null; echo '<html>'; echo \"Line 3 of $PWD (mj-txt) — Element mj-txt doesn't exist or is not registered\" >&2", "<mjml></mjml>", "the MJML cannot be compiled: line 3: Element mj-txt doesn't exist or is not registered"},
		"failure":            {"cat >/dev/null; echo 'env: node: No such file' >&2; exit 127", "<mjml></mjml>", "the MJML cannot be compiled: mjml failed: env: node: No such file"},
		"silent failure":     {"exit 3", "<mjml></mjml>", "the MJML cannot be compiled: mjml failed: exit status 3"},
		"no output":          {"cat >/dev/null; echo '<!-- FILE: undefined -->'", "<mjml></mjml>", "the MJML cannot be compiled: mjml failed: it printed no HTML"},
		"too much output":    {"cat >/dev/null; head -c 9000000 /dev/zero", "<mjml></mjml>", "the MJML cannot be compiled: the HTML has more than 4096 KiB"},
		"lost expression":    {"cat >/dev/null; echo '<html></html>'", "<mjml>\n{{ x }}</mjml>", "the MJML cannot be compiled: line 2: {{ x }} is not in the compiled HTML; put it in the text of an element, or in <mj-raw>"},
		"too long":           {"exit 1", "<mjml>" + strings.Repeat("x", maxSource) + "</mjml>", "the MJML cannot be compiled: it has 1024 KiB; up to 1024 KiB are allowed"},
		"includes":           {echoing, "<mjml><mj-include path='a'/></mjml>", "the MJML cannot be compiled: line 1: mj-include is not supported, because it reads files; put the content itself here"},
		"arguments":          {"cat >/dev/null; echo \"$*\"", "<mjml></mjml>", "-i -s\n"},
		"an empty folder":    {"cat >/dev/null; ls -A; ls -ld . | cut -c 1-10", "<mjml></mjml>", "drwx------\n"},
		"environment":        {"cat >/dev/null; echo \"<$NODE_OPTIONS$BUGLE_SECRET>\"", "<mjml></mjml>", "<>\n"},
	}
	t.Setenv("NODE_OPTIONS", "--require=/x")
	t.Setenv("BUGLE_SECRET", "x")
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			stub(t, tt.script)
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			got, err := Compile(t.Context(), tt.source)
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if left, _ := os.ReadDir(tmp); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestCompileNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Compile(t.Context(), "<mjml></mjml>")
	if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), "npm install -g mjml") {
		t.Errorf("%v", err)
	}
}

// A canceled run ends with what it has started, and another one can begin.
func TestCompileCanceled(t *testing.T) {
	dir := stub(t, "sleep 600 & echo $! > \"${0%/*}/pid\"\nwait\n")
	fifo := filepath.Join(dir, "pid")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := Compile(ctx, "<mjml></mjml>")
		ended <- err
	}()
	b, err := os.ReadFile(fifo) // waits until it has started
	if err != nil {
		t.Fatal(err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Compile(waiting, "<mjml></mjml>"); !errors.Is(err, context.Canceled) {
		t.Errorf("one that waits: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if out, _ := exec.Command("ps", "-o", "stat=", "-p", strings.TrimSpace(string(b))).Output(); len(out) > 0 && out[0] != 'Z' {
		t.Errorf("what it has started still runs: %s", out)
	}
	stub(t, echoing)
	if _, err := Compile(t.Context(), "<mjml></mjml>"); err != nil {
		t.Errorf("the next one: %v", err)
	}
}

func TestUpdate(t *testing.T) {
	stub(t, echoing)
	const source = "<mjml>Hi {{ x }}</mjml>"
	body, err := Update(t.Context(), "<p>", source)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Source(body); !ok || got != source || IsSource(body) || !strings.Contains(Without(body), "Hi {{ x }}") {
		t.Fatalf("%q", body)
	}
	if got, err := Update(t.Context(), "", body); err != nil || got != body {
		t.Errorf("the compiled body: %q, %v", got, err)
	}
	stub(t, "exit 1")
	if _, err := Update(t.Context(), "", body); err == nil {
		t.Error("a compiled body is taken although it cannot be compiled")
	}
	for what, tt := range map[string]struct{ before, text, want string }{
		"HTML":                    {body, "<p>{{ y }}", "<p>{{ y }}"},
		"the same source":         {body, source, body},
		"an edited compiled body": {body, strings.Replace(body, "Hi", "Hello", 1), strings.Replace(Without(body), "Hi", "Hello", 1)},
		"nothing":                 {body, "", ""},
	} {
		if got, err := Update(t.Context(), tt.before, tt.text); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	if _, err := Update(t.Context(), body, source+"\n"); err == nil {
		t.Error("another source is not compiled")
	}
}

func TestUpdateAll(t *testing.T) {
	stub(t, "cat >/dev/null; echo \"Line 2 of $PWD (mj-x) — Attribute y is illegal\" >&2")
	table := catalog.Campaign(catalog.Email)
	at := func(locale string) doc.Path {
		return doc.P("campaign_content", "content", locale, "variation_1", "email", catalog.EmailHTML)
	}
	before := doc.NewObject()
	after := before
	for locale, text := range map[string]string{"default": "<mjml>\n</mjml>", "de": "<p>"} {
		var err error
		if after, err = after.Set(at(locale), doc.NewString(text)); err != nil {
			t.Fatal(err)
		}
	}
	out, problems, err := UpdateAll(t.Context(), table, before, after)
	if err != nil || !out.Same(after) || len(problems) != 1 || !problems[0].Path.Equal(at("default")) || problems[0].Line != 2 ||
		problems[0].Message != "MJML, line 2: mj-x: Attribute y is illegal" || !strings.HasSuffix(problems[0].Rule, "html_content#mjml") || IsMissing(problems[0]) {
		t.Errorf("%v, %+v", err, problems)
	}
	stub(t, echoing)
	out, problems, err = UpdateAll(t.Context(), table, before, after)
	if source, ok := Source(out.Lookup(at("default")).Text()); err != nil || len(problems) > 0 || !ok || source != "<mjml>\n</mjml>" || out.Lookup(at("de")).Text() != "<p>" {
		t.Errorf("%v, %v", err, problems)
	}
	if again, _, _ := UpdateAll(t.Context(), table, out, after); again.Lookup(at("default")).Text() != out.Lookup(at("default")).Text() {
		t.Error("the same source is a change")
	}
	t.Setenv("PATH", t.TempDir())
	if _, problems, err := UpdateAll(t.Context(), table, before, after); err != nil || len(problems) != 1 || !IsMissing(problems[0]) || !strings.Contains(problems[0].Message, "npm install -g mjml") {
		t.Errorf("%v, %v", err, problems)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stub(t, echoing)
	if _, _, err := UpdateAll(ended, table, before, after); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Somebody can write HTML with the comment of other MJML. It is found out where mjml is installed, and is not saved there.
func TestVerify(t *testing.T) {
	const source = "<mjml>Hi {{ x }}</mjml>"
	lie := attach("<p>Something else {{ x }}</p>", source)
	if got, ok := Source(lie); !ok || got != source {
		t.Fatalf("it shows %q", got)
	}
	stub(t, echoing)
	honest, err := Update(t.Context(), "", source)
	if err != nil {
		t.Fatal(err)
	}
	for html, want := range map[string]error{
		honest: nil, strings.ReplaceAll(honest, "\n", "\r\n"): nil, page: nil, "": nil, source: nil,
		lie: ErrDiffers, attach(strings.Replace(honest, "Hi", "Ho", 1), source): ErrDiffers,
	} {
		for range 2 { // also when it is known
			if err := Verify(t.Context(), html); !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Errorf("%s: %v, want %v", html, err, want)
			}
		}
	}
	if got, err := Update(t.Context(), honest, lie); got != honest || err != nil {
		t.Errorf("it was saved as %q (%v)", got, err)
	}
	// Menus and carousels have other ids each time; what the source has must be the same.
	stub(t, "cat >/dev/null; echo '<p id=\"0123456789abcdef\">'; echo '<a href=\"/aaaaaaaabbbbbbbb\">'")
	const numbered = "<mjml>/aaaaaaaabbbbbbbb</mjml>"
	for html, want := range map[string]error{
		`<p id="fedcba9876543210">` + "\n" + `<a href="/aaaaaaaabbbbbbbb">`:             nil,
		`<p id="fedcba9876543210">` + "\n" + `<a href="/ccccccccdddddddd">`:             ErrDiffers,
		`<p id="fedcba9876543210" onclick="x">` + "\n" + `<a href="/aaaaaaaabbbbbbbb">`: ErrDiffers,
	} {
		if err := Verify(t.Context(), attach(html, numbered)); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", html, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := Verify(t.Context(), honest); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("without mjml: %v", err)
	}
	if got, err := Update(t.Context(), "", lie); got != lie || err != nil {
		t.Errorf("without mjml it was saved as %q (%v)", got, err)
	}
}
