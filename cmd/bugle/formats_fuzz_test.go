package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/visible"
)

// hostileTexts are what a terminal, a page or a workflow would obey.
var hostileTexts = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\aafter", "\x1b]8;;https://evil.example\x1b\\link", "\u009b31m", "\u009d0;title\u009c", "\x1bPq", "a\rb", "\u202eabc", "\u200b\u2066",
	"@team and #123, GH-12, a/b#1", "<img src=x onerror=alert(1)>", "<!-- ", "-->", "<details><summary>x", "https://evil.example", "www.evil.example", "![x](https://evil.example/p.png)", "[x]: https://evil.example",
	"::stop-commands::x", "a\n::add-mask::x\n  ::error::x\n", "##[add-mask]x", "\n##[group]x", "```\n</details>\n@team", "````diff\n~~~", "`", "``", "` @team `", "a|b", `a\|b`, `\`, "| @team |\n|---|---|\n", "\n\n# heading\n\n- list\n> quote\n", "    code", "***", "$$x$$", "&lt;b&gt;", ":smile:", "a\x00b", "\ufeff", "line\u2028next\u0085end",
}

// Whatever a file and its name contain, no format of a command has anything that a terminal, a workflow of GitHub or a
// page of it would obey.
func FuzzFormats(f *testing.F) {
	for pair := range slices.Chunk(hostileTexts, 2) {
		f.Add(pair[0], pair[len(pair)-1])
	}
	env := map[string]string{cli.EnvData: f.TempDir(), cli.EnvAuthor: "ann@example.com"}
	output := func(args ...string) string { // of both streams
		var out, errs bytes.Buffer
		run(context.Background(), args, func(name string) string { return env[name] }, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
		return out.String() + errs.String()
	}
	output("init")
	f.Fuzz(func(t *testing.T, one, two string) {
		dir := t.TempDir()
		name := strings.Map(func(r rune) rune {
			if r == '/' || r == 0 || r == '\\' && filepath.Separator == '\\' {
				return '_'
			}
			return r
		}, one)
		if len(name) > 100 || strings.HasPrefix(name, ".") {
			name = "x"
		}
		for side, texts := range map[string][2]string{"a": {one, two}, "b": {two, one}} {
			for file, channel := range map[string]string{name + ".json": "EMAIL", "push.json": "PUSH", "odd.json": texts[0]} {
				if err := os.MkdirAll(filepath.Join(dir, side), 0o700); err != nil {
					t.Fatal(err)
				}
				email := map[string]any{"subject": texts[0], "html_content": "<p>\n" + texts[0] + "\n" + texts[1] + "\n", "x" + one: texts[1]}
				content := map[string]any{"email": email, "x" + two: map[string]any{"variation_1": map[string]any{"email": email}}}
				v := map[string]any{
					"id": "65f0a1b2c3d4e5f60718293a", "channel": channel, "campaign_delivery_type": "ONE_TIME", "created_by": texts[1], one: texts[0],
					"basic_details": map[string]any{"name": texts[0], "tags": []any{texts[0], texts[1]}, "y" + two: map[string]any{one: texts[0]}}, "campaign_content": map[string]any{"content": content},
				}
				if channel == texts[0] {
					v["campaign_delivery_type"] = texts[1]
					delete(v, "id")
				}
				text, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, side, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "none"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Chdir(filepath.Join(dir, "b"))
		for _, args := range [][]string{
			{"diff", "../a", "../b"}, {"diff", "../a/push.json", "push.json"}, {"diff", "../a", ".", "--json"}, {"diff", "../none", "../b"},
			{"lint", "."}, {"lint", ".", "--json"},
			{"apply", "--dry-run", "."},
		} {
			checkInert(t, strings.Join(args, " "), output(args...))
		}
	})
}

// checkInert checks what a command has printed.
func checkInert(t *testing.T, command, text string) {
	t.Helper()
	if visible.HasHidden(strings.NewReplacer("\n", "", "\t", "").Replace(text)) {
		t.Fatalf("%s controls a terminal: %q", command, text)
	}
	if strings.Contains(text, "##[") {
		t.Fatalf("%s has a command of a workflow: %s", command, text)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Fatalf("%s has a command of a workflow: %s", command, line)
		}
		if strings.HasPrefix(command, "diff") && strings.HasPrefix(strings.TrimSpace(line), "~~~") {
			t.Fatalf("%s ends a block of code in a comment: %s", command, line)
		}
	}
}
