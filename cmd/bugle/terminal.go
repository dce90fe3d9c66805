package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/atotto/clipboard"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/argv"
	"bugle/cmd/bugle/internal/background"
	"bugle/cmd/bugle/internal/frames"
	"bugle/cmd/bugle/internal/heap"
	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/service/activity"
	"bugle/engine/service/activity/wire"
	"bugle/engine/service/offline"
	"bugle/ui/app"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/welcome"
	"bugle/ui/widget"
)

// terminalOptions are the options of the terminal program.
type terminalOptions struct {
	query string // of the first list of campaigns
	theme string // overrides the environment and the one chosen last
}

// runTerminal opens the terminal program.
func runTerminal(ctx context.Context, f *factory, o terminalOptions) error {
	in, out, _ := f.terminal()
	log := &activity.Log{}
	open, err := newOpening(ctx, f, log)
	if err != nil {
		return err
	}
	if open.far != nil {
		defer open.far.Close()
	}
	guess, known := background.FromEnvironment(f.getenv)
	if !known {
		guess = app.Dark(open.deps.Prefs)
	}
	own := newPersonal(&f.environment, guess)
	theme, news, err := own.themes.first(o.theme, f.getenv(envTheme), open.deps.Prefs)
	if err != nil {
		return err
	}
	open.deps.Theme = theme
	model, err := app.New(app.Options{
		Deps: open.deps, Factory: screens(open.start, log, settingsSources(&f.environment, own.themes)), First: screen.Route{Name: open.first, Query: o.query},
		Places: places(), Themes: own.themes.get, ThemeNames: own.themes.Names, Keys: own.keys, News: append(append(news, own.news...), f.notices.take()...), Suspend: canSuspend(),
		Editor: func(file string) ([]string, error) { return editor(f.getenv, file) }, Input: in, Output: out,
		Clipboard: func(text string) error { return copyText(out, text) },
	})
	if err != nil {
		return err
	}
	drawn := frames.New(out)
	defer drawn.Close()
	var program *tea.Program
	var input io.Reader = in
	var first []tea.Cmd
	if !known && background.Askable(f.getenv) {
		input = background.NewInput(in, func(dark bool) {
			if dark != guess {
				own.themes.on(dark)
				program.Send(app.BackgroundMsg{Dark: dark})
			}
		})
		first = append(first, func() tea.Msg {
			_, _ = io.WriteString(drawn, background.Query) // a terminal that does not know it ignores it
			return nil
		})
	}
	if width, height, err := term.GetSize(int(out.Fd())); err == nil {
		drawn.Size(width, height)
		model.Update(tea.WindowSizeMsg{Width: width, Height: height})
	}
	program = tea.NewProgram(drawn.Show(model, first...), tea.WithoutSignalHandler(), tea.WithInput(input), tea.WithOutput(drawn),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithFPS(frames.FPS))
	watching, stop := context.WithCancel(ctx)
	watched := open.watch(watching, &f.notices, program.Send)
	over := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { heap.Sparing(watching) })
	beside.Go(func() { endWith(ctx, program, over) })
	_, err = program.Run()
	close(over)
	stop()
	watched()
	beside.Wait()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("bugle crashed; your changes are saved, so start it again, and report the text above")
	case err != nil && !errors.Is(err, tea.ErrProgramKilled):
		return fmt.Errorf("the terminal program failed: %w", err)
	}
	return nil
}

// endLimit is how long the program can take to save when it is told to end.
const endLimit = 5 * time.Second

// endWith ends the program when ctx ends, without questions and after saving. It returns when the program has ended.
func endWith(ctx context.Context, program *tea.Program, over <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-over:
		return
	}
	program.Send(app.EndMsg{})
	select {
	case <-over:
	case <-time.After(endLimit):
		program.Kill()
	}
}

// watch sends the program what happens to its data until ctx ends. The function that it returns waits for that.
func (o opening) watch(ctx context.Context, n *notices, send func(tea.Msg)) (wait func()) {
	switch {
	case o.node != nil:
		return watchNode(ctx, o.node, n, send)
	case o.far != nil:
		return watchLink(ctx, o.far, send)
	}
	return func() {}
}

// watchNode sends the program the changes of other processes, the owner of the store, and its problems.
func watchNode(ctx context.Context, node *attach.Node, n *notices, send func(tea.Msg)) (wait func()) {
	var all sync.WaitGroup
	all.Go(func() {
		for c := range node.Changes(ctx) {
			if !c.Own && (c.Kind == attach.Campaigns || c == attach.Change{}) {
				send(screen.ChangedMsg{ID: c.ID})
			}
		}
	})
	all.Go(func() {
		for s := range node.States(ctx) {
			if text := s.String(); text != "" {
				send(screen.NotifyMsg{Level: widget.LevelInfo, Text: text})
			}
		}
	})
	all.Go(func() {
		n.follow(ctx, func(text string) { send(screen.NotifyMsg{Level: widget.LevelWarning, Text: text}) })
	})
	return all.Wait
}

// watchLink sends the program whether the service is online. When it is back, the screens reload.
func watchLink(ctx context.Context, far *offline.Service, send func(tea.Msg)) (wait func()) {
	var one sync.WaitGroup
	one.Go(func() {
		away := false
		for l := range far.Links(ctx) {
			send(screen.LinkMsg{Link: l})
			if back := away && l.Offline.IsZero(); back {
				send(screen.NotifyMsg{Level: widget.LevelSuccess, Text: "The service is back online."})
				send(screen.ChangedMsg{})
			}
			away = !l.Offline.IsZero()
		}
	})
	return one.Wait
}

// opening is what the terminal program starts with.
type opening struct {
	deps  screen.Deps
	first string           // the route of the first screen
	start welcome.Start    // makes the first workspace
	node  *attach.Node     // of a local store
	far   *offline.Service // of a remote; to be closed
}

// newOpening opens what the screens work on: the service of a remote, or a workspace of the store. log records their
// calls.
func newOpening(ctx context.Context, f *factory, log *activity.Log) (opening, error) {
	o := opening{first: screen.Campaigns, deps: screen.Deps{Now: time.Now, Location: time.Local, DataDir: f.dataDir(), Prefs: prefs.In(filepath.Join(f.stateDir(), "prefs"))}}
	p, far, err := f.remote()
	if err != nil {
		return o, err
	}
	if far {
		if o.far, err = f.remembering(p, wire.Observer(log)); err == nil {
			o.deps = remoteDeps(f, o.deps, p, o.far)
		}
		return o, err
	}
	if o.node, err = f.open(ctx); err != nil {
		return o, err
	}
	id, err := f.workspaceID(ctx, o.node)
	switch {
	case errors.Is(err, errNoWorkspace):
		o.first = screen.Welcome
	case err != nil:
		return o, err
	default:
		if o.deps, err = enterWorkspace(ctx, f, o.deps, id, log); err != nil {
			return o, err
		}
	}
	base := o.deps
	o.start = func(ctx context.Context, sample bool) (screen.Deps, error) {
		id, _, err := createWorkspace(ctx, f, newWorkspace{sample: sample})
		if err != nil {
			return screen.Deps{}, err
		}
		return enterWorkspace(ctx, f, base, id, log)
	}
	return o, nil
}

// enterWorkspace returns what the screens need in a workspace.
func enterWorkspace(ctx context.Context, f *factory, deps screen.Deps, id string, log *activity.Log) (screen.Deps, error) {
	node, err := f.open(ctx)
	if err != nil {
		return deps, err
	}
	svc := node.Service(id)
	ws, err := svc.Workspace(ctx)
	if e := engine.AsError(err); e != nil && e.Code == engine.Internal {
		ws, err = engine.Workspace{ID: id}, nil // its settings are damaged, as a notice says; campaigns can be read
	}
	if err != nil {
		return deps, err
	}
	deps.Service, deps.Workspace, deps.Author = activity.Wrap(svc, log), ws.ID, f.author(ws.Author)
	if loc, err := time.LoadLocation(ws.Timezone); err == nil && ws.Timezone != "" {
		deps.Location = loc
	}
	return deps, nil
}

// editor returns the command that opens a file: VISUAL, EDITOR, or the first one found.
func editor(getenv func(string) string, file string) ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		words, err := argv.Split(getenv(name))
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		if len(words) > 0 {
			return append(words, file), nil
		}
	}
	for _, name := range []string{"sensible-editor", "nano", "vi"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path, file}, nil
		}
	}
	return nil, errors.New("no editor found; set EDITOR")
}

// copyText copies text to the clipboard with the system's tool, or else with the terminal (OSC 52), which also works
// over ssh.
func copyText(out io.Writer, text string) error {
	if !clipboard.Unsupported {
		if err := clipboard.WriteAll(text); err == nil {
			return nil
		}
	}
	_, err := io.WriteString(out, ansi.SetSystemClipboard(text))
	return err
}
