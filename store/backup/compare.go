package backup

import (
	"context"
	"errors"
	"fmt"

	shellquote "github.com/kballard/go-shellquote"

	"bugle/store/kv"
)

// MaxNamed is the most campaigns that [Compare] names; it counts the others.
const MaxNamed = 500

// comparison collects the campaigns that a backup has and the store does not.
type comparison struct {
	info    Info
	missing []kv.MissingCampaign
	more    int // not in missing
}

// Compare searches the backups in the data folder for campaigns that the store has lost, and adds them to found, the
// result of a check that found a loss: campaigns that the store does not have, or only at an earlier revision. It reads
// backups from the newest to the first one of an undamaged store. passphrase returns the passphrase of an encrypted
// backup, or "" if unknown. Compare also adds the name of the right backup to the findings about a loss.
func Compare(ctx context.Context, db kv.DB, dataDir string, passphrase func(Info) string, found *kv.CheckResult) error {
	if !found.HasLoss() {
		return nil
	}
	list, err := List(dataDir, "")
	if err != nil {
		return err
	}
	var unread error // why the newest backup cannot be read
	for i, info := range list {
		c, err := compare(ctx, db, info.File, passphrase(info), found)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			c.add(found)
			if c.info.Healthy() {
				advise(found, c.info, nil)
				return nil
			}
		case i == 0:
			unread = err
		}
	}
	if len(list) > 0 {
		advise(found, list[0], unread)
	}
	return nil
}

func compare(ctx context.Context, db kv.DB, file, passphrase string, found *kv.CheckResult) (c comparison, err error) {
	known := map[[2]string]bool{}
	for _, f := range found.Findings {
		known[[2]string{f.Workspace, f.Campaign}] = true
	}
	err = db.View(ctx, func(tx kv.Tx) error {
		c = comparison{}
		c.info, err = Read(ctx, file, passphrase, func(_ int, key, value []byte) error {
			l, lacks, err := kv.CompareWithBackup(tx, key, value)
			switch {
			case err != nil || !lacks || known[[2]string{l.Workspace, l.Campaign}]:
			case len(c.missing) == MaxNamed:
				c.more++
			default:
				c.missing = append(c.missing, l)
			}
			return err
		})
		return err
	})
	return c, err
}

// add adds the missing campaigns to found.
func (c comparison) add(found *kv.CheckResult) {
	made := c.info.Made.Local().Format("2006-01-02 15:04")
	for _, l := range c.missing {
		f := kv.Finding{Workspace: l.Workspace, Campaign: l.Campaign}
		f.What = fmt.Sprintf("campaign %q in workspace %q is missing, but is in the backup of %s; it was lost, or deleted since then", l.Campaign, l.Workspace, made)
		f.Advice = fmt.Sprintf("restore it with `bugle restore %s`", shellquote.Join(c.info.File, "--campaign", l.Campaign, "--workspace", l.Workspace))
		if l.Store > 0 {
			f.What = fmt.Sprintf("campaign %q in workspace %q is at revision %d, but the backup of %s has revision %d", l.Campaign, l.Workspace, l.Store, made, l.Backup)
			f.Advice = fmt.Sprintf("`bugle restore %s` restores the whole store as it was then", shellquote.Join(c.info.File))
		}
		found.Findings = append(found.Findings, f)
	}
	if c.more > 0 {
		found.Findings = append(found.Findings, kv.Finding{
			What:   fmt.Sprintf("%d more campaigns are missing or older than in the backup of %s", c.more, made),
			Advice: fmt.Sprintf("`bugle restore %s` restores the whole store as it was then", shellquote.Join(c.info.File)),
		})
	}
}

// advise adds the name of a backup to the findings about a loss. unread is the reason why the backup could not be
// compared.
func advise(found *kv.CheckResult, info Info, unread error) {
	made := info.Made.Local().Format("2006-01-02 15:04")
	advice := fmt.Sprintf("the newest backup of the whole store is %s, of %s; restore it, or one campaign, with `bugle restore`", info.File, made)
	if unread != nil {
		for _, known := range []error{ErrNoPassphrase, ErrPassphrase, ErrKey, ErrDamaged, ErrNewer} {
			if errors.Is(unread, known) {
				unread = known
			}
		}
		advice = fmt.Sprintf("the newest backup, %s of %s, cannot be compared with the store (%v); restore it, or one campaign, with `bugle restore`", info.File, made, unread)
	}
	for i := range found.Findings {
		if found.Findings[i].Loss {
			found.Findings[i].Advice = advice
		}
	}
}
