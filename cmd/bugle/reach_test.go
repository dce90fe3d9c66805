package main

import (
	"cmp"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/cli"
)

var argument = regexp.MustCompile(`[A-Z][A-Z=]*\S*`)

// argsOf returns arguments that a command accepts: one for each word in capitals of its usage.
func argsOf(c *cobra.Command) []string {
	if strings.HasPrefix(c.Use, "put [NAME]") {
		return []string{"x"}
	}
	if strings.HasPrefix(c.Use, "put ") {
		return []string{"x=1"}
	}
	required := regexp.MustCompile(`\[.*?\]+`).ReplaceAllString(c.Use, "")
	return slices.Repeat([]string{"x"}, len(argument.FindAllString(required, -1)))
}

// Each command of the tree says what it works on, and refuses everything else, and every combination with it that names two
// places, before it opens anything: no folder is created, and nothing is called.
func TestCommandsRefuseWhatTheyCannotWorkOn(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	listen := func() string {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		go func() { // ends with the listener
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				calls.Add(1)
				_ = c.Close()
			}
		}()
		return ln.Addr().String()
	}
	config := t.TempDir()
	database := "postgres://ann@" + listen() + "/bugle"
	home := newBugle(t)
	home.env["XDG_CONFIG_HOME"] = config
	home.run(cli.ExitDone, "", "remote", "add", "prod", "--url", "http://"+listen(), "--workspace-id", "W", "--key-env", "PROD_KEY")
	used := t.TempDir()
	home.env["XDG_CONFIG_HOME"] = used
	home.run(cli.ExitDone, "", "remote", "add", "prod", "--url", "http://"+listen(), "--workspace-id", "W", "--key-env", "PROD_KEY", "--use")

	// refused checks that a command line is invalid usage, with a sentence that has said, and does nothing.
	refused := func(t *testing.T, env map[string]string, said string, args ...string) {
		t.Helper()
		work := t.TempDir()
		b := bugle{t: t, env: map[string]string{
			cli.EnvData: filepath.Join(work, "data"), "HOME": work, "XDG_DATA_HOME": filepath.Join(work, "xdg"), "XDG_STATE_HOME": filepath.Join(work, "state"),
			"XDG_CONFIG_HOME": config, "PROD_KEY": "k", "BUGLE_PASSPHRASE": "p",
		}}
		maps.Copy(b.env, env)
		before := calls.Load()
		_, errs := b.run(cli.ExitMisused, "", args...)
		if !strings.Contains(errs, said) {
			t.Errorf("bugle %s: it says %q instead of %q", strings.Join(args, " "), errs, said)
		}
		if left, err := os.ReadDir(work); err != nil || len(left) > 0 || calls.Load() != before {
			t.Errorf("bugle %s: it created %v, and made %d calls", strings.Join(args, " "), left, calls.Load()-before)
		}
	}
	seen := map[string]bool{}
	refusals := 0
	test := func(t *testing.T, r cli.Reach, line []string) {
		t.Helper()
		if r.Places&cli.OnRemote == 0 {
			refused(t, nil, "prod is a remote\nTo use the store in ", append(line, "--remote", "prod")...)
			refused(t, map[string]string{cli.EnvRemote: "prod"}, "prod, which BUGLE_REMOTE selects, is a remote\nTo use the store in ", line...)
			refused(t, map[string]string{"XDG_CONFIG_HOME": used}, "prod, which is in use, is a remote\nTo use the store in ", line...)
		} else {
			refused(t, nil, "the remote prod is the workspace W, not SHOP; leave out --workspace", append(line, "--remote", "prod", "--workspace", "SHOP")...)
		}
		if r.Places&cli.InDatabase == 0 {
			refused(t, nil, " is a database\n", append(line, "--data", database)...)
			refused(t, map[string]string{cli.EnvData: database}, " is a database\n", line...)
		}
		if r.Whole {
			refused(t, nil, "on the whole store, not on one workspace; leave out --workspace", append(line, "--workspace", "SHOP")...)
		}
		refused(t, nil, "--data and --remote prod name two places; leave out one of them", append(line, "--remote", "prod", "--data", "other")...)
		refusals++
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.RunE == nil || c.IsAdditionalHelpTopicCommand() {
			return
		}
		name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "bugle"), " ")
		r := cli.ReachOf(reach, c)
		seen[name] = true
		line := append(strings.Fields(name), argsOf(c)...)
		if group := c.HasSubCommands() && c.HasParent() && len(argsOf(c)) == 0; r.Places == cli.Nowhere || group {
			return
		}
		t.Run(cmp.Or(name, "bugle"), func(t *testing.T) {
			test(t, r, line)
			c.LocalFlags().VisitAll(func(fl *pflag.Flag) {
				of, ok := reach[name+" --"+fl.Name]
				if !ok {
					return
				}
				seen[name+" --"+fl.Name] = true
				flag := []string{"--" + fl.Name}
				if fl.NoOptDefVal == "" {
					flag = append(flag, "x")
				}
				if name == "restore" {
					flag = append(flag, "x.buglebackup")
				}
				test(t, of, append(slices.Clone(line), flag...))
			})
			if help, _ := home.run(cli.ExitDone, "", append(strings.Fields(name), "--help")...); r.Places != cli.Everywhere && !strings.Contains(help, "Works on a store "+r.Places.String()+", not ") {
				t.Errorf("the help does not say what it works on:\n%s", help)
			}
		})
	}
	walk(newRoot(cli.New(cli.Streams{}, func(string) string { return "" })))
	for name := range reach {
		if !seen[name] && !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(s string) bool { return strings.HasPrefix(s, name+" ") }) {
			t.Errorf("there is no command `bugle %s`", name)
		}
	}
	if refusals < 40 {
		t.Errorf("only %d commands were refused", refusals)
	}
}
