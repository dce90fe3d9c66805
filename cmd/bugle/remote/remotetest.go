package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/service/remote"
	"bugle/engine/templates"
)

// The results of testing an operation.
const (
	triedOK      = "ok"
	triedRefused = "refused" // by the service
	triedFailed  = "failed"
	triedSkipped = "skipped"
)

// tested is the result of one operation.
type tested struct {
	Operation    string       `json:"operation"`
	Result       string       `json:"result"`
	Milliseconds int64        `json:"milliseconds"`
	Message      string       `json:"message"`
	Error        *cli.Failure `json:"error,omitempty"`
}

// tester calls the operations of a service that change nothing.
type tester struct {
	svc      *remote.Service
	user     string          // user for the preview; if empty, the creator of the campaign found
	campaign engine.Campaign // found by search
	results  []tested
}

func newRemoteTest(f *cli.Factory) *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Check that a remote answers",
		Long: "Calls every operation that changes nothing: search, get, validate, meta and preview. get and validate\n" +
			"use the first campaign that search finds. Exits with 4 if the service refuses a call.",
		Example:           "  bugle remote test prod\n  bugle remote test prod --user ann@example.com",
		Args:              cli.Exactly(1, "the NAME of a remote"),
		ValidArgsFunction: completeRemotes(&f.Environment),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, err := remoteNamed(&f.Environment, args[0])
			if err != nil {
				return err
			}
			svc, err := f.Dial(p, func(c *remote.Config) { c.Retries = -1 })
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), time.Minute)
			defer cancel()
			t := tester{svc: svc, user: cmp.Or(user, p.Author)}
			if err := t.run(ctx); err != nil {
				return err
			}
			return t.report(f, p)
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "`id` or email address of the user to preview for (default the author of the remote, or of the campaign)")
	return cmd
}

// run tests the operations one after another. It fails if the service cannot be reached at all.
func (t *tester) run(ctx context.Context) error {
	err := t.test("search", func() (string, error) {
		found, err := t.svc.Search(ctx, engine.SearchRequest{
			Call: engine.NewCall(), Channels: []engine.Channel{catalog.Email, catalog.Push}, Status: catalog.States, Limit: 1, Page: 1,
		})
		if len(found) == 0 {
			return "no campaigns", err
		}
		t.campaign = found[0]
		return "found " + t.campaign.ID, nil
	})
	if err != nil && engine.AsError(err) == nil {
		return err
	}
	_ = t.test("get", t.withCampaign(func(id string) (string, error) {
		c, err := t.svc.Get(ctx, id)
		return "status " + strings.ToLower(c.Status.Label()), err
	}))
	_ = t.test("validate", t.withCampaign(func(id string) (string, error) {
		res, err := t.svc.Validate(ctx, id)
		if res.Valid {
			return "valid", err
		}
		return phrase.Count(len(res.Problems), "problem"), err
	}))
	_ = t.test("meta", func() (string, error) {
		rows, err := t.svc.Meta(ctx, engine.MetaRequest{Call: engine.NewCall(), Status: catalog.States, Limit: 1, Page: 1})
		return phrase.Count(len(rows), "campaign"), err
	})
	_ = t.test("preview", func() (string, error) {
		user := cmp.Or(t.user, t.campaign.CreatedBy)
		if user == "" {
			return "", skipped("no user to preview for; name one with --user")
		}
		body, err := previewRequest(user)
		if err != nil {
			return "", err
		}
		_, err = t.svc.Preview(ctx, engine.PreviewRequest{Call: engine.NewCall(), Body: body})
		return "for " + user, err
	})
	return nil
}

// skipped is the reason for not testing an operation.
type skipped string

func (s skipped) Error() string { return string(s) }

// withCampaign returns a test that needs the campaign found.
func (t *tester) withCampaign(do func(id string) (string, error)) func() (string, error) {
	return func() (string, error) {
		switch {
		case t.campaign.ID != "":
		case t.results[0].Result == triedOK:
			return "", skipped("the workspace has no campaigns")
		default:
			return "", skipped("search found no campaign")
		}
		return do(t.campaign.ID)
	}
}

// test tests an operation and stores its result.
func (t *tester) test(operation string, do func() (string, error)) error {
	begun := time.Now()
	message, err := do()
	r := tested{Operation: operation, Result: triedOK, Milliseconds: time.Since(begun).Milliseconds(), Message: message}
	var skip skipped
	switch e := engine.AsError(err); {
	case err == nil:
	case errors.As(err, &skip):
		r.Result, r.Message = triedSkipped, skip.Error()
	default:
		fail := cli.FailureOf(err)
		r.Result, r.Message, r.Error = triedFailed, fail.Text(), &fail
		if e != nil && e.HTTP < http.StatusInternalServerError {
			r.Result, r.Message = triedRefused, fmt.Sprintf("%d %s: %s", e.HTTP, e.Code, r.Message)
		}
	}
	t.results = append(t.results, r)
	return err
}

// previewRequest returns the request for a preview of a built-in template.
func previewRequest(user string) (doc.Value, error) {
	all, err := templates.All()
	if err != nil {
		return doc.Value{}, err
	}
	draft := all[0].Doc
	return engine.PreviewBody(engine.Channel(draft.Get("channel").Text()), user, draft.Get(string(catalog.CampaignContent))), nil
}

// report prints the results. It ends with an exit code of its own if an operation failed.
func (t *tester) report(f *cli.Factory, p remotes.Remote) error {
	code := cli.ExitDone
	for _, r := range t.results {
		switch {
		case r.Result == triedRefused:
			code = cli.ExitRefused
		case r.Result == triedFailed && code == cli.ExitDone:
			code = cli.ExitFailed
		}
	}
	var err error
	if f.JSON {
		err = f.PrintJSON(map[string]any{"remote": p.Name, "url": t.svc.BaseURL(), "workspace_id": p.Workspace, "operations": t.results})
	} else {
		rows := make([][]string, len(t.results))
		for i, r := range t.results {
			took := fmt.Sprintf("%d ms", r.Milliseconds)
			if r.Result == triedSkipped {
				took = ""
			}
			rows[i] = []string{r.Operation, r.Result, took, r.Message}
		}
		err = f.Rows([]string{"OPERATION", "RESULT", "TIME", "DETAILS"}, rows)
	}
	if err == nil && code != cli.ExitDone {
		return cli.Silent(code)
	}
	return err
}
