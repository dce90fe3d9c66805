package serve

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/engine/timeparse"
)

// NewKeys returns the command bugle keys.
func NewKeys(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "keys",
		Short:   "Manage API keys",
		Long:    "HTTP clients of `bugle serve` sign in with the id of the workspace and an API key.",
		Example: "  bugle keys create --scopes " + engine.ScopeView + "\n  bugle keys list",
	}
	cmd.AddCommand(newKeysCreate(f), newKeysList(f), newKeysRevoke(f))
	return cmd
}

// scopeChoices are the scopes of a key.
func scopeChoices() (cs cli.Choices) {
	for _, s := range engine.KnownScopes() {
		cs = append(cs, cli.Choice{Value: s, Help: map[string]string{
			engine.ScopeView: "read", engine.ScopeManage: "read, create, update, test, pause, resume and stop", engine.ScopePublish: "everything, including publish",
		}[s]})
	}
	return cs
}

func newKeysCreate(f *cli.Factory) *cobra.Command {
	var scopes []string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create an API key",
		Long: "The key is shown only once, because only its hash is stored. HTTP clients send it as the password of\n" +
			"Basic authentication, with the id of the workspace as the user name.",
		Example: "  bugle keys create --scopes " + engine.ScopeManage + "\n  curl -u MAIN:KEY http://127.0.0.1:8080/v5/campaigns/65f0a1b2c3d4e5f60718293a",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			key, made, err := local.CreateKey(cmd.Context(), svc, time.Now(), scopes...)
			if err != nil {
				return cli.AsUsage(err)
			}
			if f.JSON {
				return f.PrintJSON(struct {
					ID     string   `json:"id"`
					APIKey string   `json:"api_key"`
					Scopes []string `json:"scopes"`
				}{made.ID, key, made.Scopes})
			}
			fmt.Fprintf(f.Out, "Created key %s with %s.\nAPI key (shown once): %s\n", made.ID, strings.Join(made.Scopes, ", "), key)
			return nil
		},
	}
	cli.ChoiceFlag(cmd, cli.AnyOf(&scopes, scopeChoices()), "scopes", "`scopes` of the key, such as campaigns:view, separated by commas (default all)")
	return cmd
}

func newKeysList(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List API keys",
		Long:  "The keys themselves are not shown, because only their hashes are stored.",
		Args:  cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := f.Settings(cmd.Context())
			if err != nil {
				return err
			}
			keys := w.Public().Keys
			if f.JSON {
				return f.PrintJSON(map[string]any{"keys": keys})
			}
			if len(keys) == 0 {
				fmt.Fprintln(f.Err, "No API keys yet. Create one with `bugle keys create`.")
				return nil
			}
			var rows [][]string
			for _, k := range keys {
				rows = append(rows, []string{k.ID, timeparse.Moment(k.CreatedAt.Local(), time.Now()), strings.Join(k.Scopes, " ")})
			}
			return f.Rows([]string{"ID", "CREATED", "SCOPES"}, rows)
		},
	}
}

func newKeysRevoke(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke an API key",
		Example: "  bugle keys revoke 6b0389085b8c3376fcf4eaa0",
		Long:    "Requests with the key are refused from now on.",
		Args:    cli.Exactly(1, "the ID of a key from `bugle keys list`"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeKeys(f, cmd, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			if err := local.RevokeKey(cmd.Context(), svc, args[0]); err != nil {
				return err
			}
			return f.Done(map[string]any{"id": args[0], "revoked": true}, "Revoked key "+args[0])
		},
	}
}

func completeKeys(f *cli.Factory, cmd *cobra.Command, args []string) (out []cobra.Completion) {
	if len(args) > 0 {
		return nil
	}
	svc, err := f.Service(cmd.Context())
	if err != nil {
		return nil
	}
	w, err := svc.Workspace(cmd.Context())
	if err != nil {
		return nil
	}
	for _, k := range w.Keys {
		out = append(out, cobra.CompletionWithDesc(cli.Line(k.ID), strings.Join(k.Scopes, " ")))
	}
	return out
}
