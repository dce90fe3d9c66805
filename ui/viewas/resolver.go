package viewas

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/ui/prefs"
	"bugle/ui/preview"
	"bugle/ui/screen"
)

// Resolver resolves the messages of one campaign for the chosen person, beside typing: the newest request cancels the
// one before, whose result is not taken. Its methods are called from the goroutine of the screen.
type Resolver struct {
	cfg    Config
	choice Choice
	chosen bool            // the user has chosen, so that what is remembered no longer counts
	viewer *resolve.Viewer // of choice; nil until it was found

	prepared *resolve.Campaign // the newest; nil until one was prepared
	source   Source            // of the newest request
	at       doc.Path          // the place of the newest request
	busy     bool
	result   *resolve.Result // of the newest request that ended
	shown    Choice          // whose result is
	err      error           // why there is none
	named    int             // which of the missing values the caption names
}

// NewResolver returns a resolver that shows messages as written, until a choice is read or made.
func NewResolver(cfg Config) *Resolver { return &Resolver{cfg: cfg} }

// Init reads the choice that is remembered for the campaign.
func (r *Resolver) Init() tea.Cmd {
	kept, id := r.cfg.choices(), r.cfg.Campaign
	read := func(context.Context) (Choice, error) { return prefs.Read[Choice](kept, id) }
	return screen.Go(r.cfg.Tasks, taskRemembered, read, func(c Choice, err error) tea.Cmd {
		if err != nil || r.chosen {
			return nil
		}
		r.choice = c
		return r.start(false, false)
	})
}

// Choice returns whose data fills the messages.
func (r *Resolver) Choice() Choice { return r.choice }

// Viewer returns the person that was found for the choice; false until it was.
func (r *Resolver) Viewer() (resolve.Viewer, bool) {
	if r.viewer == nil {
		return resolve.Viewer{}, false
	}
	return *r.viewer, true
}

// Result returns the resolved messages; nil where they are shown as written, or were not resolved yet.
func (r *Resolver) Result() *resolve.Result { return r.result }

// Choose changes whose data fills the messages, and remembers it for the campaign. The user is that of the choice, if
// it is known. Content APIs are called.
func (r *Resolver) Choose(c Choice, u *engine.User) tea.Cmd {
	same := c.Person == r.choice.Person
	r.choice, r.chosen, r.named = c, true, 0
	if u != nil {
		v := resolve.ViewerOf(*u)
		r.viewer = &v
	} else if !same {
		r.viewer = nil
	}
	remember := screen.Remember(r.cfg.choices(), r.cfg.Campaign, "this choice", func(Choice) Choice { return c })
	return tea.Batch(remember, r.start(true, false))
}

// Resolve resolves an edited document for the place that is shown. It calls no content API, and does nothing where the
// messages at that place were resolved already.
func (r *Resolver) Resolve(src Source, at doc.Path) tea.Cmd {
	same := r.source.Document.Exists() && src.Document.Same(r.source.Document)
	if same && r.covers(at) {
		return nil
	}
	r.source, r.at = src, at
	return r.start(false, false)
}

// Refresh resolves again with everything read anew. Content APIs are called.
func (r *Resolver) Refresh() tea.Cmd {
	r.viewer = nil
	return r.start(true, true)
}

// Reset forgets what was read, because it may have changed.
func (r *Resolver) Reset() { r.prepared, r.viewer, r.source = nil, nil, Source{} }

// covers reports whether the newest request was for the messages at a place too.
func (r *Resolver) covers(at doc.Path) bool {
	if r.prepared == nil {
		return at.Equal(r.at)
	}
	return slices.Equal(keyNames(keysAt(r.prepared, at)), keyNames(keysAt(r.prepared, r.at)))
}

func keyNames(keys []engine.TestKey) (out []string) {
	for _, k := range keys {
		out = append(out, k.String())
	}
	return out
}

// keysAt returns the keys of the messages that are shown for a place: those of its locale and variation on each
// platform, or of the first that has content.
func keysAt(c *resolve.Campaign, at doc.Path) []engine.TestKey {
	all := c.Written()
	i := max(slices.IndexFunc(all, func(k engine.TestKey) bool { return at.HasPrefix(k.Content) }), 0)
	if len(all) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(k engine.TestKey) bool {
		return k.Locale != all[i].Locale || k.Variation != all[i].Variation
	})
}

// resolved is the result of a request.
type resolved struct {
	prepared *resolve.Campaign
	viewer   resolve.Viewer
	result   *resolve.Result
}

// start resolves the newest document.
func (r *Resolver) start(callAPIs, anew bool) tea.Cmd {
	r.busy = false
	if r.choice.AsWritten() || !r.source.Document.Exists() {
		r.result, r.err = nil, nil
		r.cfg.Tasks.Drop(taskResolve)
		return nil
	}
	r.busy = true
	j := job{service: r.cfg.Service, source: r.source, at: r.at, choice: r.choice, viewer: r.viewer, prepared: r.prepared, callAPIs: callAPIs, anew: anew}
	return screen.Go(r.cfg.Tasks, taskResolve, j.run, func(out resolved, err error) tea.Cmd {
		r.busy, r.result, r.shown, r.err = false, out.result, j.choice, err
		if out.prepared != nil {
			r.prepared = out.prepared
		}
		if err == nil {
			r.viewer = &out.viewer
		}
		return nil
	})
}

// job is one request. It shares nothing with the resolver that changes.
type job struct {
	service        engine.Service
	source         Source
	at             doc.Path
	choice         Choice
	viewer         *resolve.Viewer
	prepared       *resolve.Campaign
	callAPIs, anew bool
}

func (j job) run(ctx context.Context) (out resolved, err error) {
	if out.prepared, err = prepare(ctx, j.service, j.prepared, j.source); err != nil {
		return out, err
	}
	if j.anew {
		if out.prepared, err = out.prepared.Refresh(ctx, j.source.Workspace); err != nil {
			return out, err
		}
	}
	if j.viewer != nil {
		out.viewer = *j.viewer
	} else if out.viewer, err = resolve.Find(ctx, j.service, j.choice.Person); err != nil {
		return out, err
	}
	c := out.prepared
	if !j.callAPIs {
		c = c.Deferred()
	}
	keys := keysAt(c, j.at)
	if len(keys) == 0 {
		keys = []engine.TestKey{} // not all of them
	}
	out.result, err = c.Resolve(ctx, out.viewer, keys...)
	return out, err
}

// prepare returns the campaign for a source, from an earlier one if there is one.
func prepare(ctx context.Context, service engine.Service, before *resolve.Campaign, src Source) (*resolve.Campaign, error) {
	if before == nil {
		return resolve.Prepare(ctx, service, src.Workspace, src.Channel, src.Document)
	}
	return before.With(ctx, src.Document)
}

// Caption returns what stands above a message.
func (r *Resolver) Caption(key engine.TestKey) preview.Caption {
	if r.choice.AsWritten() {
		return preview.Caption{}
	}
	c := preview.Caption{Name: r.choice.Label(), At: r.named, Busy: r.busy}
	if _, locales, _ := engine.KeyChoices(r.source.Channel, r.source.Document); len(locales) > 1 {
		c.Locale = grid.LocaleName(key.Locale)
	}
	if r.result != nil && r.shown.Person != r.choice.Person { // what is drawn keeps its name until the other is there
		c.Name, c.Next = r.shown.Label(), r.choice.Label()
	}
	switch {
	case r.err != nil:
		c.Note = phrase.Capitalize(r.err.Error())
	case r.result == nil:
	case r.result.Answer.UnknownUser:
		c.Note = "The service does not know this user."
	default:
		c.Missing = r.result.MissingIn(key)
	}
	return c
}

// NameNext makes the caption name the next missing value.
func (r *Resolver) NameNext() { r.named++ }
