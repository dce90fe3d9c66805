package main

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
)

func newWorkspaceCmd(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "workspace",
		Short:             "Show and change what a workspace has: settings, users, carriers, content",
		Args:              noCommand,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWorkspaceShow(f), newWorkspaceSet(f), newWorkspaceConnector(f), newWorkspaceProfiles(f), newWorkspaceProfile(f), newWorkspaceImport(f), newWorkspaceContent(f))
	cmd.AddCommand(newWorkspaceRecords(f)...)
	return cmd
}

func newWorkspaceShow(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:               "show",
		Short:             "Show the settings",
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(w.Public())
			}
			return f.showWorkspace(w)
		},
	}
}

func (f *factory) showWorkspace(w engine.Workspace) error {
	rows := [][]string{{"id", w.ID}}
	for _, s := range settings() {
		rows = append(rows, []string{s.name, s.get(&w)})
	}
	for _, c := range w.Connectors {
		rows = append(rows, []string{"connector", fmt.Sprintf("%s (%s), carried by %s", c.Name, c.Type, carrierWords(c))})
	}
	for _, g := range w.Gateways {
		rows = append(rows, []string{"push gateway", gatewayWords(g)})
	}
	for _, s := range w.Segments {
		rows = append(rows, []string{"segment", s.Name + ", " + counted(len(s.Members), "user")})
	}
	for _, k := range w.Keys {
		rows = append(rows, []string{"key", k.ID + " " + strings.Join(k.Scopes, " ")})
	}
	return f.rows([]string{"SETTING", "VALUE"}, rows)
}

func carrierWords(c engine.Connector) string {
	if c.Carrier == engine.CarrierSMTP && c.SMTP != nil {
		return "SMTP " + net.JoinHostPort(c.SMTP.Host, strconv.Itoa(c.SMTP.Port))
	}
	return "the local outbox"
}
