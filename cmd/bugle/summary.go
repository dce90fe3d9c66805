package main

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

// printSummary tells of the workspace where there is no terminal to open in.
func printSummary(ctx context.Context, f *factory) error {
	have, err := f.hasStore()
	if err != nil {
		return err
	}
	if !have {
		return f.printNoWorkspace()
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
		return f.printNoWorkspace()
	case len(ids) > 1 && f.wanted() == "":
		return f.printWorkspaces(ids)
	}
	id, err := f.workspaceID(ctx, node)
	if err != nil {
		return err
	}
	rows, err := node.Service(id).List(ctx, engine.ListQuery{})
	if err != nil {
		return err
	}
	return f.printWorkspace(id, rows)
}

func (f *factory) printWorkspace(id string, rows []engine.Summary) error {
	count := map[engine.State]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	if f.json {
		return f.printJSON(map[string]any{"workspace_id": id, "data": f.dataDir(), "campaigns": len(rows), "status": count})
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("Workspace %s in %s: %s", id, f.dataDir(), counted(len(rows), "campaign"))))
	var parts []string
	for _, st := range catalog.States {
		if count[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[st], strings.ToLower(st.Label())))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(f.out, "  "+strings.Join(parts, ", "))
	}
	fmt.Fprint(f.out, `
Run bugle in a terminal to build and test campaigns. Without one:
  bugle create            starts a draft
  bugle search            lists campaigns
  bugle get ID            shows one
  bugle lint FILE         checks a campaign file
  bugle help              shows every command
`)
	return nil
}

func (f *factory) printWorkspaces(ids []string) error {
	if f.json {
		return f.printJSON(map[string]any{"workspaces": ids, "data": f.dataDir()})
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("%s in %s: %s", counted(len(ids), "workspace"), f.dataDir(), strings.Join(ids, ", "))))
	fmt.Fprintf(f.out, "\nChoose one with --workspace, such as bugle --workspace %s, or with %s.\n", line(ids[0]), envWorkspace)
	return nil
}

func (f *factory) printNoWorkspace() error {
	if f.json {
		return f.printJSON(map[string]any{"workspace_id": nil, "data": f.dataDir(), "campaigns": 0})
	}
	fmt.Fprintf(f.out, `There is no workspace in %s yet.

Run bugle in a terminal to begin, or:
  bugle init --sample     makes a workspace with sample campaigns and users
  bugle init              makes an empty one
  bugle help              shows every command
`, line(f.dataDir()))
	return nil
}

// counted gives a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
