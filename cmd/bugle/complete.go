package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/remote"
)

// completeIDs completes the first argument with the ids of campaigns, their names beside them:
// those in one of the states, or all. Where the store cannot be opened there are none; a shell
// has no place for reasons.
func (f *factory) completeIDs(states ...engine.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, err := f.campaigns(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		lister, ok := svc.(engine.Lister)
		if _, far := svc.(*remote.Service); !ok || far { // a shell does not wait for a network
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		rows, err := lister.List(cmd.Context(), engine.ListQuery{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, r := range rows {
			if len(states) == 0 || slices.Contains(states, r.Status) {
				out = append(out, cobra.CompletionWithDesc(line(r.ID), line(strings.TrimSpace(r.Name+" ("+r.Status.Label()+")"))))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
