package campaign

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// NewOutbox returns the command bugle outbox.
func NewOutbox(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "outbox",
		Short:   "Read test messages that were sent to the outbox",
		Long:    "The outbox has what test sends have delivered in this workspace: to the outbox itself, or through a server.",
		Example: "  bugle outbox list\n  bugle outbox show",
	}
	cmd.AddCommand(newOutboxList(f), newOutboxShow(f), newOutboxOpen(f))
	return cmd
}

func newOutboxList(f *cli.Factory) *cobra.Command {
	var limit cli.Limit
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the messages in the outbox, newest first",
		Long:    "The JSON has the messages as they are stored, with their whole content.",
		Example: "  bugle outbox list --limit 5\n  bugle outbox list --all --json | jq -r '.messages[].recipient'",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := limit.Check(); err != nil {
				return err
			}
			messages, err := outboxOf(cmd.Context(), f)
			if err != nil {
				return err
			}
			l := cli.List{Name: "messages", Noun: "message", Head: []string{"ID", "SENT (UTC)", "CHANNEL", "TO", "SUBJECT"}, Empty: "The outbox is empty."}
			for _, m := range messages {
				l.Add(m.Document(), m.ID, m.At.UTC().Format(time.DateTime), m.Channel.Label(), m.Recipient, subjectOf(m))
			}
			return f.PrintList(l, &limit)
		},
	}
	limit.AddTo(cmd, 20)
	return cmd
}

func newOutboxShow(f *cli.Factory) *cobra.Command {
	var html bool
	cmd := &cobra.Command{
		Use:               "show [ID]",
		Short:             "Print a message of the outbox",
		Long:              "Prints the message as its recipient reads it: the newest one, or the one with an id.",
		Example:           "  bugle outbox show\n  bugle outbox show 65f0a1b2c3d4e5f60718293a --html > mail.html\n  bugle outbox show --json | jq '.push.payload'",
		Args:              cli.Between(0, 1, "the ID of a message"),
		ValidArgsFunction: completeMessages(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := outboxMessage(cmd.Context(), f, args)
			switch {
			case err != nil:
				return err
			case html && (m.Email == nil || m.Email.HTML == ""):
				return errNoHTML
			case html:
				return write(f, m.Email.HTML)
			case f.JSON:
				return f.PrintDoc(m.Document())
			}
			return write(f, outboxText(m))
		},
	}
	cmd.Flags().BoolVar(&html, "html", false, "print the HTML of an email")
	return cmd
}

func newOutboxOpen(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "open [ID]",
		Short:             "Open an email of the outbox in the browser",
		Long:              "Opens the newest message, or the one with an id. Remote images are not loaded until you ask for them.",
		Example:           "  bugle outbox open",
		Args:              cli.Between(0, 1, "the ID of a message"),
		ValidArgsFunction: completeMessages(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := outboxMessage(cmd.Context(), f, args)
			if err == nil && (m.Email == nil || m.Email.HTML == "") {
				err = errNoHTML
			}
			if err != nil {
				return err
			}
			return open(cmd.Context(), f, m.Email.Subject, m.Email.HTML)
		},
	}
}

// outboxOf returns the messages in the outbox, newest first.
func outboxOf(ctx context.Context, f *cli.Factory) ([]engine.OutboxMessage, error) {
	svc, err := f.Service(ctx)
	if err != nil {
		return nil, err
	}
	return svc.Outbox(ctx, 0)
}

// outboxMessage returns the message with the id in args or the beginning of it, or else the newest one.
func outboxMessage(ctx context.Context, f *cli.Factory, args []string) (engine.OutboxMessage, error) {
	messages, err := outboxOf(ctx, f)
	switch {
	case err != nil:
		return engine.OutboxMessage{}, err
	case len(args) == 0 && len(messages) > 0:
		return messages[0], nil
	case len(args) == 0:
		return engine.OutboxMessage{}, errors.New("the outbox is empty; send a test with `bugle test`")
	}
	id, ok, err := cli.Pick(args[0], "messages", asCandidates(messages))
	if err != nil {
		return engine.OutboxMessage{}, err
	}
	for _, m := range messages {
		if ok && m.ID == id {
			return m, nil
		}
	}
	return engine.OutboxMessage{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no message %q in the outbox", args[0])
}

// asCandidates returns messages as what a user may name.
func asCandidates(messages []engine.OutboxMessage) (out []cli.Candidate) {
	for _, m := range messages {
		out = append(out, cli.Candidate{ID: m.ID, About: m.Recipient + ", " + subjectOf(m)})
	}
	return out
}

func completeMessages(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		messages, _ := outboxOf(cmd.Context(), f) // a shell cannot show errors
		return cli.Complete(args, asCandidates(messages))
	}
}

func subjectOf(m engine.OutboxMessage) string {
	switch {
	case m.Email != nil:
		return m.Email.Subject
	case m.Push != nil:
		return m.Push.Title
	}
	return ""
}

// outboxText returns a message as its recipient reads it, after its sender and recipient.
func outboxText(m engine.OutboxMessage) string {
	var b strings.Builder
	line := func(name, text string) {
		if text = cli.Line(text); text != "" {
			b.WriteString(name + ": " + text + "\n")
		}
	}
	line("To", m.Recipient)
	line("As", m.As)
	line("Campaign", m.Campaign)
	if e := m.Email; e != nil {
		line("From", e.FromName+" <"+e.From+">")
		line("Reply to", e.ReplyTo)
		line("Cc", strings.Join(e.Cc, ", "))
		line("Bcc", strings.Join(e.Bcc, ", "))
		line("Subject", e.Subject)
		line("Preview text", e.PreviewText)
		line("Attachments", strings.Join(e.Attachments, ", "))
		b.WriteString("\n" + strings.TrimRight(e.Text, "\n") + "\n")
	}
	if p := m.Push; p != nil {
		line("Platform", p.Platform)
		line("Title", p.Title)
		line("Message", p.Body)
	}
	return b.String()
}
