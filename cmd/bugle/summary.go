package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

// printSummary tells of the workspace where there is no terminal to open in.
func printSummary(ctx context.Context, f *factory) error {
	if !f.hasStore() {
		return f.printNoWorkspace()
	}
	svc, id, err := f.service(ctx)
	if errors.Is(err, errNoWorkspace) {
		return f.printNoWorkspace()
	}
	if err != nil {
		return err
	}
	rows, err := svc.List(ctx, engine.ListQuery{})
	if err != nil {
		return err
	}
	count := map[engine.State]int{}
	for _, r := range rows {
		count[r.Status]++
	}
	if f.json {
		return f.printJSON(map[string]any{"workspace_id": id, "data": f.dataDir(), "campaigns": len(rows), "status": count})
	}
	fmt.Fprintf(f.out, "Workspace %s in %s: %d campaigns\n", clean(id), clean(f.dataDir()), len(rows))
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
  bugle search            lists campaigns
  bugle get ID            shows one
  bugle lint FILE         checks a campaign file
  bugle help              shows every command
`)
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
`, clean(f.dataDir()))
	return nil
}

func (f *factory) printJSON(v any) error {
	enc := json.NewEncoder(f.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
