// Package mcp has the command mcp, which serves the campaigns to assistants.
package mcp

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/service/mcp"
)

// allowFlag is the flag for who may get tests.
const allowFlag = "allow-test-to"

// New returns the command bugle mcp.
func New(f *cli.Factory) *cobra.Command {
	var allowed []string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the campaigns to an assistant over MCP",
		Long: "Serves the Model Context Protocol on standard input and output. The assistant that starts it can\n" +
			"search, read, validate and preview campaigns, and create and change drafts, signed by the author of\n" +
			"the workspace. It cannot publish or delete anything, nor change live campaigns, users or keys. Every\n" +
			"change is a version in the history, where you can restore an earlier one. Log lines go to standard\n" +
			"error.\n\n" +
			"The assistant can send tests only to the addresses and other identifiers in --" + allowFlag + ", and to\n" +
			"nobody by default.",
		Example: "  bugle mcp\n" +
			"  bugle mcp --" + allowFlag + " ann@example.com,bob@example.com\n" +
			"  bugle mcp --data ~/campaigns --workspace SHOP\n" +
			"  bugle mcp --remote production",
		Args: cli.Exactly(0, "no arguments; an assistant starts it and talks to it on standard input"),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), f, allowed) },
	}
	cmd.Flags().StringSliceVar(&allowed, allowFlag, nil, "`recipients` that the assistant can send tests to, separated by commas")
	return cmd
}

// run serves until standard input or ctx ends.
func run(ctx context.Context, f *cli.Factory, allowed []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	dismissals, err := f.Dismissals(svc)
	if err != nil {
		return err
	}
	for i := range allowed {
		allowed[i] = strings.TrimSpace(allowed[i])
	}
	log := slog.New(f.LogHandler())
	following, stop := context.WithCancel(ctx)
	var followers sync.WaitGroup
	followers.Go(func() { f.Notices.Follow(following, func(text string) { log.Warn("store", "notice", text) }) })
	defer func() { stop(); followers.Wait() }()
	server := mcp.New(mcp.Options{
		Service: svc, Dismissals: dismissals, Version: cli.Version(), Logger: log,
		Author:      func(ctx context.Context) (string, error) { return f.Signer(ctx, svc, "") },
		AllowTestTo: allowed,
		AllowHelp:   "the user can allow recipients with `bugle mcp --" + allowFlag + "`",
	})
	return server.Serve(ctx, f.Interruptible(ctx), f.Out)
}
