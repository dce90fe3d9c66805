// Package remote implements the commands that manage remotes, the services that bugle connects to.
package remote

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/process"
	"bugle/engine/service/remote"
)

// New returns the command bugle remote.
func New(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remote",
		Short: "Manage connections to remote services",
		Long: "A remote is a named connection to a service that speaks the Campaigns V5 API: its address, the\n" +
			"workspace id, and where to find the API key. The key itself is never stored in the file of remotes.\n" +
			"Use one with `bugle --remote NAME`, for the terminal program and any command.",
		Example: "  bugle remote add prod --url https://api.example.com --workspace-id W1 --key-env PROD_KEY\n" +
			"  bugle remote test prod\n" +
			"  bugle --remote prod search status:active",
	}
	cmd.AddCommand(newRemoteAdd(f), newRemoteList(f), newRemoteUse(f), newRemoteTest(f), newRemoteKey(f), newRemoteRemove(f))
	return cmd
}

func newRemoteAdd(f *cli.Factory) *cobra.Command {
	var (
		r                remotes.Remote
		command, dialect string
		ring, use        bool
	)
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add or replace a remote",
		Long:  "Replaces the remote with that name, if there is one. Set where its API key is with exactly one of\n--keyring, --key-env and --key-command.",
		Example: "  bugle remote add prod --url 'https://api-{dc}.example.com' --dc 02 --workspace-id W1 --keyring\n" +
			"  bugle remote add ci --url https://api.example.com --workspace-id W1 --key-env BUGLE_KEY\n" +
			"  bugle remote add here --url http://127.0.0.1:8080 --workspace-id DEMO --key-command 'pass show bugle'",
		Args: cli.Exactly(1, "the NAME of a remote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := process.Words(command)
			if err != nil {
				return cli.Misused("--key-command: %w", err)
			}
			if r.Name, r.Key.Command = args[0], words; ring {
				r.Key.Keyring = r.Name
			}
			if dialect != "" {
				b, err := f.Read(cmd.Context(), dialect)
				if err != nil {
					return err
				}
				d, err := remote.ParseDialect(b)
				var wrong *remote.DialectError
				if errors.As(err, &wrong) {
					return dialectError(dialect, wrong)
				}
				if err != nil {
					return cli.Misused("%s: %w", dialect, err)
				}
				r.Dialect = &d
			}
			file, err := f.RemotesFile()
			if err != nil {
				return err
			}
			if err := file.Put(r); errors.Is(err, remote.ErrUnencrypted) {
				return cli.WithRemedy(cli.Misuse(err), "Or allow it with --insecure.")
			} else if err != nil {
				return misused(err)
			}
			if use {
				if err := file.Use(r.Name); err != nil {
					return err
				}
			}
			said := fmt.Sprintf("Saved remote %s. Its API key comes from %s.", r.Name, secret.DescribeFully(r.Key))
			if ring {
				said += fmt.Sprintf(" Store the key with `bugle remote key %s`.", r.Name)
			}
			return f.Done(map[string]any{"remote": r.Name}, said)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.BaseURL, "url", "", "base `URL` of the service; {dc} in it is replaced by the data center")
	fl.StringVar(&r.DC, "dc", "", "data `center`: "+strings.Join(remote.DataCenters(), ", ")+" (default "+remote.DefaultDC+")")
	fl.StringVar(&r.Workspace, "workspace-id", "", "`id` of the workspace on the service")
	fl.StringVar(&r.Author, "author", "", "`email` address to sign changes with")
	fl.BoolVar(&ring, "keyring", false, "read the API key from the system keyring")
	fl.StringVar(&r.Key.Env, "key-env", "", "environment `variable` with the API key")
	fl.StringVar(&command, "key-command", "", "`command` that prints the API key")
	fl.StringVar(&dialect, "dialect", "", "JSON `file` that maps names to those of the service (see bugle schema dialect)")
	fl.BoolVar(&r.Insecure, "insecure", false, "allow http:// to other machines; the API key is sent unencrypted")
	fl.BoolVar(&use, "use", false, "use this remote from now on")
	for _, name := range []string{"url", "workspace-id"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was defined just above
		}
	}
	cmd.MarkFlagsOneRequired("keyring", "key-env", "key-command")
	cmd.MarkFlagsMutuallyExclusive("keyring", "key-env", "key-command")
	return cmd
}

// misused returns an error of changing the file of remotes as invalid usage, unless the system failed.
func misused(err error) error {
	if errors.As(err, new(syscall.Errno)) {
		return err
	}
	return cli.Misuse(err)
}

// dialectError lists the problems of a dialect file, one per line.
func dialectError(file string, wrong *remote.DialectError) error {
	e := engine.Errorf(cli.CodeMisused, 0, "%s is not a valid dialect; see the format with `bugle schema dialect`", file)
	for _, p := range wrong.Problems {
		where := fmt.Sprintf("line %d, column %d", p.Line, p.Column)
		if p.Path != "" {
			where += ", " + p.Path
		}
		e.Details = append(e.Details, engine.Detail{Target: where, Message: p.Message})
	}
	return cli.Misuse(e)
}

func newRemoteList(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List remotes",
		Long:  "The remote in use is marked with *.",
		Args:  cli.Exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			file, err := f.RemotesFile()
			if err != nil {
				return err
			}
			l := cli.List{Name: "remotes", Head: []string{"", "NAME", "URL", "WORKSPACE", "KEY FROM"}}
			l.Before = []doc.Member{doc.M("current", doc.NewString(cmp.Or(file.Current(), remotes.Local)))}
			for _, p := range file.All() {
				v, err := cli.Doc(p)
				if err != nil {
					return err
				}
				l.Add(v, cli.Mark(p.Name == file.Current()), p.Name, p.BaseURL, p.Workspace, secret.DescribeFully(p.Key))
			}
			local := doc.NewObject(doc.M("name", doc.NewString(remotes.Local)))
			l.Add(local, cli.Mark(file.Current() == ""), remotes.Local, "the store on this machine", "", "")
			return f.PrintList(l, nil)
		},
	}
}

func newRemoteUse(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Choose the remote to use from now on",
		Long:              "bugle uses this remote without --remote. `bugle remote use local` goes back to the store on this\nmachine.",
		Example:           "  bugle remote use prod\n  bugle remote use local",
		Args:              cli.Exactly(1, "the NAME of a remote, or local"),
		ValidArgsFunction: Complete(&f.Environment, remotes.Local),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := f.RemotesFile()
			if err != nil {
				return err
			}
			if err := file.Use(args[0]); err != nil {
				return misused(err)
			}
			return f.Done(map[string]any{"current": args[0]}, fmt.Sprintf("Using %s from now on.", args[0]))
		},
	}
}

func newRemoteKey(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "key NAME",
		Short:             "Store the API key of a remote in the keyring",
		Long:              "Reads the key from standard input. On a terminal, it is not shown while you type.",
		Example:           "  pass show bugle | bugle remote key prod",
		Args:              cli.Exactly(1, "the NAME of a remote"),
		ValidArgsFunction: Complete(&f.Environment),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, err := remoteNamed(&f.Environment, args[0])
			if err != nil {
				return err
			}
			if p.Key.Keyring == "" {
				return cli.Misused("remote %s reads its key from %s, not from the keyring; change it with `bugle remote add %s --keyring`", p.Name, secret.DescribeFully(p.Key), p.Name)
			}
			key, err := f.Key(cmd.Context())
			if err != nil {
				return err
			}
			if err := keyring.Set(p.Key.Keyring, key); err != nil {
				return err
			}
			return f.Done(map[string]any{"remote": p.Name, "stored": true}, fmt.Sprintf("Stored the key of remote %s in the system keyring.", p.Name))
		},
	}
}

func newRemoteRemove(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "delete NAME",
		Short:             "Delete a remote and its stored key",
		Long:              "Nothing changes on the service. If the remote is in use, bugle goes back to the store on this machine.",
		Example:           "  bugle remote delete prod",
		Args:              cli.Exactly(1, "the NAME of a remote"),
		ValidArgsFunction: Complete(&f.Environment),
		RunE: func(_ *cobra.Command, args []string) error {
			file, p, err := remoteNamed(&f.Environment, args[0])
			if err != nil {
				return err
			}
			if p.Key.Keyring != "" {
				if err := keyring.Delete(p.Key.Keyring); err != nil {
					return err
				}
			}
			if err := file.Remove(p.Name); err != nil {
				return err
			}
			return f.Done(map[string]any{"name": p.Name, "deleted": true}, "Deleted remote "+p.Name)
		},
	}
}

// remoteNamed returns the remote with that name and the file of remotes.
func remoteNamed(e *cli.Environment, name string) (*remotes.File, remotes.Remote, error) {
	file, err := e.RemotesFile()
	if err != nil {
		return nil, remotes.Remote{}, err
	}
	p, err := file.Get(name)
	if err != nil {
		return nil, p, cli.Misuse(err)
	}
	return file, p, nil
}

// Complete completes the first argument with the names of remotes, and more.
func Complete(e *cli.Environment, more ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		file, err := e.RemotesFile()
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
