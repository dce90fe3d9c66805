// Command bench measures bugle on a store with many campaigns: startup, response to keys, warnings beside typing,
// search, validation, requests over HTTP, memory, and disk space. It prints one JSON object with the results, the
// targets, and the machine.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/internal/bench"
)

// The exit codes are the same as bugle's.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
)

// usageError is an error about invalid usage.
type usageError struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	cmd := newCommand(out, errs)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(ctx)
	var misuse usageError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "interrupted")
		return exitFailed
	case errors.As(err, &misuse):
		fmt.Fprintf(errs, "%v\nSee bench --help.\n", err)
		return exitMisused
	}
	fmt.Fprintln(errs, err)
	return exitFailed
}

func newCommand(out, errs io.Writer) *cobra.Command {
	var only []string
	o := bench.Options{Campaigns: 100_000, Seed: 1, Clients: []int{1, 32}, For: 3 * time.Second, Idle: 10 * time.Second, Starts: 15, Keys: 240}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the performance of bugle with many campaigns",
		Long: "Fill a store with campaigns, measure the performance, and print one JSON object with the results, the\n" +
			"targets and the machine. Progress is printed on standard error.",
		Example: "  go run ./cmd/bench > figures.json\n  go run ./cmd/bench --campaigns 1000000 --dir ~/filled --only start,keys\n" +
			"  go run ./cmd/bench --only database --data postgres://localhost/empty",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{errors.New("bench takes no arguments")}
			}
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return measure(cmd.Context(), o, only, out, errs)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	fl := cmd.Flags()
	fl.StringVar(&o.Program, "program", "", "`path` of the program to measure (default the one that is built from this source)")
	fl.IntVar(&o.Campaigns, "campaigns", o.Campaigns, "`number` of campaigns in the store")
	fl.Uint64Var(&o.Seed, "seed", o.Seed, "`number` that the campaigns are made from")
	fl.StringVar(&o.Dir, "dir", "", "`folder` to keep the filled store in, and to take it from the next time")
	fl.StringVar(&o.Data, "data", "", "`URL` of an empty PostgreSQL database, for the part database")
	fl.StringSliceVar(&only, "only", nil, "`parts` to measure: "+strings.Join(partNames(), ","))
	fl.IntSliceVar(&o.Clients, "clients", o.Clients, "`numbers` of clients at once, over HTTP")
	fl.DurationVar(&o.For, "for", o.For, "how long each kind of request is made, and a campaign validated")
	fl.DurationVar(&o.Idle, "idle", o.Idle, "how long the idle program is watched")
	fl.IntVar(&o.Starts, "starts", o.Starts, "`number` of starts")
	fl.IntVar(&o.Keys, "keys", o.Keys, "`number` of keys of each kind")
	return cmd
}

func partNames() (out []string) {
	for _, p := range bench.Parts {
		out = append(out, string(p))
	}
	return out
}

func measure(ctx context.Context, o bench.Options, only []string, out, errs io.Writer) (err error) {
	if err := check(o, only); err != nil {
		return err
	}
	for _, name := range only {
		o.Only = append(o.Only, bench.Part(name))
	}
	if o.Dir != "" {
		if o.Dir, err = filepath.Abs(o.Dir); err != nil {
			return fmt.Errorf("the folder %s cannot be used: %w", o.Dir, err)
		}
	}
	o.Progress = func(text string) { fmt.Fprintln(errs, text) }
	if o.Program == "" {
		dir, err := os.MkdirTemp("", "b")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		o.Program = filepath.Join(dir, "bugle")
		o.Progress("building bugle")
		if said, err := exec.CommandContext(ctx, "go", "build", "-o", o.Program, "bugle/cmd/bugle").CombinedOutput(); err != nil {
			return fmt.Errorf("bugle cannot be built, name one with --program: %w\n%s", err, said)
		}
	} else if o.Program, err = exec.LookPath(o.Program); err != nil {
		return usageError{fmt.Errorf("--program: %w", err)}
	}
	if o.Program, err = filepath.Abs(o.Program); err != nil {
		return err
	}
	said, err := exec.CommandContext(ctx, o.Program, "--version").Output()
	if err != nil {
		return fmt.Errorf("asking %s for its version: %w", o.Program, err)
	}
	o.Env, o.Version = os.Environ(), strings.TrimSpace(string(said))
	report, err := bench.Run(ctx, o)
	if errors.Is(err, bench.ErrOther) {
		return usageError{err}
	}
	if report != nil {
		text, merr := json.MarshalIndent(report, "", "  ")
		if merr == nil {
			_, merr = fmt.Fprintf(out, "%s\n", text)
		}
		err = errors.Join(merr, err)
	}
	return err
}

func check(o bench.Options, only []string) error {
	for _, name := range only {
		if !slices.Contains(partNames(), name) {
			return usageError{fmt.Errorf("--only takes %s, not %q", strings.Join(partNames(), ", "), name)}
		}
	}
	for name, n := range map[string]int{"campaigns": o.Campaigns, "starts": o.Starts, "keys": o.Keys, "clients": slices.Min(append(o.Clients, 1))} {
		if n < 1 {
			return usageError{fmt.Errorf("--%s must be at least 1", name)}
		}
	}
	return nil
}
