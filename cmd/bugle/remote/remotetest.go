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
			results, err := test(ctx, svc, cmp.Or(user, p.Author))
			if err != nil {
				return err
			}
			return report(f, p, svc.BaseURL(), results)
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "`id` or email address of the user to preview for (default the author of the remote, or of the campaign)")
	return cmd
}

// test calls the operations one after another. It fails if the service cannot be reached at all.
func test(ctx context.Context, svc *remote.Service, user string) (out []tested, err error) {
	var c engine.Campaign // found by search
	for _, op := range []struct {
		name string
		ofC  bool // needs a campaign
		call func() (string, error)
	}{
		{"search", false, func() (string, error) {
			found, err := svc.Search(ctx, engine.SearchRequest{
				Call: engine.NewCall(), Channels: []engine.Channel{catalog.Email, catalog.Push}, Status: catalog.States, Limit: 1, Page: 1,
			})
			if len(found) == 0 {
				return "no campaigns", err
			}
			c = found[0]
			return "found " + c.ID, nil
		}},
		{"get", true, func() (string, error) {
			got, err := svc.Get(ctx, c.ID)
			return "status " + strings.ToLower(got.Status.Label()), err
		}},
		{"validate", true, func() (string, error) {
			res, err := svc.Validate(ctx, c.ID)
			if res.Valid {
				return "valid", err
			}
			return phrase.Count(len(res.Problems), "problem"), err
		}},
		{"meta", false, func() (string, error) {
			rows, err := svc.Meta(ctx, engine.MetaRequest{Call: engine.NewCall(), Status: catalog.States, Limit: 1, Page: 1})
			return phrase.Count(len(rows), "campaign"), err
		}},
		{"preview", false, func() (string, error) {
			user := cmp.Or(user, c.CreatedBy)
			if user == "" {
				return "", errSkipped
			}
			body, err := previewRequest(user)
			if err == nil {
				_, err = svc.Preview(ctx, engine.PreviewRequest{Call: engine.NewCall(), Body: body})
			}
			return "for " + user, err
		}},
	} {
		r := tested{Operation: op.name, Result: triedSkipped, Message: "the workspace has no campaigns"}
		if op.ofC && c.ID == "" {
			if out[0].Result != triedOK {
				r.Message = "search found no campaign"
			}
			out = append(out, r)
			continue
		}
		begun := time.Now()
		r.Message, err = op.call()
		r.Milliseconds = time.Since(begun).Milliseconds()
		switch e := engine.AsError(err); {
		case err == nil:
			r.Result = triedOK
		case errors.Is(err, errSkipped):
			r.Message = err.Error()
		case e == nil && len(out) == 0:
			return nil, err
		default:
			fail := cli.FailureOf(err)
			r.Result, r.Message, r.Error = triedFailed, fail.Text(), &fail
			if e != nil && e.HTTP < http.StatusInternalServerError {
				r.Result, r.Message = triedRefused, fmt.Sprintf("%d %s: %s", e.HTTP, e.Code, r.Message)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

var errSkipped = errors.New("no user to preview for; name one with --user")

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
func report(f *cli.Factory, p remotes.Remote, url string, results []tested) error {
	code := cli.ExitDone
	var rows [][]string
	for _, r := range results {
		switch {
		case r.Result == triedRefused:
			code = cli.ExitRefused
		case r.Result == triedFailed && code == cli.ExitDone:
			code = cli.ExitFailed
		}
		rows = append(rows, []string{r.Operation, r.Result, fmt.Sprintf("%d ms", r.Milliseconds), r.Message})
	}
	var err error
	if f.JSON {
		err = f.PrintJSON(map[string]any{"remote": p.Name, "url": url, "workspace_id": p.Workspace, "operations": results})
	} else {
		err = f.Rows([]string{"OPERATION", "RESULT", "TIME", "DETAILS"}, rows)
	}
	if err == nil && code != cli.ExitDone {
		return cli.Silent(code)
	}
	return err
}
