// Package accessible is the program for people who hear it or read it in lines: the main job as questions
// and answers, one line each. Nothing that was written is changed, no cursor moves, no color or frame
// says anything, and every state is told in words. It needs no terminal: it reads lines and writes
// lines.
//
// What it asks comes from the tables of engine/catalog, as the forms do.
package accessible

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
)

// Options are what the program works with.
type Options struct {
	Deps screen.Deps
	// Start makes the first workspace, the sample or an empty one; nil where there is one to work in.
	Start func(ctx context.Context, sample bool) (screen.Deps, error)
	// Query is the search that the list of campaigns begins with; empty begins at the start.
	Query string

	In  io.Reader
	Out io.Writer
	// Interactive says that In is a terminal, which ends the line of a question itself.
	Interactive bool
	// Edit opens a text in the person's editor and gives what it left; nil where there is none. Suffix
	// is that of the file's name, such as ".html".
	Edit func(ctx context.Context, text, suffix string) (string, error)
}

// session is one run of the program.
type session struct {
	*console
	deps  screen.Deps
	edit  func(ctx context.Context, text, suffix string) (string, error)
	savedHintShown  bool   // that every change is saved
	query string // the last search
}

// Run asks until the person is done, the input ends, or ctx does; none of these is an error. Every
// change was saved when it was made.
func Run(ctx context.Context, o Options) error {
	s := &session{console: &console{in: newLineReader(o.In), out: o.Out, endsPromptLine: !o.Interactive}, deps: o.Deps, edit: o.Edit, query: o.Query}
	err := s.run(ctx, o)
	switch {
	case errors.Is(err, errQuit), errors.Is(err, io.EOF), errors.Is(err, context.Canceled), isBack(err):
		err = nil
	}
	if err == nil {
		s.println("Goodbye. Everything is saved.")
		err = s.writeFailure()
	}
	return err
}

func (s *session) run(ctx context.Context, o Options) error {
	s.println("bugle, in question and answer mode. Type ? at any question for help.")
	if o.Start != nil {
		if err := s.welcome(ctx, o.Start); err != nil {
			return err
		}
	}
	if s.query != "" {
		if err := s.campaigns(ctx); err != nil && !isBack(err) {
			return err
		}
	}
	for range maxInvalidAnswers {
		if err := s.choose(ctx, menu{header: s.workspaceLines, items: s.mainItems, help: mainHelp}); !errors.Is(err, errBack) {
			return err
		}
		s.println("This is the first question. Type quit to quit.")
	}
	return errQuit
}

// welcome asks what the first workspace shall be, and makes it.
func (s *session) welcome(ctx context.Context, start func(context.Context, bool) (screen.Deps, error)) error {
	s.println("Welcome. There is no workspace here yet. What do you want to start with?")
	n, err := s.chooseOption(ctx, "The first workspace", []option{
		{label: "Sample workspace", help: "campaigns of every type, 12 users to send tests to, and a local outbox that keeps test messages. Nothing leaves this machine"},
		{label: "Empty workspace", help: "no campaigns, no users"},
	}, 0)
	if err != nil {
		return err
	}
	deps, err := start(ctx, n == 0)
	if err != nil {
		return err
	}
	s.deps = deps
	s.println("The workspace is ready.")
	return nil
}

// workspaceLines tells in what workspace the person is, and what it holds.
func (s *session) workspaceLines() []string {
	return []string{"Main menu of workspace " + s.deps.Workspace + "."}
}

func mainHelp() []string {
	return []string{
		"This is the main menu. Type a number to choose.",
		"Changes to a draft are saved with each answer. Changes to a live campaign are saved when you apply them.",
	}
}

func (s *session) mainItems() []item {
	items := []item{
		{label: "Campaigns", word: "campaigns", state: "list, search and open campaigns", run: s.campaigns},
		{label: "New draft", word: "new", state: "create a campaign", run: s.newDraft},
	}
	if _, ok := s.deps.Service.(engine.OutboxReader); ok {
		items = append(items, item{label: "Outbox", word: "outbox", state: "read test messages", run: s.outbox})
	}
	return append(items, item{label: "Quit", word: wordQuit, state: "everything is saved", run: func(context.Context) error { return errQuit }})
}

// reportError tells an error of the service, and goes on; an ended ctx ends all.
func (s *session) reportError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.println("%s: %s", what, errorText(err))
	return nil
}

// errorText puts an error of a service into words: its sentence, and its details, one a line. Problems of
// the tables are left out: whoever knows the table tells them by [document.reportError].
func errorText(err error) string {
	e := engine.AsError(err)
	if e == nil {
		return sentence(err.Error())
	}
	out := []string{sentence(e.Message)}
	if len(e.Problems) > 0 {
		return out[0]
	}
	for _, d := range e.Details {
		line := d.Message
		if d.Target != "" {
			line = d.Target + ": " + d.Message
		}
		out = append(out, sentence(line))
	}
	return strings.Join(out, "\n")
}

// kindAndState says what kind of campaign it is and how it stands.
func kindAndState(sum engine.Summary) string {
	return fmt.Sprintf("%s, %s, %s", sum.Channel.Label(), strings.ToLower(sum.DeliveryType.Label()), stateWord(sum.Status))
}

func stateWord(st engine.State) string {
	if st == catalog.Draft {
		return "draft"
	}
	return strings.ToLower(st.Label())
}
