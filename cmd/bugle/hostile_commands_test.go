package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/service/api"
	"bugle/engine/service/local/sample"
)

// onTTY returns what a function writes to a terminal.
func onTTY(t *testing.T, write func(*os.File)) string {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	if _, err := term.MakeRaw(int(near.Fd())); err != nil { // it adds nothing of its own
		t.Fatal(err)
	}
	out := make(chan string)
	go func() {
		b, _ := io.ReadAll(far) // ends with an error when the other side is closed
		out <- string(b)
	}()
	write(near)
	_ = near.Close()
	return <-out
}

// wiped is what the meters of long work write besides text: back to the start of the line, and wipe it.
var wiped = strings.NewReplacer("\r", "", "\x1b[K", "")

// watched runs commands on a terminal, fails if one writes a control sequence, and returns their output.
func watched(t *testing.T, b bugle, commands []string) (all string) {
	t.Helper()
	for _, words := range commands {
		args := strings.Fields(words)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "%", " ")
		}
		code := 0
		out := onTTY(t, func(tty *os.File) {
			code = run(t.Context(), args, b.getenv, cli.Streams{In: strings.NewReader(""), Out: tty, Err: tty})
		})
		if args := strings.Fields(words); len(args) > 0 && args[0] == "__complete" {
			out = strings.ReplaceAll(out, "\t", " ") // between a word and its help
		}
		if at, found := ruling(wiped.Replace(out)); found {
			t.Errorf("bugle %s (exit code %d) writes %q", words, code, at)
		}
		all += fmt.Sprintf("$ bugle %s\n%s", words, out)
	}
	return all
}

// No command writes a control sequence to the terminal, whatever the store contains.
func TestNoControlSequenceFromTheStore(t *testing.T) {
	needSlow(t)
	t.Parallel()
	b := newBugle(t)
	b.must("init", "--sample")
	f := cli.New(cli.Streams{}, b.getenv)
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	poisonAll(t, store.Records(), sample.ID)
	svc, err := store.Service(t.Context(), sample.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.List(t.Context(), engine.ListQuery{})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	one, two := rows[0].ID, rows[1].ID
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("own.json"), `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","basic_details":{"name":"`+cli.Escaped(poison)+`x"}}`)
	out := watched(t, b, append(campaignCommands(one, two, in), append(localCommands,
		"lint "+in("own.json"), "diff "+in("own.json")+" "+one, "create "+in("own.json"),
		"history list "+one, "history show "+one+" 1", "history diff "+one+" 1", "history restore "+one+" 1", "__complete history show "+one+" %",
		"archive "+one+" "+two, "archive --yes "+one+" "+two, "unarchive "+one+" --json", "delete "+one+" "+two, "delete --yes "+one+" "+two,
	)...))
	if !strings.Contains(out, "USER_") {
		t.Errorf("the commands say little:\n%s", out)
	}
}

// No command writes a control sequence to the terminal, whatever a remote service returns.
func TestNoControlSequenceFromAService(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			url, rows := hostile(t, kind)
			b := newBugle(t)
			b.env["KEY"], b.env[cli.EnvRemote] = "k", "far"
			b.must("remote", "add", "far", "--url", url, "--workspace-id", "DEMO", "--key-env", "KEY")
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			write(t, in("own.json"), `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","basic_details":{"name":"x"}}`)
			out := watched(t, b, append(campaignCommands(rows[0].ID, rows[1].ID, in), "create "+in("own.json"), "remote list", "remote list --json", "remote test far"))
			if kind == "texts" && !strings.Contains(out, "SCHEDULED  EMAIL") {
				t.Errorf("the commands say little:\n%s", out)
			}
		})
	}
}

// letIn takes every caller for one of the workspace.
type letIn struct{ svc engine.Service }

func (l letIn) Authenticate(context.Context, string, string) (api.Tenant, bool, error) {
	return api.Tenant{Workspace: "DEMO", KeyID: "k", Scopes: engine.KnownScopes(), Publish: engine.PublishEnabled, Service: l.svc}, true, nil
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// campaignCommands are those that a remote service answers, too. A % is a space.
func campaignCommands(one, two string, in func(string) string) []string {
	return []string{
		"", "search", "search --json", "search --status DRAFT", "search sale", "get " + one, "get " + one + " --json",
		"check " + one, "check " + one + " --json", "check " + two, "preview " + one + " --user USER_1", "preview " + one + " --user USER_1 --json",
		"test " + one + " --email ida@example.com", "test " + two + " --user USER_1 --json",
		"export --dir " + in("out"), "export --dir " + in("yaml") + " --format yaml --json", "diff " + one + " " + two, "diff " + one + " " + two + " --json",
		"apply " + in("out") + " --dry-run", "apply " + in("out") + " --dry-run --json", "update " + one + " " + in("own.json"),
		"get " + one + " " + two + " none" + poisonWord, "list --all", "tag " + one + " " + two + " --add x --yes", "tag " + one + " none" + poisonWord + " --remove x --yes --json", "clone " + one,
		"stop " + one, "pause " + two + " --json", "publish " + one, "get none" + poisonWord, "__complete get %", "__complete search --status %",
	}
}

// poisonWord is poison in one argument.
var poisonWord = "\x1b[2J\u009b2J\u202e"

var localCommands = []string{
	"workspace list", "workspace list --json",
	"users list", "segments list", "connectors list", "teams list", "events list", "attributes list",
	"gateways list", "keys list", "categories list", "locales list", "blocks list", "products list", "templates list", "apis list",
	"settings get", "features get", "segments get Testers", "users list --json", "users list ann",
	"blocks list --json", "connectors list --json", "connectors test Demo%mail",
	"teams delete Growth", "settings put name=" + poisonWord, "apis test weather", "blocks get footer",
	"keys list", "keys list --json", "keys create", "keys delete x" + poisonWord, "doctor", "doctor --json", "backup", "restore", "nothing" + poisonWord, "get --" + poisonWord,
	"__complete segments get %", "__complete --workspace %", "__complete users get %",
	"outbox list", "outbox list --json", "outbox show", "outbox show --html", "outbox show none" + poisonWord, "__complete outbox show %", "__complete tag --add %",
}
