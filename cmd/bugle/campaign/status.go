package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/schema"
)

// publication is the operation that publishes drafts.
type publication struct{ bulk.Action }

// NewPublish returns the command bugle publish.
func NewPublish(f *cli.Factory) *cobra.Command {
	m := &many{op: publication{bulk.Action{Name: catalog.Publish}}, action: catalog.Publish}
	m.asks = func(ctx context.Context, svc engine.Service, row engine.Summary) bool {
		printWarnings(ctx, f, svc, row.ID)
		return publishable(ctx, svc, row.ID)
	}
	m.outcome = func(ctx context.Context, svc engine.Service, row engine.Summary, _ doc.Change) ([]doc.Member, string, error) {
		p, _, err := load(ctx, f, svc, row.ID)
		status := p.campaign.Status
		out := []doc.Member{doc.M("status", doc.NewString(string(status))), doc.M("warnings", check.Documents(p.result.Findings))}
		return out, fmt.Sprintf("%s is now %s", row.ID, status), err
	}
	cmd := m.command(f, "publish", "Publish drafts",
		"The whole campaign is checked first, then goes live now or at its start time. Warnings of `bugle check` are\n"+
			"printed, and do not stop it.\n"+
			"Publishing outside the terminal program is in beta and off by default; turn it on for the workspace with\n"+
			"`bugle settings put publish=enabled`.")
	cmd.Example = "  bugle check 65f0a1b2c3d4e5f60718293a && bugle publish 65f0a1b2c3d4e5f60718293a --yes"
	cmd.ValidArgsFunction = f.CompleteIDs(catalog.Draft)
	cli.AddYes(cmd, &m.yes)
	return cmd
}

// isOff reports whether publishing with commands is off in the workspace of a service.
func isOff(ctx context.Context, svc engine.Service) bool {
	k, ok := svc.(engine.WorkspaceStore)
	if !ok {
		return false
	}
	w, err := k.Workspace(ctx)
	return err == nil && w.Publish != engine.PublishEnabled
}

// publishable reports whether a service would publish a draft. What it would refuse needs no question.
func publishable(ctx context.Context, svc engine.Service, id string) bool {
	if isOff(ctx, svc) {
		return false
	}
	v, err := svc.Validate(ctx, id)
	return err != nil || len(schema.Errors(v.Problems)) == 0
}

// printWarnings prints what may be wrong with a campaign, for people.
func printWarnings(ctx context.Context, f *cli.Factory, svc engine.Service, id string) {
	p, _, err := load(ctx, f, svc, id)
	if err != nil || f.JSON {
		return // the service says what is wrong
	}
	for _, found := range p.result.Findings {
		if found.Severity == check.Warning {
			fmt.Fprintln(f.Err, "bugle: warning: "+cli.FindingLine(found))
		}
	}
}

// Do implements [bulk.Operation].
func (publication) Do(ctx context.Context, svc engine.Service, row engine.Summary, by string) (*doc.Change, error) {
	_, err := svc.Publish(ctx, engine.PublishRequest{ID: row.ID, By: by})
	if e := engine.AsError(err); e != nil && e.Code == engine.Unprocessable && isOff(ctx, svc) {
		err = cli.WithRemedy(err, "Turn it on with `bugle settings put publish="+engine.PublishEnabled+"`.")
	}
	return &doc.Change{}, err
}

// effect describes in a sentence what recipients will notice of an action.
func effect(ctx context.Context, svc engine.Service, row engine.Summary, a catalog.Action) string {
	if a != catalog.Publish {
		return catalog.Effect(a, row.Channel, row.DeliveryType, row.Status)
	}
	c, err := svc.Get(ctx, row.ID)
	if err != nil {
		return ""
	}
	return audience.SendSentence(row, c, audience.EstimateReach(ctx, svc, c), a, time.Now())
}
