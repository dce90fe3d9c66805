package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/argv"
	"bugle/cmd/bugle/internal/profiles"
	"bugle/engine"
	"bugle/engine/remote"
)

func newProfile(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Work against remote services",
		Long: "A profile says how to reach a workspace of a remote service: its address, the id of the\n" +
			"workspace, and where the key is. `bugle --profile NAME` opens it; the commands take the same\n" +
			"flag. The key itself is never in the file of profiles.",
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileAdd(f), newProfileList(f), newProfileUse(f), newProfileTest(f), newProfileKey(f), newProfileRemove(f))
	return cmd
}

func newProfileAdd(f *factory) *cobra.Command {
	var (
		p                profiles.Profile
		command, dialect string
		use              bool
	)
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a profile, or change the one of that name",
		Example: "  bugle profile add prod --url 'https://api-{dc}.example.com' --dc 02 --workspace-id W1 --keyring\n" +
			"  bugle profile add ci --url https://api.example.com --workspace-id W1 --key-env BUGLE_KEY\n" +
			"  bugle profile add here --url http://127.0.0.1:8080 --workspace-id DEMO --key-command 'pass show bugle'",
		Args: exactly(1, "the NAME of a profile"),
		RunE: func(_ *cobra.Command, args []string) error {
			words, err := argv.Split(command)
			if err != nil {
				return misused("--key-command: %w", err)
			}
			p.Name, p.Key.Command = args[0], words
			if dialect != "" {
				b, err := os.ReadFile(dialect)
				if err != nil {
					return fmt.Errorf("cannot read %s: %w", dialect, cause(err))
				}
				d, err := remote.ParseDialect(b)
				var wrong *remote.DialectError
				if errors.As(err, &wrong) {
					return dialectError(dialect, wrong)
				}
				if err != nil {
					return misused("%s: %w", dialect, err)
				}
				p.Dialect = &d
			}
			file, err := f.profileFile()
			if err != nil {
				return err
			}
			if err := file.Put(p); err != nil {
				return usageError{err}
			}
			if use {
				if err := file.Use(p.Name); err != nil {
					return err
				}
			}
			if f.json {
				return f.printJSON(map[string]any{"profile": p.Name})
			}
			fmt.Fprintln(f.out, line(fmt.Sprintf("Profile %s is there; its key comes from %s.", p.Name, p.Key)))
			if p.Key.Keyring {
				fmt.Fprintf(f.out, "`bugle profile key %s` stores it.\n", p.Name)
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&p.BaseURL, "url", "", "base `URL` of the service; {dc} in it becomes the data center")
	fl.StringVar(&p.DC, "dc", "", "data `center`: "+strings.Join(remote.DataCenters(), ", ")+" (default: "+remote.DefaultDC+")")
	fl.StringVar(&p.Workspace, "workspace-id", "", "`id` of the workspace there")
	fl.StringVar(&p.Author, "author", "", "`e-mail` address that changes are signed with")
	fl.BoolVar(&p.Key.Keyring, "keyring", false, "the key is in the system's keyring")
	fl.StringVar(&p.Key.Env, "key-env", "", "`variable` that holds the key")
	fl.StringVar(&command, "key-command", "", "`command` that prints the key")
	fl.StringVar(&dialect, "dialect", "", "`file` with the service's own words, as JSON; see `bugle schema dialect`")
	fl.BoolVar(&p.Insecure, "insecure", false, "allow an address without TLS that is not on this machine")
	fl.BoolVar(&use, "use", false, "use it from now on")
	return cmd
}

// dialectError reports each problem of a dialect's file on a line of its own.
func dialectError(file string, wrong *remote.DialectError) error {
	e := engine.Errorf(codeMisused, 0, "%s is not a valid dialect; `bugle schema dialect` shows the format", file)
	for _, p := range wrong.Problems {
		where := fmt.Sprintf("line %d, column %d", p.Line, p.Column)
		if p.Path != "" {
			where += ", " + p.Path
		}
		e.Details = append(e.Details, engine.Detail{Target: where, Message: p.Message})
	}
	return usageError{e}
}

func newProfileList(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the profiles",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			file, err := f.profileFile()
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"current": file.Current(), "profiles": append([]profiles.Profile{}, file.All()...)})
			}
			rows := [][]string{{mark(file.Current() == ""), profiles.Local, "the store of this machine", "", ""}}
			for _, p := range file.All() {
				rows = append(rows, []string{mark(p.Name == file.Current()), p.Name, p.BaseURL, p.Workspace, p.Key.String()})
			}
			return f.rows([]string{"", "NAME", "URL", "WORKSPACE", "KEY FROM"}, rows)
		},
	}
}

func mark(on bool) string {
	if on {
		return "*"
	}
	return ""
}

func newProfileUse(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Use a profile from now on; local goes back to this machine's store",
		Args:              exactly(1, "the NAME of a profile, or local"),
		ValidArgsFunction: f.completeProfiles(profiles.Local),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := f.profileFile()
			if err != nil {
				return err
			}
			if err := file.Use(args[0]); err != nil {
				return usageError{err}
			}
			if f.json {
				return f.printJSON(map[string]any{"current": file.Current()})
			}
			fmt.Fprintln(f.out, line(fmt.Sprintf("bugle works on %s now.", args[0])))
			return nil
		},
	}
}

func newProfileKey(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:               "key NAME",
		Short:             "Put the key of a profile into the system's keyring",
		Long:              "Read the key of a profile from standard input and put it into the system's keyring.",
		Example:           "  pass show bugle | bugle profile key prod",
		Args:              exactly(1, "the NAME of a profile"),
		ValidArgsFunction: f.completeProfiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, err := f.profileNamed(args[0])
			if err != nil {
				return err
			}
			if !p.Key.Keyring {
				return misused("the key of profile %s comes from %s", p.Name, p.Key)
			}
			text, err := f.secret(cmd.Context(), "Key: ")
			if err != nil {
				return err
			}
			key := strings.TrimSpace(text)
			if key == "" {
				return misused("there is no key on standard input")
			}
			if err := profiles.StoreKey(p.Name, key); err != nil {
				return err
			}
			fmt.Fprintln(f.out, line(fmt.Sprintf("The key of profile %s is in the keyring.", p.Name)))
			return nil
		},
	}
}

func newProfileRemove(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a profile, and its key from the keyring",
		Args:              exactly(1, "the NAME of a profile"),
		ValidArgsFunction: f.completeProfiles(),
		RunE: func(_ *cobra.Command, args []string) error {
			file, p, err := f.profileNamed(args[0])
			if err != nil {
				return err
			}
			if p.Key.Keyring {
				if err := profiles.DropKey(p.Name); err != nil {
					return err
				}
			}
			if err := file.Remove(p.Name); err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"removed": p.Name})
			}
			fmt.Fprintln(f.out, line("Removed profile "+p.Name))
			return nil
		},
	}
}

// profileNamed gives the profile of a name, and the file that it is in.
func (f *factory) profileNamed(name string) (*profiles.File, profiles.Profile, error) {
	file, err := f.profileFile()
	if err != nil {
		return nil, profiles.Profile{}, err
	}
	p, err := file.Get(name)
	if err != nil {
		return nil, p, usageError{err}
	}
	return file, p, nil
}

// completeProfiles completes the first argument with the names of profiles, and more.
func (f *factory) completeProfiles(more ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		file, err := f.profileFile()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		out := append([]string{}, more...)
		for _, p := range file.All() {
			out = append(out, p.Name)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
