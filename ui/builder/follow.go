package builder

import (
	"context"
	"reflect"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Kinds of tasks that follow edits.
const (
	taskCompile = "compile"
	taskBrowser = "browser"
)

// compileFactor is how many times as long as the checks compiling waits, because it starts a program.
const compileFactor = 8

// compiler is the run that compiles the MJML of the edited document.
type compiler struct {
	running edit.CompileFunc // nil if no run is under way
	next    func() tea.Cmd   // waits for the run; may be nil
}

// compile compiles the MJML of the document beside typing if it was edited since the newest run, which ends with that: once
// there was no edit for some time.
func (s *Screen) compile() tea.Cmd {
	compile := s.edit.Compile()
	if compile == nil {
		return nil
	}
	s.compiler = compiler{running: compile}
	return screen.Go(&s.Base, taskCompile, func(ctx context.Context) (edit.CompileResult, error) {
		if err := screen.Pause(ctx, s.warnings.delay*compileFactor); err != nil {
			return edit.CompileResult{}, err
		}
		return compile(ctx)
	}, s.compiled)
}

// afterCompiling does something once the MJML of the document is compiled: at once where nothing is to be compiled, and not at
// all if the document is edited meanwhile.
func (s *Screen) afterCompiling(next func() tea.Cmd) tea.Cmd {
	cmd := s.compile()
	if s.compiler.running == nil {
		return next()
	}
	s.compiler.next = next
	return tea.Batch(cmd, screen.Go(&s.Base, taskCompile, s.compiler.running, s.compiled))
}

// compiled adopts the result of a run. The form shows the MJML as before, and what is wrong with it.
func (s *Screen) compiled(r edit.CompileResult, err error) tea.Cmd {
	if err != nil {
		return nil
	}
	var cmd tea.Cmd
	if s.edit.FinishCompile(r) {
		cmd = s.save("compiled MJML", true)
	}
	next := s.compiler.next
	if s.compiler = (compiler{}); next != nil {
		cmd = tea.Batch(cmd, next())
	}
	return cmd
}

// page is the current message in the browser. It follows every change until the screen is closed.
type page struct {
	start func(ctx context.Context, file string) error // opens a browser

	server   *livepage.Server // nil until the page was opened
	messages livepage.Messages
	root     doc.Value // what the page shows
	at       doc.Path
	seenAs   resolve.Viewer
}

// openPage opens the page in the browser.
func (s *Screen) openPage() tea.Cmd {
	if _, ok := livepage.Views(s.edit.Head().Channel, s.edit.Root(), s.place(), render.Options{Now: s.deps.Now()}); !ok {
		return screen.Notify(widget.LevelWarning, "There is no message to open here.")
	}
	p := &s.page
	if p.server == nil {
		server, err := livepage.Start(s.pageSource())
		if err != nil {
			return screen.Notify(widget.LevelError, phrase.Sentence(err.Error()))
		}
		p.server = server
	} else {
		p.server.Show(s.pageSource())
	}
	start, server := p.start, p.server
	return screen.Go(&s.Base, taskBrowser, func(ctx context.Context) (string, error) { return server.URL(), server.Open(ctx, start) }, openedNotice)
}

// openedNotice reports whether the browser could be opened. Where there is none, as over ssh, the address is copied.
func openedNotice(url string, err error) tea.Cmd {
	if err != nil {
		return tea.Sequence(screen.Copy(url, "the address of the page"),
			screen.Notify(widget.LevelWarning, "No browser can be opened, because "+err.Error()+". Until you leave this campaign, the page is at "+url))
	}
	return screen.Notify(widget.LevelSuccess, "Opened in the browser. Until you leave this campaign, the page follows your changes at "+url)
}

// followPage shows the page what was edited, the message that the user went to, and whose data fills it.
func (s *Screen) followPage() {
	p := &s.page
	if p.server != nil && (!p.root.Same(s.edit.Root()) || !p.at.Equal(s.place()) || !reflect.DeepEqual(p.seenAs, s.viewer())) {
		p.server.Show(s.pageSource())
	}
}

// close ends the page.
func (p *page) close() {
	if p.server != nil {
		_ = p.server.Close() // nothing is lost with it
		p.server = nil
	}
}

// pageSource returns what makes the page of the current message. It runs beside the screen.
func (s *Screen) pageSource() livepage.Source {
	p := &s.page
	p.root, p.at, p.seenAs = s.edit.Root(), s.place(), s.viewer()
	return p.messages.Source(livepage.Campaign{
		Service: s.deps.Service, Workspace: s.edit.Workspace(), Campaign: s.edit.Campaign(), At: p.at, Viewer: p.seenAs, Now: s.deps.Now(),
	})
}
