package workspace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// newWorkspaceUsers returns the command that lists users. "profiles" is its name in earlier versions, which its JSON
// still uses.
func newWorkspaceUsers(f *cli.Factory, noun string) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   noun + " [TEXT]",
		Short: "List users",
		Long:  "List users whose id or attributes contain a text. Use `bugle workspace list users` instead.",
		Args: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(verbFirst(cmd, args, "users"), cli.Between(0, 1, "one text to search for")(cmd, args))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Misused("--limit must be at least 0, not %d", limit)
			}
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			ps, err := svc.Users(cmd.Context(), strings.Join(args, ""), limit)
			if err != nil {
				return err
			}
			return printUsers(&f.Printer, noun, ps)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum `number` of users, 0 for all")
	return cmd
}

func printUsers(p *cli.Printer, noun string, ps []engine.User) error {
	if p.JSON {
		return p.PrintJSON(map[string]any{noun: append([]engine.User{}, ps...)})
	}
	if len(ps) == 0 {
		fmt.Fprintln(p.Err, "No users found. Add one with `bugle workspace put users`.")
		return nil
	}
	var rows [][]string
	for _, p := range ps {
		var devices []string
		for _, d := range p.Devices {
			devices = append(devices, d.Platform)
		}
		mail, _ := p.Attributes[engine.AttrEmail].(string)
		rows = append(rows, []string{p.ID, p.DisplayName(), mail, strings.Join(devices, " ")})
	}
	return p.Rows([]string{"ID", "NAME", "EMAIL", "DEVICES"}, rows)
}

// newWorkspaceUser returns the commands that add, change, or remove a user. "profile" is their name in earlier
// versions.
func newWorkspaceUser(f *cli.Factory, noun string) *cobra.Command {
	var remove string
	cmd := &cobra.Command{
		Use:   noun + " FILE|-",
		Short: "Add, change or remove a user",
		Long:  "Add the user in a JSON or YAML file, or replace the one with the same id. Use `bugle workspace put users`\nand `bugle workspace delete users` instead.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := verbFirst(cmd, args, "users"); err != nil {
				return err
			}
			if len(args) > 1 || (len(args) == 1) == (remove != "") {
				return cli.Misused("%s", cli.Takes(cmd, "a file, - for standard input, or --remove ID"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			id, done := remove, "Removed"
			if remove != "" {
				err = svc.DeleteUser(cmd.Context(), remove)
			} else {
				var p engine.User
				if p, err = profile(cmd, f.Streams, args[0]); err != nil {
					return err
				}
				id, done = p.ID, "Saved"
				err = svc.PutUser(cmd.Context(), p)
			}
			if err != nil {
				return cli.AsUsage(err)
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{"id": id})
			}
			fmt.Fprintln(f.Out, cli.Line(done+" user "+id))
			return nil
		},
	}
	cmd.Flags().StringVar(&remove, "remove", "", "remove the user with this `id`")
	return cmd
}

// profile reads a user from a file, and preserves the spelling of numbers.
func profile(cmd *cobra.Command, s cli.Streams, file string) (engine.User, error) {
	var p engine.User
	v, err := recordFile(cmd.Context(), s, file)
	if err != nil {
		return p, err
	}
	dec := json.NewDecoder(strings.NewReader(string(v.Encode())))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&p); err != nil {
		return p, cli.Misused("%s is not a user: %s", cli.InputName(file), strings.TrimPrefix(err.Error(), "json: "))
	}
	return p, nil
}
