package main

import (
	"context"
	"fmt"
	"strings"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
)

// printSummary prints what bugle shows where the terminal program cannot open.
func printSummary(ctx context.Context, f *factory) error {
	r, far, err := f.remote()
	switch {
	case err != nil:
		return err
	case far:
		return printRemote(ctx, f, r)
	}
	have, err := f.hasStore()
	if err != nil {
		return err
	}
	if !have {
		return printNoWorkspace(f)
	}
	node, err := f.open(ctx)
	if err != nil {
		return err
	}
	ids, err := node.Workspaces(ctx)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return printNoWorkspace(f)
	case len(ids) > 1 && f.wanted() == "":
		return printWorkspaces(f, ids)
	}
	id, err := f.workspaceID(ctx, node)
	if err != nil {
		return err
	}
	rows, err := node.Service(id).List(ctx, engine.ListQuery{})
	if err != nil {
		return err
	}
	return printWorkspace(f, id, rows)
}

// printRemote prints a summary of a remote workspace.
func printRemote(ctx context.Context, f *factory, r remotes.Remote) error {
	svc, err := f.campaigns(ctx)
	if err != nil {
		return err
	}
	rows, err := listAll(ctx, svc, false)
	if err != nil {
		return err
	}
	count := countStates(rows)
	if f.json {
		return f.printJSON(map[string]any{"remote": r.Name, "url": r.BaseURL, "workspace_id": r.Workspace, "campaigns": len(rows), "status": count})
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("Remote %s, workspace %s: %s", r.Name, r.Workspace, phrase.Count(len(rows), "campaign"))))
	printCounts(&f.printer, count)
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
func printCounts(p *printer, count map[engine.State]int) {
	var parts []string
	for _, st := range catalog.States {
		if count[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[st], strings.ToLower(st.Label())))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(p.out, "  "+strings.Join(parts, ", "))
	}
}

func printWorkspace(f *factory, id string, rows []engine.Summary) error {
	count := countStates(rows)
	if f.json {
		return f.printJSON(map[string]any{"workspace_id": id, "data": f.dataDir(), "campaigns": len(rows), "status": count})
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("Workspace %s in %s: %s", id, f.dataDir(), phrase.Count(len(rows), "campaign"))))
	printCounts(&f.printer, count)
	fmt.Fprint(f.out, `
Run bugle in a terminal to build and test campaigns, or use a command:
  bugle create            Create a draft
  bugle search            Search campaigns
  bugle get ID            Print a campaign as JSON
  bugle lint FILE         Check a campaign file
  bugle help              List all commands
`)
	return nil
}

func printWorkspaces(f *factory, ids []string) error {
	if f.json {
		return f.printJSON(map[string]any{"workspaces": ids, "data": f.dataDir()})
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("%s in %s: %s", phrase.Count(len(ids), "workspace"), f.dataDir(), strings.Join(ids, ", "))))
	fmt.Fprintf(f.out, "\nChoose one with --workspace or %s, such as `bugle --workspace %s`.\n", envWorkspace, line(ids[0]))
	return nil
}

func printNoWorkspace(f *factory) error {
	if f.json {
		return f.printJSON(map[string]any{"workspace_id": nil, "data": f.dataDir(), "campaigns": 0})
	}
	fmt.Fprintf(f.out, `No workspace in %s yet.

Run bugle in a terminal to get started, or use a command:
  bugle init --sample     Create a workspace with sample campaigns and users
  bugle init              Create an empty workspace
  bugle help              List all commands
`, line(f.dataDir()))
	return nil
}
