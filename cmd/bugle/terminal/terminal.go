// Package terminal runs the terminal program on a store or a remote, with the user's keys, themes, and preferences.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atotto/clipboard"
	"github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/background"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/frames"
	"bugle/engine"
	"bugle/engine/edit"
	"bugle/engine/service/activity"
	"bugle/engine/service/activity/wire"
	"bugle/engine/service/offline"
	"bugle/store"
	"bugle/store/socket"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/welcome"
	"bugle/ui/widget"
)

// Options are the options of the terminal program.
type Options struct {
	Query string // query of the first list of campaigns
	Theme string // overrides the environment and the saved choice
}

// CheckTheme returns an error if the theme that the user asks for does not exist.
func CheckTheme(f *cli.Factory, o Options) error {
	env := f.Getenv(cli.EnvTheme)
	if o.Theme == "" && env == "" {
		return nil
	}
	shelf := themes.NewShelf(f.ThemesDir(), false)
	shelf.Reload() // a broken theme file is reported by the terminal program
	_, _, err := firstTheme(shelf, o.Theme, env, nil)
	return err
}

// Run opens the terminal program.
func Run(ctx context.Context, f *cli.Factory, o Options) error {
	in, out, _ := f.Terminal()
	log := &activity.Log{}
	open, err := Open(ctx, f, log)
	if err != nil {
		return err
	}
	if open.far != nil {
		defer open.far.Close()
	}
	guess := app.Dark(open.Deps.Prefs)
	own := newPersonal(&f.Environment, guess)
	theme, news, err := firstTheme(own.themes, o.Theme, f.Getenv(cli.EnvTheme), open.Deps.Prefs)
	if err != nil {
		return err
	}
	open.Deps.Theme = theme
	options := open.options(ctx, f, o, own, news, log, builder.WithCheckDelay(checkDelay))
	options.Suspend, options.Input, options.Output = canSuspend(), in, out
	options.Clipboard = clipboards{getenv: f.Getenv, system: clipboard.WriteAll, tmux: copyInTmux, out: out}.copy
	model, err := app.New(options)
	if err != nil {
		return err
	}
	drawn := frames.New(out)
	var program *tea.Program
	var input io.Reader = in
	var first []tea.Cmd
	if runtime.GOOS != "windows" { // where no terminal answers
		input = background.NewInput(in, func(dark bool) {
			if dark != guess {
				own.themes.SetDark(dark)
				program.Send(app.BackgroundMsg{Dark: dark})
			}
		})
		first = append(first, func() tea.Msg {
			_, _ = io.WriteString(drawn, background.Query) // terminals that do not support it ignore it
			return nil
		})
	}
	if width, height, err := term.GetSize(int(out.Fd())); err == nil {
		drawn.Size(width, height)
		model.Update(tea.WindowSizeMsg{Width: width, Height: height})
	}
	program = tea.NewProgram(drawn.Show(model, first...), tea.WithoutSignalHandler(), tea.WithInput(input), tea.WithOutput(drawn),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithFPS(frames.FPS))
	err = open.run(ctx, f, program)
	unsaved := open.Deps.Prefs.Flush() // what was changed just before the end
	if !errors.Is(err, errStuck) {
		err = errors.Join(err, drawn.Close())
		if unsaved != nil {
			fmt.Fprintln(f.Err, "Your last settings are not saved:", unsaved)
		}
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("bugle crashed; your changes are saved, so start it again, and report the text above")
	case errors.Is(err, errUnsaved):
		return err
	case err != nil && !errors.Is(err, errStuck) && !errors.Is(err, tea.ErrProgramKilled):
		return fmt.Errorf("the terminal program failed: %w", err)
	}
	return nil
}

// options returns the options of the root model: the data, the screens, and what the user has set.
func (o opening) options(ctx context.Context, f *cli.Factory, asked Options, own personal, news []string, log *activity.Log, builders ...builder.Option) app.Options {
	return app.Options{
		Deps: o.Deps, Factory: Screens(o.start, log, settingsSources(&f.Environment, own.themes), builders...), First: screen.Route{Name: o.First, Query: asked.Query},
		PaletteItems: Places(), Themes: own.themes.Get, ThemeNames: own.themes.Names, Keys: own.keys, Commands: own.commands,
		StartupWarnings: slices.Concat(news, own.news, f.Notices.Take()), Context: ctx, Editor: func(file string) ([]string, error) { return cli.EditorCommand(f.Getenv, file) },
	}
}

// How long the program may take, after it was told to end, to save, and then to restore the terminal.
const (
	saveLimit    = 5 * time.Second
	restoreLimit = 500 * time.Millisecond
)

var (
	errStuck   = errors.New("the terminal takes no output")
	errUnsaved = fmt.Errorf("the last changes could not be saved within %s", saveLimit)
)

// run runs the program. When ctx ends, it ends the program, after saving and without questions. It does not wait for a
// terminal that takes no output, such as one that is suspended or lost its connection: it returns errStuck.
func run(ctx context.Context, program *tea.Program) error {
	ran := make(chan error, 1)
	go func() { _, err := program.Run(); ran <- err }()
	select {
	case err := <-ran:
		return err
	case <-ctx.Done():
	}
	saved := make(chan struct{})
	go program.Send(app.EndMsg{Saved: saved}) // returns when the program has ended, at the latest
	var unsaved error
	select {
	case err := <-ran:
		return err
	case <-saved:
	case <-time.After(saveLimit):
		unsaved = errUnsaved
		program.Kill()
	}
	select {
	case err := <-ran:
		return errors.Join(unsaved, err)
	case <-time.After(restoreLimit):
		program.Kill()
		return errors.Join(unsaved, errStuck)
	}
}

// run runs the program, and sends it the changes of data meanwhile.
func (o opening) run(ctx context.Context, f *cli.Factory, program *tea.Program) error {
	watching, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	if o.store != nil {
		all.Go(func() { WatchStore(watching, o.store, &f.Notices, program.Send) })
	}
	if o.far != nil {
		all.Go(func() { watchLink(o.far.Connections(watching), "service is back online", program.Send) })
	} else if away := f.Away(); away != nil {
		all.Go(func() { watchLink(outages(watching, away), "database is back", program.Send) })
	}
	err := run(ctx, program)
	stop()
	all.Wait()
	return err
}

// WatchStore sends the program the changes of other processes, changes of the store's owner, and problems of the store, until
// ctx ends.
func WatchStore(ctx context.Context, s *cli.Store, n *cli.Notices, send func(tea.Msg)) {
	var all sync.WaitGroup
	all.Go(func() {
		s.Follow(ctx, func(changes []store.Change) {
			for _, c := range changes {
				if c.Kind == store.ChangedCampaign || c == (store.Change{}) {
					send(screen.ChangedMsg{ID: c.ID})
				}
			}
		})
	})
	if folder := s.Folder(); folder != nil {
		all.Go(func() {
			folder.FollowState(ctx, func(state socket.State) {
				if text := state.String(); text != "" {
					send(screen.NotifyMsg{Level: widget.LevelInfo, Text: text})
				}
			})
		})
	}
	all.Go(func() {
		n.Follow(ctx, func(text string) { send(screen.NotifyMsg{Level: widget.LevelWarning, Text: text}) })
	})
	all.Wait()
}

// watchLink tells the program whether the service or the database can be reached, and reloads the screens when it is back.
func watchLink(links iter.Seq[engine.Connection], back string, send func(tea.Msg)) {
	away := false
	for l := range links {
		send(screen.LinkMsg{Link: l})
		if away && l.OfflineSince.IsZero() {
			send(screen.NotifyMsg{Level: widget.LevelSuccess, Text: "The " + back + "."})
			send(screen.ChangedMsg{})
		}
		away = !l.OfflineSince.IsZero()
	}
}

// pollInterval is how often to check whether the database is unreachable.
const pollInterval = 250 * time.Millisecond

// outages returns when the database cannot be reached, and when it is back, until ctx ends.
func outages(ctx context.Context, away func() (time.Time, string)) iter.Seq[engine.Connection] {
	return func(yield func(engine.Connection) bool) {
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for told := (time.Time{}); ctx.Err() == nil; {
			if since, why := away(); !since.Equal(told) {
				told = since
				if !yield(engine.Connection{OfflineSince: since, Reason: why}) {
					return
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}
}

// opening is the state in which the terminal program starts.
type opening struct {
	Deps  screen.Deps
	First string           // route of the first screen
	start welcome.Start    // creates the first workspace
	store *cli.Store       // of a local workspace
	far   *offline.Service // of a remote; must be closed
}

// Open opens the data for the screens: the service of a remote, or a workspace of the store. log records the calls.
func Open(ctx context.Context, f *cli.Factory, log *activity.Log) (opening, error) {
	o := opening{First: screen.Campaigns, Deps: screen.Deps{Now: time.Now, Location: time.Local, DataDir: f.Place(), History: &edit.History{}, Prefs: prefs.New(filepath.Join(f.StateDir(), "prefs"))}}
	p, far, err := f.Remote()
	if err != nil {
		return o, err
	}
	if far {
		if o.far, err = f.Remembering(p, wire.Observer(log)); err != nil {
			return o, err
		}
		files := f.FilesOf(p) // edits are there until they are applied, and so are dismissed warnings
		o.Deps.Service, o.Deps.LocalCopies, o.Deps.LocalDismissals = o.far, files, files
		o.Deps.Workspace, o.Deps.Author = p.Workspace+" @ "+p.Name, f.Author(p.Author)
		return o, nil
	}
	if o.store, err = f.Open(ctx); err != nil {
		return o, err
	}
	id, err := f.WorkspaceID(ctx, o.store)
	switch {
	case errors.Is(err, cli.ErrNoWorkspace):
		o.First = screen.Welcome
	case err != nil:
		return o, err
	default:
		if o.Deps, err = enterWorkspace(ctx, f, o.store, o.Deps, id, log); err != nil {
			return o, err
		}
	}
	base := o.Deps
	o.start = func(ctx context.Context, sample bool) (screen.Deps, error) {
		id, _, err := cli.CreateWorkspace(ctx, f, cli.NewWorkspace{Sample: sample})
		if err != nil {
			return screen.Deps{}, err
		}
		return enterWorkspace(ctx, f, o.store, base, id, log)
	}
	return o, nil
}

// enterWorkspace returns the dependencies of the screens in a workspace.
func enterWorkspace(ctx context.Context, f *cli.Factory, s *cli.Store, deps screen.Deps, id string, log *activity.Log) (screen.Deps, error) {
	svc, err := s.Service(ctx, id)
	if err != nil {
		return deps, err
	}
	ws, err := svc.Workspace(ctx)
	if e := engine.AsError(err); e != nil && e.Code == engine.Internal {
		ws, err = engine.Workspace{ID: id}, nil // its settings are damaged, which a notice reports; campaigns can be read
	}
	if err != nil {
		return deps, err
	}
	deps.Service, deps.Workspace, deps.Author = activity.Wrap(svc, log), ws.ID, f.Author(ws.Author)
	if _, ok := f.Database(); ok {
		deps.FallbackCopies = edit.NewFileStore(filepath.Join(f.StateDir(), "edits", cli.Folder(f.Place()), cli.Folder(id)))
	}
	if loc, err := time.LoadLocation(ws.Timezone); err == nil && ws.Timezone != "" {
		deps.Location = loc
	}
	return deps, nil
}

// clipboards copy text: with the system's tool, or with the terminal (OSC 52). Over SSH the terminal is the one that
// the person sits at, and a tool would copy on the other machine.
type clipboards struct {
	getenv func(string) string
	system func(text string) error
	tmux   func(text string) error // hands a text to tmux, which ignores OSC 52 of programs by default
	out    io.Writer
}

func (c clipboards) copy(text string) error {
	far := c.getenv("SSH_CONNECTION") != "" || c.getenv("SSH_TTY") != ""
	if !far && c.system(text) == nil {
		return nil
	}
	if c.getenv("TMUX") != "" && c.tmux(text) == nil {
		return nil
	}
	_, err := io.WriteString(c.out, ansi.SetSystemClipboard(text))
	return err
}

// copyInTmux has tmux copy a text, and set the clipboard of the terminals that are attached.
func copyInTmux(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}
