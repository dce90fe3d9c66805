package workspace

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine"
	"bugle/engine/schema"
	"bugle/engine/service/local/sample"
	"bugle/store/badger"
)

// NewInit returns the command bugle init.
func NewInit(f *cli.Factory) *cobra.Command {
	var w cli.NewWorkspace
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Create a store with a workspace",
		Long: "To add a workspace to a store, use `bugle workspace create`. The API key is shown only once. HTTP clients\n" +
			"of `bugle serve` need it; the terminal program and the commands do not.",
		Example: "  bugle init --sample\n  bugle init --id SHOP --name 'The shop' --author ann@example.com\n  bugle init --encrypt",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := requireEmpty(cmd.Context(), f); err != nil {
				return err
			}
			return create(cmd.Context(), f, w)
		},
	}
	addCreateFlags(cmd, &w)
	cmd.Flags().BoolVar(&w.Encrypt, "encrypt", false, "encrypt the store (see bugle encrypt --help)")
	cmd.Flags().StringVar(&w.ID, "id", "", "`id` of the workspace (default "+cli.EmptyID+", or "+sample.ID+" with --sample)")
	return cmd
}

// addCreateFlags adds the flags that describe a new workspace.
func addCreateFlags(cmd *cobra.Command, w *cli.NewWorkspace) {
	cmd.Flags().BoolVar(&w.Sample, "sample", false, "add sample campaigns, users and settings")
	cmd.Flags().StringVar(&w.Name, "name", "", "`name` of the workspace")
	cmd.Flags().StringVar(&w.Author, "author", "", "`email` address to sign your changes with (default that of git, or user@host)")
}

// requireEmpty refuses a store that has a workspace. If it has none, no earlier one is in use any more.
func requireEmpty(ctx context.Context, f *cli.Factory) error {
	_, list, err := all(ctx, f)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		e := engine.Errorf(engine.BadRequest, http.StatusConflict, "the store in %s has the workspace %s already", f.Place(), list[0].ID)
		return cli.WithRemedy(e, "No changes made. Open it with `bugle`, or add another workspace with `bugle workspace create ID`.")
	}
	return f.UseWorkspace("")
}

// create creates a workspace and prints what is there now.
func create(ctx context.Context, f *cli.Factory, w cli.NewWorkspace) error {
	if w.Author != "" && !schema.Email.Matches(w.Author) {
		return cli.Misused("--author must be %s, not %q", schema.Email.Requirement(), w.Author)
	}
	made, err := createEncrypted(ctx, f, w)
	if e := engine.AsError(err); e != nil && e.Code == engine.BadRequest { // there is one with that id
		return cli.WithRemedy(err, "No changes made.")
	}
	if err != nil {
		return cli.AsUsage(err)
	}
	if f.JSON {
		return f.PrintJSON(made)
	}
	fmt.Fprintf(f.Out, "Workspace %s is ready in %s.\nAPI key (shown once): %s\n", cli.Line(made.ID), cli.Line(f.Place()), made.APIKey)
	if made.KeyFrom != "" {
		fmt.Fprint(f.Out, "\nThe store is encrypted. ")
		fmt.Fprintln(f.Out, storekey.Describe(made.KeyFrom, false))
	}
	fmt.Fprint(f.Out, "\nRun bugle to open it.\n")
	return nil
}

// created is a new workspace, and the key of the store if the store was created too.
type created struct {
	ID      string `json:"workspace_id"`
	APIKey  string `json:"api_key"`
	Key     string `json:"key_id,omitempty"`
	KeyFrom string `json:"key_from,omitempty"`
}

// createEncrypted creates the workspace, in a new encrypted store if asked to.
func createEncrypted(ctx context.Context, f *cli.Factory, w cli.NewWorkspace) (out created, err error) {
	if w.Encrypt {
		_, encrypted, err := badger.Encryption(f.DataDir())
		switch {
		case err != nil:
			return out, err
		case encrypted: // an existing store keeps its encryption
		case badger.Exists(f.DataDir()):
			return out, cli.WithRemedy(fmt.Errorf("the store in %s already exists and is not encrypted", f.DataDir()), "No changes made. Encrypt it with `bugle encrypt`.")
		default:
			key, where, err := f.Keys().Fresh(ctx, false)
			if err != nil {
				return out, err
			}
			f.Fresh, out.Key, out.KeyFrom = &key, key.ID(), where
		}
	}
	out.ID, out.APIKey, err = cli.CreateWorkspace(ctx, f, w)
	return out, err
}
