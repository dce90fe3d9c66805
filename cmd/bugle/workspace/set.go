package workspace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/schema"
)

// setting is a setting that `bugle workspace set` changes and `bugle workspace show` prints.
type setting struct {
	name  string
	takes string   // description of the values
	few   []string // the values, if there are only a few
	get   func(*engine.Workspace) string
	set   func(*engine.Workspace, string) error
}

// settings returns all settings in display order.
func settings() []setting {
	out := []setting{
		textSetting("name", "a text", func(w *engine.Workspace) *string { return &w.Name }, nil),
		textSetting("timezone", schema.Zone.Requirement(), func(w *engine.Workspace) *string { return &w.Timezone }, schema.Zone.Matches),
		textSetting("author", schema.Email.Requirement(), func(w *engine.Workspace) *string { return &w.Author }, schema.Email.Matches),
		publishChoice(),
		switchSetting("versioning", func(w *engine.Workspace) bool { return w.Versioning }, func(w *engine.Workspace, on bool) { w.Versioning = on }),
	}
	for _, flag := range engine.KnownFlags() {
		out = append(out, switchSetting(flag, func(w *engine.Workspace) bool { return w.Flags[flag] }, func(w *engine.Workspace, on bool) {
			if w.Flags == nil {
				w.Flags = map[string]bool{}
			}
			w.Flags[flag] = on
		}))
	}
	return append(out,
		listSetting("subscription_categories", func(w *engine.Workspace) *[]string { return &w.SubscriptionCategories }),
		listSetting("teams", func(w *engine.Workspace) *[]string { return &w.Teams }),
		listSetting("locales", func(w *engine.Workspace) *[]string { return &w.Locales }),
		listSetting("content_hosts", func(w *engine.Workspace) *[]string { return &w.ContentAPIs.Hosts }),
		switchSetting("content_private", func(w *engine.Workspace) bool { return w.ContentAPIs.Private }, func(w *engine.Workspace, on bool) { w.ContentAPIs.Private = on }),
	)
}

func textSetting(name, takes string, at func(*engine.Workspace) *string, fits func(string) bool) setting {
	return setting{
		name: name, takes: takes,
		get: func(w *engine.Workspace) string { return *at(w) },
		set: func(w *engine.Workspace, value string) error {
			if fits != nil && !fits(value) {
				return cli.Misused("%s must be %s, not %q", name, takes, value)
			}
			*at(w) = value
			return nil
		},
	}
}

func publishChoice() setting {
	few := []string{engine.PublishBeta, engine.PublishEnabled}
	takes := strings.Join(few, " or ")
	s := textSetting(cli.PublishSetting, takes, func(w *engine.Workspace) *string { return &w.Publish }, func(v string) bool { return slices.Contains(few, v) })
	s.few = few
	return s
}

func switchSetting(name string, get func(*engine.Workspace) bool, set func(*engine.Workspace, bool)) setting {
	return setting{
		name: name, takes: "on or off", few: []string{"on", "off"},
		get: func(w *engine.Workspace) string { return cli.OnOff(get(w)) },
		set: func(w *engine.Workspace, value string) error {
			on, err := cli.ParseOnOff(value)
			if err != nil {
				return cli.Misused("%s must be on or off, not %q", name, value)
			}
			set(w, on)
			return nil
		},
	}
}

func listSetting(name string, at func(*engine.Workspace) *[]string) setting {
	return setting{
		name: name, takes: "names separated by commas",
		get: func(w *engine.Workspace) string { return strings.Join(*at(w), ", ") },
		set: func(w *engine.Workspace, value string) error {
			*at(w) = nil
			for _, v := range strings.Split(value, ",") {
				if v = strings.TrimSpace(v); v != "" && !slices.Contains(*at(w), v) {
					*at(w) = append(*at(w), v)
				}
			}
			return nil
		},
	}
}

func newWorkspaceSet(f *cli.Factory) *cobra.Command {
	long := "Change settings. Use `bugle workspace put general` and `bugle workspace put flags` instead.\n"
	for _, s := range settings() {
		long += fmt.Sprintf("\n  %-24s %s", s.name, s.takes)
	}
	return &cobra.Command{
		Use:     "set NAME=VALUE…",
		Short:   "Change settings",
		Long:    long,
		Example: "  bugle workspace set " + engine.FlagAudienceLimit + "=on " + engine.FlagQueuing + "=on\n  bugle workspace set " + cli.PublishSetting + "=" + engine.PublishEnabled + " teams=Growth,CRM",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Misused("nothing to set; use NAME=VALUE, such as %s=on", engine.FlagQueuing)
			}
			return nil
		},
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			if err := svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error { return setAll(w, args) }); err != nil {
				return cli.AsUsage(err)
			}
			if !f.JSON {
				fmt.Fprintln(f.Out, cli.Line("Set "+strings.Join(args, ", ")))
				return nil
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			return f.PrintJSON(w.Public())
		},
	}
}

func setAll(w *engine.Workspace, args []string) error {
	all := settings()
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return cli.Misused("%q must be NAME=VALUE", a)
		}
		i := slices.IndexFunc(all, func(s setting) bool { return s.name == name })
		if i < 0 {
			names := make([]string, len(all))
			for i, s := range all {
				names[i] = s.name
			}
			return cli.Misused("unknown setting %q; choose from %s", name, strings.Join(names, ", "))
		}
		if err := all[i].set(w, value); err != nil {
			return err
		}
	}
	return nil
}

func completeSettings(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, s := range settings() {
		if len(s.few) == 0 || !strings.HasPrefix(typed, s.name+"=") {
			out = append(out, cobra.CompletionWithDesc(s.name+"=", s.takes))
			continue
		}
		for _, v := range s.few {
			out = append(out, s.name+"="+v)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
