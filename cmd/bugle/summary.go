package main

import (
	"context"
	"fmt"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
)

// printSummary prints what bugle shows if the terminal program cannot open.
func printSummary(ctx context.Context, f *cli.Factory) error {
	r, far, err := f.Remote()
	switch {
	case err != nil:
		return err
	case far:
		return printRemote(ctx, f, r)
	}
	have, err := f.HasStore(ctx)
	if err != nil {
		return err
	}
	if !have {
		return printNoWorkspace(f)
	}
	store, err := f.Open(ctx)
	if err != nil {
		return err
	}
	ids, err := store.Workspaces(ctx)
	if err != nil {
		return err
	}
	wanted, err := f.Wanted()
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return printNoWorkspace(f)
	case len(ids) > 1 && wanted == "":
		return printWorkspaces(f, ids)
	}
	id, err := f.WorkspaceID(ctx, store)
	if err != nil {
		return err
	}
	svc, err := store.Service(ctx, id)
	if err != nil {
		return err
	}
	rows, err := svc.List(ctx, engine.ListQuery{})
	if err != nil {
		return err
	}
	return printWorkspace(f, id, rows)
}

// printRemote prints a summary of a remote workspace.
func printRemote(ctx context.Context, f *cli.Factory, r remotes.Remote) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	rows, err := cli.ListAll(ctx, svc, false)
	if err != nil {
		return err
	}
	count := countStates(rows)
	if f.JSON {
		return f.PrintJSON(map[string]any{"remote": r.Name, "url": r.BaseURL, "workspace_id": r.Workspace, "campaigns": len(rows), "status": count})
	}
	fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("Remote %s, workspace %s: %s", r.Name, r.Workspace, phrase.Count(len(rows), "campaign"))))
	printCounts(&f.Printer, count)
	return nil
}

func countStates(rows []engine.Summary) map[engine.State]int {
	count := map[engine.State]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	return count
}

// printCounts prints a line such as "2 draft, 1 active".
func printCounts(p *cli.Printer, count map[engine.State]int) {
	var parts []string
	for _, st := range catalog.States {
		if count[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[st], strings.ToLower(st.Label())))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(p.Out, "  "+strings.Join(parts, ", "))
	}
}

func printWorkspace(f *cli.Factory, id string, rows []engine.Summary) error {
	count := countStates(rows)
	if f.JSON {
		return f.PrintJSON(map[string]any{"workspace_id": id, "data": f.Place(), "campaigns": len(rows), "status": count})
	}
	fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("Workspace %s in %s: %s", id, f.Place(), phrase.Count(len(rows), "campaign"))))
	printCounts(&f.Printer, count)
	fmt.Fprint(f.Out, `
Run bugle in a terminal to build and test campaigns, or use a command:
  bugle create            Create a draft
  bugle search            Search campaigns
  bugle get ID            Print a campaign as JSON
  bugle lint FILE         Check a campaign file
  bugle help              List all commands
`)
	return nil
}

func printWorkspaces(f *cli.Factory, ids []string) error {
	if f.JSON {
		return f.PrintJSON(map[string]any{"workspaces": ids, "data": f.Place()})
	}
	fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("%s in %s: %s", phrase.Count(len(ids), "workspace"), f.Place(), strings.Join(ids, ", "))))
	fmt.Fprintf(f.Out, "\nChoose one with --workspace or %s, or from now on with `bugle workspace use %s`.\n", cli.EnvWorkspace, cli.Line(ids[0]))
	return nil
}

func printNoWorkspace(f *cli.Factory) error {
	if f.JSON {
		return f.PrintJSON(map[string]any{"workspace_id": nil, "data": f.Place(), "campaigns": 0})
	}
	fmt.Fprintf(f.Out, `No workspace in %s yet.

Run bugle in a terminal to get started, or use a command:
  bugle init --sample     Create a workspace with sample campaigns and users
  bugle init              Create an empty workspace
  bugle help              List all commands
`, cli.Line(f.Place()))
	return nil
}
