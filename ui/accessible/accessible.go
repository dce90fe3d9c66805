// Package accessible is the user interface for screen readers: a sequence of questions and answers in plain
// lines, without cursor movement, colors or frames. It needs no terminal.
//
// Its questions come from the tables of engine/catalog, like the forms.
package accessible

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	"bugle/ui/screen"
)

// Options configure the program.
type Options struct {
	Deps screen.Deps
	// Start creates the first workspace, the sample or an empty one; nil if there is a workspace.
	Start func(ctx context.Context, sample bool) (screen.Deps, error)
	// Query is the initial search of the list of campaigns; if empty, the program begins with the main menu.
	Query string

	In  io.Reader
	Out io.Writer
	// Interactive reports whether In is a terminal, which echoes the end of each line.
	Interactive bool
	// Edit opens a text in the user's editor and returns the result; nil if there is no editor. Suffix is the suffix
	// of the file name, such as ".html".
	Edit func(ctx context.Context, text, suffix string) (string, error)
}

// session is one run of the program.
type session struct {
	*console
	deps           screen.Deps
	edit           func(ctx context.Context, text, suffix string) (string, error)
	savedHintShown bool   // the user has been told that every change is saved
	query          string // the last search
}

// Run asks until the user quits, the input ends, or ctx is canceled; none of these is an error. Every change is
// saved when it is made.
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

// welcome asks which workspace to create, and creates it.
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

// workspaceLines describes the current workspace and its content.
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

// reportError prints an error of the service and continues, unless ctx has ended.
func (s *session) reportError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.println("%s: %s", what, errorText(err))
	return nil
}

// errorText describes an error of the service: its sentence and its details, one per line. Problems with a
// field are left out, because [document.reportError] prints them with the field's title.
func errorText(err error) string {
	e := engine.AsError(err)
	if e == nil {
		return phrase.Sentence(err.Error())
	}
	out := []string{phrase.Sentence(e.Message)}
	if len(e.Problems) > 0 {
		return out[0]
	}
	for _, d := range e.Details {
		line := d.Message
		if d.Target != "" {
			line = d.Target + ": " + d.Message
		}
		out = append(out, phrase.Sentence(line))
	}
	return strings.Join(out, "\n")
}

// kindAndState describes the kind and state of a campaign.
func kindAndState(sum engine.Summary) string {
	return fmt.Sprintf("%s, %s, %s", sum.Channel.Label(), strings.ToLower(sum.DeliveryType.Label()), stateWord(sum.Status))
}

func stateWord(st engine.State) string {
	if st == catalog.Draft {
		return "draft"
	}
	return strings.ToLower(st.Label())
}
