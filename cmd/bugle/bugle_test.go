package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// bugle is the program in this process, on a store of its own.
type bugle struct {
	t   *testing.T
	env map[string]string
}

func newBugle(t *testing.T) bugle {
	return bugle{t: t, env: map[string]string{cli.EnvData: t.TempDir(), cli.EnvAuthor: "ann@example.com", "XDG_CONFIG_HOME": t.TempDir(), "XDG_STATE_HOME": t.TempDir()}}
}

// at returns the program on another store, with more variables of the environment.
func (b bugle) at(data string, variables ...string) bugle {
	b.env = maps.Clone(b.env)
	b.env[cli.EnvData] = data
	for pair := range slices.Chunk(variables, 2) {
		b.env[pair[0]] = pair[1]
	}
	return b
}

// dir returns the data folder.
func (b bugle) dir() string { return b.env[cli.EnvData] }

func (b bugle) getenv(name string) string { return b.env[name] }

// try returns the exit code and the output of a command.
func (b bugle) try(stdin string, args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = run(context.Background(), args, b.getenv, cli.Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// run returns the output of a command, which must exit with code.
func (b bugle) run(code int, stdin string, args ...string) (out, errs string) {
	b.t.Helper()
	got, out, errs := b.try(stdin, args...)
	if got != code {
		b.t.Fatalf("bugle %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	return out, errs
}

// must returns the output of a command, which must succeed.
func (b bugle) must(args ...string) string {
	b.t.Helper()
	out, _ := b.run(cli.ExitDone, "", args...)
	return out
}

// create returns the id of a new draft.
func (b bugle) create(body string) string {
	b.t.Helper()
	out, _ := b.run(cli.ExitDone, body, "create", "-", "--json")
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		b.t.Fatal(err)
	}
	return made.ID
}

const smtpDraft = `{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Spring sale"},
 "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Post"},
 "campaign_content": {"content": {"email": {
   "subject": "Grüße, {{UserAttribute['First Name']|default('friend')}}", "sender_name": "The Shop", "from_address": "shop@example.com",
   "reply_to_address": "help@example.com", "cc_ids": ["boss@example.com"],
   "html_content": "<p>Hello <b>{{UserAttribute['First Name']|default('friend')}}</b>, <a href=\"https://example.com/sale\">the sale</a> is on.</p>"}}}}`
