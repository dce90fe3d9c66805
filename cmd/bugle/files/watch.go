package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
)

// NewWatch returns the command bugle watch.
func NewWatch(f *cli.Factory) *cobra.Command {
	var by string
	var open bool
	cmd := &cobra.Command{
		Use:   "watch DIR",
		Short: "Apply campaign files whenever they are saved",
		Long: "Waits for changes of the campaign files in a folder, such as one that `bugle export --folders` wrote, and applies\n" +
			"each file to its draft when it is saved. Problems and warnings are printed with file, line and column; invalid\n" +
			"files are not applied. Campaigns that are not drafts are left to `bugle apply`. A component that somebody else\n" +
			"changed meanwhile is not overwritten. ctrl+c ends.\n\n" +
			"With --open, a page in the browser shows the message that was saved last, and follows every change.",
		Example:           "  bugle export --all --dir campaigns --folders && bugle watch campaigns --open\n  bugle watch campaigns --json",
		Args:              cli.Exactly(1, "a folder with campaign files"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := watcher{f: f, dir: filepath.Clean(args[0]), by: by, agreed: map[string]agreed{}, updated: map[string]*step{}, seen: map[campaignfile.File]string{}}
			if open {
				w.page = &page{}
			}
			return w.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "show the message in the browser, on a page that follows what is saved")
	cli.AddBy(cmd, &by)
	return cmd
}

// quiet is how long nothing must happen before what was saved is read: an editor writes, renames and touches a file in
// several steps.
const quiet = 100 * time.Millisecond

// watcher applies the campaign files of a folder when they are saved.
type watcher struct {
	f       *cli.Factory
	dir, by string
	svc     engine.Service
	kept    engine.DismissalStore
	notify  *fsnotify.Watcher
	page    *page // nil without --open

	// agreed is what a file had when it was applied last, or else what the workspace had at the start. What differs from it in
	// the file was changed there.
	agreed map[string]agreed
	// updated is what was applied since the command began, by campaign. A file gets the new revision when the command ends,
	// because editors do not expect others to write what they have open.
	updated map[string]*step
	seen    map[campaignfile.File]string // what a file, with those that it refers to, had when it was handled last
}

// watchedLine is a line of the output of --json.
type watchedLine struct {
	Time     time.Time           `json:"time"`
	Event    string              `json:"event"` // watching, updated, unchanged, new, skipped, conflict, invalid, refused or unreadable
	File     string              `json:"file,omitempty"`
	ID       string              `json:"id,omitempty"`
	Name     string              `json:"name,omitempty"`
	Files    int                 `json:"files,omitempty"`
	Changes  []doc.Change        `json:"changes,omitempty"`
	Problems []report.Diagnostic `json:"problems,omitempty"`
	Warnings []report.Diagnostic `json:"warnings,omitempty"`
	Page     string              `json:"page,omitempty"` // the address of the page in the browser
	Message  string              `json:"message,omitempty"`
}

// say prints a line of --json, or else the texts.
func (w *watcher) say(l watchedLine, texts ...string) error {
	if !w.f.JSON {
		for _, text := range texts {
			fmt.Fprintln(w.f.Out, cli.Line(text))
		}
		return nil
	}
	l.Time = time.Now().UTC().Truncate(time.Millisecond)
	return w.f.PrintJSONLine(l)
}

func (w *watcher) run(ctx context.Context) error {
	info, err := os.Stat(w.dir)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", w.dir, cli.Cause(err))
	case !info.IsDir():
		return cli.Misused("%s is not a folder; watch takes one with campaign files", w.dir)
	}
	if w.svc, err = w.f.Campaigns(ctx); err != nil {
		return err
	}
	if w.kept, err = w.f.Dismissals(w.svc); err != nil {
		return err
	}
	if w.notify, err = fsnotify.NewWatcher(); err != nil {
		return fmt.Errorf("cannot watch files: %w", err)
	}
	defer func() { _ = w.notify.Close() }()
	if err := w.addFolders(w.dir); err != nil {
		return err
	}
	if w.page != nil {
		if err := w.page.start(ctx, w.svc); err != nil {
			return err
		}
		defer w.page.close()
	}
	if err := w.start(ctx); err != nil {
		return quietly(ctx, err)
	}
	err = quietly(ctx, w.loop(ctx))
	const limit = 10 * time.Second
	ended, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for _, s := range w.updated {
		s.held.NoteRevision(ended, w.f.Streams, w.svc, s.updated)
	}
	return err
}

// quietly returns nil for an error of a context that has ended: ctrl+c is how this command ends.
func quietly(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// addFolders watches a folder and those below it, without hidden ones.
func (w *watcher) addFolders(dir string) error {
	under, err := filepath.Rel(w.dir, dir)
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", dir, err)
	}
	return files.Walk(w.dir, under, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return fmt.Errorf("cannot read %s: %w", path, cli.Cause(err))
		case err != nil || !d.IsDir():
			return nil
		}
		if err := w.notify.Add(path); err != nil {
			return cli.WithRemedy(fmt.Errorf("cannot watch %s: %w", path, err), "Watch a smaller folder, or raise the limit of watched files of your system.")
		}
		return nil
	})
}

// start compares the files with the workspace. What differs already is only reported: nobody saved it just now.
func (w *watcher) start(ctx context.Context) error {
	found := campaignfile.Under(w.dir, w.dir)
	p, err := w.planner(ctx)
	if err != nil {
		return err
	}
	var differ []string
	for _, file := range found {
		h := campaignfile.Read(ctx, w.f.Streams, file)
		p.add(ctx, h)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for _, s := range p.steps {
		switch {
		case s.Action == actionConflict:
			differ = append(differ, s.File+": "+s.Error.Message)
		case s.before.ID != "":
			w.agreed[s.before.ID] = agreed{body: s.before.Body, revision: s.held.Revision}
			if s.Action != actionUnchanged {
				differ = append(differ, s.File+": differs from the campaign; save it to apply it, or run `bugle apply`")
			}
		case s.Action == actionCreate:
			differ = append(differ, s.File+": no campaign yet; create it with `bugle apply`")
		case s.err != nil:
			differ = append(differ, s.File+": "+s.Error.Message)
		}
	}
	texts := append([]string{fmt.Sprintf("Watching %s with %s. ctrl+c ends.", w.dir, phrase.Count(len(found), "campaign file"))}, differ...)
	l := watchedLine{Event: "watching", File: w.dir, Files: len(found), Message: strings.Join(differ, "\n")}
	if w.page != nil {
		if len(p.steps) > 0 {
			w.page.show(p.steps[0].before, nil)
		}
		l.Page = w.page.server.URL()
		texts = append(texts, w.page.open(ctx))
	}
	return w.say(l, texts...)
}

// planner returns a planner for the campaigns that there are now.
func (w *watcher) planner(ctx context.Context) (*planner, error) {
	p, err := newPlanner(ctx, w.f, w.svc, w.by, false)
	if err != nil {
		return nil, err
	}
	p.agreed = w.agreed
	return p, p.list(ctx)
}

// loop waits for events, and handles files once nothing has happened for a while.
func (w *watcher) loop(ctx context.Context) error {
	pending := map[campaignfile.File]bool{}
	due := time.NewTimer(time.Hour)
	due.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-w.notify.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) { // events were lost: look at everything
				for _, file := range campaignfile.Under(w.dir, w.dir) {
					pending[file] = true
				}
				due.Reset(quiet)
				continue
			}
			return fmt.Errorf("cannot watch files: %w", err)
		case e := <-w.notify.Events:
			for _, file := range w.affected(e) {
				pending[file] = true
				due.Reset(quiet)
			}
		case <-due.C:
			due := slices.SortedFunc(maps.Keys(pending), func(a, b campaignfile.File) int { return strings.Compare(a.Name, b.Name) })
			clear(pending)
			for _, file := range due {
				if err := w.handle(ctx, file); err != nil {
					return err
				}
			}
		}
	}
}

// affected returns the campaign files that an event is about.
func (w *watcher) affected(e fsnotify.Event) []campaignfile.File {
	name := filepath.Base(e.Name)
	if e.Op == fsnotify.Chmod || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") {
		return nil
	}
	if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
		if !e.Has(fsnotify.Create) || w.addFolders(e.Name) != nil {
			return nil
		}
		return campaignfile.Under(w.dir, e.Name)
	}
	if campaignfile.IsCampaignFile(e.Name) {
		return []campaignfile.File{campaignfile.Found(w.dir, e.Name)}
	}
	for dir := filepath.Dir(e.Name); ; dir = filepath.Dir(dir) {
		if main, ok := campaignfile.Found(w.dir, dir).Main(); ok {
			return []campaignfile.File{main}
		}
		if dir == w.dir || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// isNew reports whether a file has another content, or another error, than when it was handled last.
func (w *watcher) isNew(file campaignfile.File, h campaignfile.Held) bool {
	now := fmt.Sprintf("%q %s %s %v", h.Revision, h.Source.Files(), h.Body.Encode(), h.Err)
	was := w.seen[file]
	w.seen[file] = now
	return was != now
}

// handle applies a file, unless it was handled like this already or is gone.
func (w *watcher) handle(ctx context.Context, file campaignfile.File) error {
	if !cli.Exists(file.Name) {
		delete(w.seen, file)
		return nil
	}
	h := campaignfile.Read(ctx, w.f.Streams, file)
	if !w.isNew(file, h) {
		return nil
	}
	return w.apply(ctx, h)
}

// apply applies the campaign of a file.
func (w *watcher) apply(ctx context.Context, h campaignfile.Held) error {
	p, err := w.planner(ctx)
	if err != nil {
		return err
	}
	p.add(ctx, h)
	s := p.steps[0]
	l := watchedLine{Event: s.Action, File: s.File, ID: s.ID, Name: s.Name, Changes: s.Changes}
	if s.err == nil && s.Action == actionUpdate {
		l.Event, l.Message = w.update(ctx, p, s)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case l.Message != "":
		return w.say(l, s.File+": "+l.Event+": "+l.Message)
	case s.err != nil:
		l.Problems, l.Message = s.Problems, s.Error.Message
		var texts []string
		for _, d := range s.Problems {
			texts = append(texts, d.String())
		}
		return w.say(l, append(texts, s.File+": not applied")...)
	case s.Action == actionCreate:
		l.Event, l.Message = "new", "create it with `bugle apply`"
		return w.say(l, s.File+": no campaign yet; create it with `bugle apply`")
	case s.Action == actionUnchanged:
		return w.say(l)
	}
	now, err := w.svc.Get(ctx, s.ID)
	if err != nil {
		return err
	}
	w.agreed[s.ID], w.updated[s.ID] = agreed{body: s.mine, revision: h.Revision}, s
	if w.page != nil {
		w.page.show(now, s.Changes)
	}
	l.ID, l.Warnings = s.ID, w.warnings(ctx, now, h)
	texts := []string{s.describe(s.Result)}
	for _, line := range changeLines(s.Changes) {
		texts = append(texts, "    "+line)
	}
	for _, d := range l.Warnings {
		texts = append(texts, d.String())
	}
	return w.say(l, texts...)
}

// update carries out the update of a draft. It returns what happened to it, and why if it was not carried out.
func (w *watcher) update(ctx context.Context, p *planner, s *step) (event, why string) {
	if s.before.Status != catalog.Draft {
		return "skipped", "the campaign is " + s.before.Status.Label() + "; apply it with `bugle apply`"
	}
	if err := p.step(ctx, s); err != nil {
		return actionRefused, cli.FailureOf(err).Text()
	}
	return s.Result, ""
}

// warnings returns what is likely wrong with a campaign, at its places in the file.
func (w *watcher) warnings(ctx context.Context, c engine.Campaign, h campaignfile.Held) (list []report.Diagnostic) {
	_, out, _ := check.LoadAndRun(ctx, w.svc, w.kept, c, time.Now()) // it is applied; `bugle check` will say why it fails
	return report.All(nil, out.Findings, h.Body, h.Source)
}
