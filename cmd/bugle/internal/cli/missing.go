package cli

import (
	"context"
	"errors"
	"fmt"

	shellquote "github.com/kballard/go-shellquote"

	"bugle/store/backup"
	"bugle/store/kv"
)

// compare searches the backups of the store for campaigns that it has lost, and adds them to found, the result of a check that
// found a loss. It reads the newest backup, or the next one if that cannot be read.
func (o Owned) compare(ctx context.Context, found *kv.CheckResult) error {
	if !found.HasLoss() {
		return nil
	}
	list, err := backup.List(o.dataDir, "")
	if err != nil || len(list) == 0 {
		return err
	}
	advice := fmt.Sprintf("the newest backup of the whole store is %s, of %s; restore it, or one campaign, with `bugle restore`", list[0].File, madeAt(list[0]))
	for _, info := range list {
		passphrase := ""
		if key := o.key(); key != nil && info.Key == key.ID() {
			passphrase = key.Passphrase()
		}
		_, differences, _, err := backup.Differences(ctx, o.DB, info.File, passphrase, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			found.Findings = append(found.Findings, behind(found, info, differences)...)
			break
		}
		for _, known := range []error{backup.ErrNoPassphrase, backup.ErrPassphrase, backup.ErrKey, backup.ErrDamaged} {
			if errors.Is(err, known) {
				err = known
			}
		}
		advice += fmt.Sprintf("; %s cannot be compared with the store (%v)", info.File, err)
	}
	for i := range found.Findings {
		if found.Findings[i].Loss {
			found.Findings[i].Advice = advice
		}
	}
	return nil
}

func madeAt(info backup.Info) string { return info.Made.Local().Format("2006-01-02 15:04") }

// behind returns a finding for each campaign that the backup has, and the store does not, or only at an earlier revision.
func behind(found *kv.CheckResult, info backup.Info, differences []backup.Difference) (out []kv.Finding) {
	for _, d := range differences {
		for _, b := range d.Behind {
			if found.ConcernsCampaign(d.Workspace, b.Campaign) {
				continue
			}
			f := kv.Finding{Workspace: d.Workspace, Campaign: b.Campaign}
			f.What = fmt.Sprintf("campaign %q in workspace %q is missing, but is in the backup of %s; it was lost, or deleted since then", b.Campaign, d.Workspace, madeAt(info))
			f.Advice = fmt.Sprintf("restore it with `bugle restore %s`", shellquote.Join(info.File, "--campaign", b.Campaign, "--workspace", d.Workspace))
			if b.Store > 0 {
				f.What = fmt.Sprintf("campaign %q in workspace %q is at revision %d, but the backup of %s has revision %d", b.Campaign, d.Workspace, b.Store, madeAt(info), b.Backup)
				f.Advice = fmt.Sprintf("`bugle restore %s` restores the whole store as it was then", shellquote.Join(info.File))
			}
			out = append(out, f)
		}
	}
	return out
}
