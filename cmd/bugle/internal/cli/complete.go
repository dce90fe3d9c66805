package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
)

// CompleteIDs completes with the ids of campaigns, described by their names: those in one of the states, or all that are not
// archived.
func (f *Factory) CompleteIDs(states ...engine.State) cobra.CompletionFunc {
	return f.CompleteCampaigns(func(s engine.Summary) bool {
		return len(states) == 0 && s.Status != catalog.Archived || slices.Contains(states, s.Status)
	})
}

// CompleteIDsOrFiles is [Factory.CompleteIDs] for an argument that can also be a file.
func (f *Factory) CompleteIDsOrFiles(states ...engine.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ids, _ := f.CompleteIDs(states...)(cmd, args, typed)
		return ids, cobra.ShellCompDirectiveDefault
	}
}

// CompleteCampaigns completes the first argument, or each of several, with the ids of the campaigns for which keep returns
// true.
func (f *Factory) CompleteCampaigns(keep func(engine.Summary) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 || strings.Contains(cmd.Use, "ID...") {
			for _, r := range f.listed(cmd) {
				if keep(r) && !slices.Contains(args, r.ID) {
					out = append(out, cobra.CompletionWithDesc(Line(r.ID), Line(strings.TrimSpace(r.Name+" ("+r.Status.Label()+")"))))
				}
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// listed returns the campaigns to complete with. On errors it returns none, because a shell cannot show them.
func (f *Factory) listed(cmd *cobra.Command) []engine.Summary {
	svc, err := f.Campaigns(cmd.Context())
	if err != nil || engine.IsExternal(svc) { // a shell must not wait for a network
		return nil
	}
	rows, err := engine.List(cmd.Context(), svc, engine.ListQuery{Archived: true})
	if err != nil {
		return nil
	}
	return rows
}
