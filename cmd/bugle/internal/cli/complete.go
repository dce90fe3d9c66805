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

// CompleteIDsOrFiles is [Factory.CompleteIDs] for an argument that can also be a file.
func (f *Factory) CompleteIDsOrFiles(states ...engine.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ids, _ := f.CompleteIDs(states...)(cmd, args, typed)
		return ids, cobra.ShellCompDirectiveDefault
	}
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

// mostUsers is how many users are completed.
const mostUsers = 50

// CompleteUsers completes a flag with the ids of the users that have what was typed in their id or attributes,
// described by their names. Errors complete nothing.
func (f *Factory) CompleteUsers() cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		svc, err := f.Campaigns(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		store, ok := svc.(engine.UserStore)
		if !ok {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		users, err := store.Users(cmd.Context(), typed, mostUsers)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, u := range users {
			out = append(out, cobra.CompletionWithDesc(Line(u.ID), Line(u.DisplayName())))
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
