package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/service/remote"
)

// CompleteIDs completes the first argument with the ids of campaigns, described by their names: those in one of
// the states, or all.
func (f *Factory) CompleteIDs(states ...engine.State) cobra.CompletionFunc {
	return f.CompleteCampaigns(func(s engine.Summary) bool { return len(states) == 0 || slices.Contains(states, s.Status) })
}

// CompleteCampaigns completes the first argument with the ids of the campaigns for which keep returns true. On errors
// it completes nothing, because a shell cannot show them.
func (f *Factory) CompleteCampaigns(keep func(engine.Summary) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, err := f.Campaigns(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		lister, ok := svc.(engine.Lister)
		if _, far := svc.(*remote.Service); !ok || far { // a shell must not wait for a network
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		rows, err := lister.List(cmd.Context(), engine.ListQuery{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, r := range rows {
			if keep(r) {
				out = append(out, cobra.CompletionWithDesc(Line(r.ID), Line(strings.TrimSpace(r.Name+" ("+r.Status.Label()+")"))))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
