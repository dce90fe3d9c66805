// Package workspace implements the commands init and workspace, which manage workspaces, and the commands for the records
// that are in one.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/store"
)

// New returns the command bugle workspace.
func New(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "Manage the workspaces of a store",
		Long: "A store has one workspace or more, each with its own campaigns, users, settings and keys. Commands work on the\n" +
			"one in --workspace, in " + cli.EnvWorkspace + ", or in use. What is in a workspace has commands of its own, such as\n" +
			"`bugle users`.",
		Example: "  bugle workspace list\n  bugle workspace create SHOP --name 'The shop'\n  bugle workspace use SHOP",
	}
	cmd.AddCommand(newList(f), newCreate(f), newUse(f), newDelete(f), newExport(f), newApply(f))
	return cmd
}

// all returns the settings of the workspaces in the store, sorted by id.
func all(ctx context.Context, f *cli.Factory) (*cli.Store, []engine.Workspace, error) {
	s, err := f.Store(ctx)
	switch {
	case errors.Is(err, cli.ErrNoWorkspace):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	var out []engine.Workspace
	err = s.Records().Read(ctx, func(tx store.Tx) error {
		out = nil
		ids, err := tx.Workspaces()
		for _, id := range ids {
			w, err := tx.Workspace(id).Settings()
			if err != nil {
				return err
			}
			out = append(out, w)
		}
		return err
	})
	return s, out, err
}

// candidates returns workspaces as what a user may name.
func candidates(list []engine.Workspace) (out []cli.Candidate) {
	for _, w := range list {
		out = append(out, cli.Candidate{ID: w.ID, Name: w.Name, About: w.Name})
	}
	return out
}

// pick returns the id of the workspace that a user has named.
func pick(name string, from []engine.Workspace) (string, error) {
	if slices.ContainsFunc(from, func(w engine.Workspace) bool { return w.ID == name }) {
		return name, nil
	}
	id, ok, err := cli.Pick(name, "workspaces", candidates(from))
	if err == nil && !ok {
		err = cli.WithRemedy(cli.Misused("no workspace %q in %s", name, "this store"), "`bugle workspace list` lists them.")
	}
	return id, err
}

// Complete completes the first argument with the ids of the workspaces.
func Complete(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		_, list, _ := all(cmd.Context(), f) // a shell cannot show errors
		return cli.Complete(args, candidates(list))
	}
}

func newList(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List workspaces",
		Long:  "The workspace that commands use without --workspace is marked with *.",
		Args:  cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, list, err := all(cmd.Context(), f)
			if err != nil {
				return err
			}
			current, err := f.Wanted()
			if err != nil {
				return err
			}
			if current == "" && len(list) == 1 {
				current = list[0].ID
			}
			l := cli.List{Name: "workspaces", Head: []string{"", "ID", "NAME", "TIME ZONE"}, Empty: phrase.Sentence(cli.ErrNoWorkspace.Error())}
			l.Before = []doc.Member{doc.M("current", doc.NewString(current))}
			for _, w := range list {
				item := doc.NewObject(doc.M("id", doc.NewString(w.ID)), doc.M("name", doc.NewString(w.Name)), doc.M("timezone", doc.NewString(w.Timezone)))
				l.Add(item, cli.Mark(w.ID == current), w.ID, w.Name, w.Timezone)
			}
			return f.PrintList(l, nil)
		},
	}
}

func newCreate(f *cli.Factory) *cobra.Command {
	var w cli.NewWorkspace
	cmd := &cobra.Command{
		Use:     "create ID",
		Short:   "Create a workspace",
		Long:    "Its API key is shown only once. HTTP clients of `bugle serve` need it.",
		Example: "  bugle workspace create SHOP --name 'The shop'\n  bugle workspace create DEMO --sample",
		Args:    cli.Exactly(1, "the ID of the new workspace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w.ID = args[0]
			return create(cmd.Context(), f, w)
		},
	}
	addCreateFlags(cmd, &w)
	return cmd
}

func newUse(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "use ID",
		Short: "Choose the workspace to use from now on",
		Long: "Commands use this workspace of the store without --workspace and " + cli.EnvWorkspace + ". The choice is kept in your\n" +
			"settings on this machine.",
		Example:           "  bugle workspace use SHOP",
		Args:              cli.Exactly(1, "the ID of a workspace"),
		ValidArgsFunction: Complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, list, err := all(cmd.Context(), f)
			if err != nil {
				return err
			}
			id, err := pick(args[0], list)
			if err != nil {
				return err
			}
			if err := f.UseWorkspace(id); err != nil {
				return err
			}
			return f.Done(map[string]any{"current": id}, "Using workspace "+id+" from now on.")
		},
	}
}

func newDelete(f *cli.Factory) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "delete ID",
		Short:             "Delete a workspace for good",
		Long:              "Its campaigns, users, settings and keys are deleted. What was saved with `bugle backup` stays.",
		Example:           "  bugle workspace delete SHOP",
		Args:              cli.Exactly(1, "the ID of a workspace"),
		ValidArgsFunction: Complete(f),
		RunE:              func(cmd *cobra.Command, args []string) error { return remove(cmd.Context(), f, args[0], yes) },
	}
	cli.AddYes(cmd, &yes)
	return cmd
}

// remove deletes a workspace, after a question.
func remove(ctx context.Context, f *cli.Factory, name string, yes bool) error {
	s, list, err := all(ctx, f)
	if err != nil {
		return err
	}
	id, err := pick(name, list)
	if err != nil {
		return err
	}
	campaigns := 0
	err = s.Records().Read(ctx, func(tx store.Tx) error {
		campaigns = 0
		return tx.Workspace(id).Summaries(func(engine.Summary) error {
			campaigns++
			return nil
		})
	})
	if err != nil && !yes { // a damaged one can be deleted, too
		return err
	}
	question := fmt.Sprintf("Delete workspace %s with %s, its users and its settings for good?", id, phrase.Count(campaigns, "campaign"))
	if ok, err := f.Agreed(ctx, yes, cli.Line(question), "to delete it"); !ok {
		return err
	}
	for more := true; more; {
		err := s.Records().Write(ctx, func(tx store.Tx) (err error) {
			more, err = tx.Workspace(id).ClearWorkspace()
			return err
		})
		if err != nil {
			return cli.WithRemedy(fmt.Errorf("the workspace %s is deleted only in part: %w", id, err), "Run the command again.")
		}
	}
	if used, err := f.WorkspaceInUse(); err != nil || used == id {
		if err := f.UseWorkspace(""); err != nil {
			return err
		}
	}
	return f.Done(map[string]any{"id": id, "deleted": true}, "Deleted workspace "+id)
}
