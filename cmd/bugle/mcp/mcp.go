// Package mcp has the command mcp, which serves the campaigns to assistants.
package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/muesli/cancelreader"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/service/mcp"
)

// fileName is the name of the file in the configuration folder.
const fileName = "mcp.yaml"

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
			"The assistant can send tests only to the addresses and other identifiers in --" + allowFlag + " or in\n" +
			fileName + " in the configuration folder, and to nobody by default:\n\n" +
			"  allow_test_to: [ann@example.com, USER_1]",
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
	file := filepath.Join(f.ConfigDir(), fileName)
	more, err := readFile(file)
	if err != nil {
		return err
	}
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	dismissals, err := f.Dismissals(svc)
	if err != nil {
		return err
	}
	log := slog.New(f.LogHandler())
	following, stop := context.WithCancel(ctx)
	var followers sync.WaitGroup
	followers.Go(func() { f.Notices.Follow(following, func(text string) { log.Warn("store", "notice", text) }) })
	defer func() { stop(); followers.Wait() }()
	f.SaveMemory()
	server := mcp.New(mcp.Options{
		Service: svc, Dismissals: dismissals, Version: cli.Version(), Logger: log,
		Author:      func(ctx context.Context) (string, error) { return f.Signer(ctx, svc, "") },
		AllowTestTo: trimmed(append(slices.Clone(allowed), more...)),
		AllowHelp:   fmt.Sprintf("the user can allow recipients with `bugle mcp --%s` or allow_test_to in %s", allowFlag, file),
	})
	return server.Serve(ctx, input(f.In), f.Out)
}

// trimmed returns texts without the spaces around them.
func trimmed(texts []string) []string {
	for i, s := range texts {
		texts[i] = strings.TrimSpace(s)
	}
	return texts
}

// input returns standard input as a reader that stops waiting when it is closed.
func input(in io.Reader) io.ReadCloser {
	r, err := cancelreader.NewReader(in)
	if err != nil { // a file, which needs no waiting
		return io.NopCloser(in)
	}
	return canceling{r}
}

type canceling struct{ cancelreader.CancelReader }

// Read implements [io.Reader]. What was canceled has ended.
func (c canceling) Read(p []byte) (int, error) {
	n, err := c.CancelReader.Read(p)
	if errors.Is(err, cancelreader.ErrCanceled) {
		err = io.EOF
	}
	return n, err
}

// Close implements [io.Closer].
func (c canceling) Close() error {
	c.Cancel()
	return nil
}

// readFile returns who may get tests according to the file of a person; nobody without a file.
func readFile(name string) ([]string, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var read struct {
		AllowTestTo []string `yaml:"allow_test_to"`
	}
	if err == nil {
		dec := yaml.NewDecoder(bytes.NewReader(b))
		dec.KnownFields(true)
		if err = dec.Decode(&read); errors.Is(err, io.EOF) {
			err = nil // it is empty
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w; it can have the field allow_test_to, a list of recipients", name, cli.Cause(err))
	}
	return read.AllowTestTo, nil
}
