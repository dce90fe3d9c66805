package remote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
	"bugle/engine/service/remote"
)

// tested is the result of one operation.
type tested struct {
	Operation    string `json:"operation"`
	Result       string `json:"result"` // ok, refused by the service, or failed
	Milliseconds int64  `json:"milliseconds"`
	Message      string `json:"message"`
}

func newRemoteTest(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Check that a remote answers",
		Long: "Calls operations that change nothing: search and meta, and get and validate for the first campaign that\n" +
			"search finds. Exits with 4 if the service refuses a call.",
		Example:           "  bugle remote test prod",
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
			results, code, err := test(ctx, svc)
			if err != nil {
				return err
			}
			if f.JSON {
				err = f.PrintJSON(map[string]any{"remote": p.Name, "url": svc.BaseURL(), "workspace_id": p.Workspace, "operations": results})
			} else {
				var rows [][]string
				for _, r := range results {
					rows = append(rows, []string{r.Operation, r.Result, fmt.Sprintf("%d ms", r.Milliseconds), r.Message})
				}
				err = f.Rows([]string{"OPERATION", "RESULT", "TIME", "DETAILS"}, rows)
			}
			if err != nil {
				return err
			}
			return cli.Silent(code)
		},
	}
}

// test calls the operations one after another, and returns the exit code for what came of them. It fails if the service cannot
// be reached at all.
func test(ctx context.Context, svc engine.Service) (out []tested, code int, err error) {
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
	} {
		if op.ofC && c.ID == "" {
			continue
		}
		begun := time.Now()
		text, err := op.call()
		if err != nil && len(out) == 0 && engine.AsError(err) == nil {
			return nil, 0, err
		}
		r := tested{Operation: op.name, Result: "ok", Milliseconds: time.Since(begun).Milliseconds(), Message: text}
		if err != nil {
			r.Result, r.Message = "failed", cli.FailureOf(err).Text()
		}
		if e := engine.AsError(err); cli.ExitCode(err) == cli.ExitRefused {
			r.Result, r.Message = "refused", fmt.Sprintf("%d %s: %s", e.HTTP, e.Code, r.Message)
		}
		code = max(code, cli.ExitCode(err))
		out = append(out, r)
	}
	return out, code, nil
}
