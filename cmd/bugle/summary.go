package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
)

// summary is what bugle prints with --json if the terminal program cannot open.
type summary struct {
	Workspace *string              `json:"workspace_id"`
	Data      string               `json:"data,omitempty"`
	Remote    string               `json:"remote,omitempty"`
	URL       string               `json:"url,omitempty"`
	Campaigns int                  `json:"campaigns"`
	Status    map[engine.State]int `json:"status,omitempty"`
}

// printSummary prints what bugle shows if the terminal program cannot open.
func printSummary(ctx context.Context, f *cli.Factory) error {
	svc, err := f.Campaigns(ctx)
	if errors.Is(err, cli.ErrNoWorkspace) {
		return printNoWorkspace(f)
	}
	if several := (*cli.SeveralWorkspaces)(nil); errors.As(err, &several) {
		return printWorkspaces(f, several.IDs)
	}
	if err != nil {
		return err
	}
	rows, err := cli.ListAll(ctx, svc, false)
	if err != nil {
		return err
	}
	t, err := f.Target(ctx)
	if err != nil {
		return err
	}
	count := map[engine.State]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	if f.JSON {
		return f.PrintJSON(summary{&t.Workspace, t.Data, t.Remote, t.URL, len(rows), count})
	}
	fmt.Fprintln(f.Out, cli.Line(phrase.Capitalize(t.String())+": "+phrase.Count(len(rows), "campaign")))
	var parts []string
	for _, st := range catalog.States {
		if count[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[st], strings.ToLower(st.Label())))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(f.Out, "  "+strings.Join(parts, ", "))
	}
	if t.Remote == "" {
		fmt.Fprint(f.Out, `
Run bugle in a terminal to build and test campaigns, or use a command:
  bugle create            Create a draft
  bugle search            Search campaigns
  bugle get ID            Print a campaign as JSON
  bugle lint FILE         Check a campaign file
  bugle help              List all commands
`)
	}
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
		return f.PrintJSON(summary{Data: f.Place()})
	}
	fmt.Fprintf(f.Out, `No workspace in %s yet.

Run bugle in a terminal to get started, or use a command:
  bugle init --sample     Create a workspace with sample campaigns and users
  bugle init              Create an empty workspace
  bugle help              List all commands
`, cli.Line(f.Place()))
	return nil
}
