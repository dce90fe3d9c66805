package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/bench"
	"bugle/engine/activity"
	"bugle/ui/app"
	"bugle/ui/screen"
)

// newBench is for developers and hidden from the help.
func newBench(f *factory) *cobra.Command {
	var only []string
	o := bench.Options{Campaigns: 100_000, Seed: 1, Clients: []int{1, 32}, For: 3 * time.Second, Idle: 10 * time.Second, Starts: 15, Keys: 240}
	cmd := &cobra.Command{
		Use:    "bench",
		Hidden: true,
		Short:  "Measure the performance with many campaigns",
		Long: "Fill a store with campaigns, measure the performance, and print one JSON object with the results, the\n" +
			"targets and the machine. Progress is printed on standard error.",
		Example: "  bugle bench > figures.json\n  bugle bench --campaigns 1000000 --dir ~/filled --only start,keys",
		Args:    exactly(0, "no arguments"),

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBench(cmd.Context(), f, o, only)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&o.Campaigns, "campaigns", o.Campaigns, "`number` of campaigns in the store")
	fl.Uint64Var(&o.Seed, "seed", o.Seed, "`number` that the campaigns are made from")
	fl.StringVar(&o.Dir, "dir", "", "`folder` to keep the filled store in, and to take it from the next time")
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

func runBench(ctx context.Context, f *factory, o bench.Options, only []string) error {
	if err := checkBench(o, only); err != nil {
		return err
	}
	for _, name := range only {
		o.Only = append(o.Only, bench.Part(name))
	}
	var err error
	if o.Program, err = os.Executable(); err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if o.Dir != "" {
		if o.Dir, err = filepath.Abs(o.Dir); err != nil {
			return fmt.Errorf("the folder %s cannot be used: %w", o.Dir, err)
		}
	}
	o.Env, o.Version, o.Model = os.Environ(), version(), f.measured
	o.Say = func(text string) { fmt.Fprintln(f.err, text) }
	report, err := bench.Run(ctx, o)
	if errors.Is(err, bench.ErrOther) {
		return usageError{err}
	}
	if report != nil {
		err = errors.Join(f.printJSON(report), err)
	}
	return err
}

func checkBench(o bench.Options, only []string) error {
	for _, name := range only {
		if !slices.Contains(partNames(), name) {
			return misused("--only takes %s, not %q", strings.Join(partNames(), ", "), name)
		}
	}
	for name, n := range map[string]int{"campaigns": o.Campaigns, "starts": o.Starts, "keys": o.Keys, "clients": slices.Min(append(o.Clients, 1))} {
		if n < 1 {
			return misused("--%s must be at least 1", name)
		}
	}
	return nil
}

// measured makes the terminal program on another store, as [bench.Options] asks for: without what a
// person has set, and without backups.
func (f *factory) measured(ctx context.Context, dir string) (tea.Model, func() error, error) {
	own := map[string]string{envBackups: onOff(false), "XDG_CONFIG_HOME": dir, "XDG_STATE_HOME": dir}
	g := newFactory(f.streams, func(name string) string { return own[name] })
	g.data = dir
	model, err := g.model(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, g.close())
	}
	return model, g.close, nil
}

func (f *factory) model(ctx context.Context) (*app.Model, error) {
	log := &activity.Log{}
	open, err := f.opening(ctx, log)
	if err != nil {
		return nil, err
	}
	own := f.personal(true)
	if open.deps.Theme, _, err = own.themes.first("", "", nil); err != nil {
		return nil, err
	}
	return app.New(app.Options{
		Deps: open.deps, Factory: screens(open.start, log, f.sources(own.themes)), First: screen.Route{Name: open.first},
		Places: places(), Themes: own.themes.get, ThemeNames: own.themes.Names, Keys: own.keys,
	})
}
