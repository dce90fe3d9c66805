package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
)

// eachCommand calls fn with every command that does something, and its name.
func eachCommand(fn func(name string, c *cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Runnable() && !c.HasSubCommands() && c.HasParent() {
			fn(strings.TrimPrefix(c.CommandPath(), "bugle "), c)
		}
	}
	walk(newRoot(cli.New(cli.Streams{}, func(string) string { return "" })))
}

// Every command ends with the exit code of CONTRACT.md, Exit codes, whatever fails.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	// try runs a command that must fail with code and say that on standard error, also as JSON.
	try := func(t *testing.T, b bugle, code int, name string, args ...string) {
		t.Helper()
		b.t = t
		seen[name]++
		if strings.HasSuffix(name, "diff") && code == cli.ExitFailed {
			code = cli.ExitMisused // 1 says that there are differences
		}
		line := append(strings.Fields(name), args...)
		_, errs := b.run(code, "", line...)
		if !strings.HasPrefix(errs, "bugle: ") {
			t.Errorf("bugle %s: it says %q", strings.Join(line, " "), errs)
		}
		if seen[name] > 1 {
			return // errors are printed in one place
		}
		if out, errs := b.run(code, "", append(line, "--json")...); !strings.HasPrefix(errs, "{\n  \"error\": {") || out != "" {
			t.Errorf("bugle %s --json: it prints %q and %q", strings.Join(line, " "), out, errs)
		}
	}
	t.Run("usage", func(t *testing.T) {
		b := newBugle(t)
		eachCommand(func(name string, c *cobra.Command) {
			try(t, b, cli.ExitMisused, name, "--no-such-flag")
			if args := slices.Repeat([]string{"x"}, 9); c.Args != nil && c.Args(c, args) != nil {
				try(t, b, cli.ExitMisused, name, args...)
			}
		})
	})
	t.Run("no workspace", func(t *testing.T) {
		b := newBugle(t)
		b.env["XDG_DATA_HOME"] = t.TempDir()
		eachCommand(func(name string, c *cobra.Command) {
			r := cli.ReachOf(reach, c)
			fine := []string{"init", "workspace create", "workspace list", "workspace use", "workspace delete", "watch"} // see below
			if r.Places == cli.Nowhere || r.Whole && r.Places != cli.InStore || slices.Contains(fine, name) || strings.Contains(c.Use, "FILE") || name == "restore" {
				return
			}
			args := argsOf(c)
			args = append(args, map[string][]string{"tag": {"--add", "x"}, "export": {"x"}, "test": {"--to", "a@example.com"}}[name]...)
			if strings.HasPrefix(name, "history") {
				args = append([]string{"x"}, slices.Repeat([]string{"1"}, len(args)-1)...)
			}
			try(t, b, cli.ExitFailed, name, args...)
		})
		try(t, b, cli.ExitMisused, "workspace use", "SHOP")
		try(t, b, cli.ExitMisused, "workspace delete", "SHOP", "--yes")
	})
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.run(cli.ExitDone, "", "settings", "put", "publish=enabled")
	b.run(cli.ExitDone, "", "remote", "add", "prod", "--url", "http://127.0.0.1:1", "--workspace-id", "W", "--key-env", "K")
	t.Run("not found", func(t *testing.T) {
		own := map[string][]string{ // what is no record of the store
			"workspace create": nil, "workspace use": nil, "workspace delete": nil, "remote add": nil, "remote use": nil, "remote key": nil, "remote delete": nil,
			"remote test": nil, "init": nil, "update": nil, "users list": nil, "outbox show": {"nobody"}, "outbox open": {"nobody"},
			"history show": {"nobody", "1"}, "history diff": {"nobody", "1"}, "history restore": {"nobody", "1"}, "export": {"nobody", "--dir", t.TempDir()},
			"tag": {"nobody", "--add", "x"}, "preview": {"nobody", "--nobody"}, "test": {"nobody", "--to", "a@example.com"}, "watch": nil,
		}
		eachCommand(func(name string, c *cobra.Command) {
			args, listed := own[name]
			record := strings.Contains(c.Use, "ID") || strings.HasPrefix(c.Use, "get NAME") || strings.HasPrefix(c.Use, "delete NAME") || strings.HasPrefix(c.Use, "test NAME")
			switch {
			case listed && args != nil:
				try(t, b, cli.ExitRefused, name, args...)
			case !listed && record && !strings.HasPrefix(name, "diff"):
				try(t, b, cli.ExitRefused, name, "nobody")
			}
		})
		for _, name := range []string{"workspace use", "workspace delete", "remote use", "remote key", "remote delete", "remote test"} {
			try(t, b, cli.ExitMisused, name, "nobody")
		}
	})
	t.Run("a file that is not there", func(t *testing.T) {
		none := filepath.Join(t.TempDir(), "none.json")
		for name, args := range map[string][]string{
			"create": {none}, "update": {none}, "preview": {none, "--nobody"},
			"diff": {none, none}, "texts import": {none}, "restore": {none, "--yes"}, "watch": {none}, "users import": {none}, "workspace apply": {none},
			"teams put": {"--file", none}, "settings put": {"--file", none}, "blocks put": {"x", "source=@" + none},
			"remote add": {"x", "--url", "http://127.0.0.1:1", "--workspace-id", "W", "--key-env", "K", "--dialect", none},
		} {
			try(t, b, cli.ExitFailed, name, args...)
		}
	})
	t.Run("an invalid campaign", func(t *testing.T) {
		wrong := filepath.Join(t.TempDir(), "wrong.json")
		if err := os.WriteFile(wrong, []byte(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Wrong"}, "colour": "red"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		id := b.create(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME"}`)
		for name, args := range map[string][]string{"create": {wrong}, "update": {id, wrong}, "publish": {id, "--yes"}} {
			try(t, b, cli.ExitInvalid, name, args...)
		}
		for name, args := range map[string][]string{"apply": {wrong, "--yes"}, "lint": {wrong}, "check": {id}} {
			b.run(cli.ExitInvalid, "", append([]string{name}, args...)...)
			seen[name]++
		}
	})
	t.Run("a state that does not allow it", func(t *testing.T) {
		id := b.create(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME"}`)
		for _, name := range []string{"pause", "resume", "stop", "archive"} {
			try(t, b, cli.ExitRefused, name, id, "--yes")
		}
	})
	t.Run("nobody to ask", func(t *testing.T) {
		id := b.create(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME"}`)
		try(t, b, cli.ExitMisused, "delete", id)
		try(t, b, cli.ExitMisused, "workspace delete", "MAIN")
	})
	t.Run("a remote whose key is not there", func(t *testing.T) {
		for _, name := range []string{"get", "check", "clone", "publish"} {
			try(t, b, cli.ExitFailed, name, "65f000000000000000000001", "--remote", "prod")
		}
	})
	eachCommand(func(name string, _ *cobra.Command) {
		if seen[name] == 0 {
			t.Errorf("bugle %s: nothing fails", name)
		}
	})
}
