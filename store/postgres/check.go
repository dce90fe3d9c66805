package postgres

import (
	"context"

	"bugle/store"
	"bugle/store/kv"
)

// Check is [store.Check]: it checks what the database cannot, the checksums of documents, and whether summaries match them.
func (d *DB) Check(ctx context.Context, progress func(records int)) (kv.CheckResult, error) {
	found, err := store.Check(ctx, d, progress)
	out := kv.CheckResult{Format: kv.Format, Records: found.Records, Campaigns: found.Campaigns, Findings: []kv.Finding{}}
	for _, f := range found.Findings {
		out.Findings = append(out.Findings, kv.Finding{Workspace: f.Workspace, Campaign: f.Campaign, What: f.What, Advice: f.Advice})
	}
	return out, err
}
