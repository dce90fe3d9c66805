package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
	"bugle/store/socket"
)

// Checkup is the result of doctor, as printed and as sent over the socket.
type Checkup struct {
	Sound   bool     `json:"sound"`             // nothing is wrong, or everything was repaired
	Notices []string `json:"notices,omitempty"` // problems found when the store was opened
	// Encrypted reports whether the store is encrypted; Readable lists the backups that can be read without its key.
	Encrypted bool     `json:"encrypted"`
	Readable  []string `json:"readable,omitempty"`
	kv.CheckResult
}

// Do implements [socket.JobRunner].
func (o Owned) Do(ctx context.Context, job socket.Job, progress func(socket.JobProgress)) ([]byte, error) {
	records := func(n int) { progress(socket.JobProgress{Records: n}) }
	switch job.Kind {
	case socket.JobCheck, socket.JobRepair:
		run := kv.Check
		if job.Kind == socket.JobRepair {
			run = kv.Repair
		}
		o.Verify(ctx)
		found, err := run(ctx, o.DB, records)
		if err != nil {
			return nil, err
		}
		if err := backup.Compare(ctx, o.DB, o.dataDir, func(i backup.Info) string { return o.passphrase(socket.Job{File: i.File}) }, &found); err != nil {
			return nil, err
		}
		_, encrypted := o.Key()
		return json.Marshal(Checkup{Sound: found.Healthy(), Notices: o.Notices(), Encrypted: encrypted, CheckResult: found})
	case socket.JobBackup:
		info, err := backup.Write(ctx, o.DB, job.File, backup.Options{
			Passphrase: job.Passphrase, Key: o.key(), Program: Version(), Source: backup.Source{Folder: o.dataDir},
			Progress: func(p backup.Progress) { progress(socket.JobProgress(p)) },
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	case socket.JobFind:
		found, err := backup.FindCampaign(ctx, o.DB, job.File, o.passphrase(job), job.Workspace, job.Campaign)
		if err != nil {
			return nil, err
		}
		return json.Marshal(found)
	case socket.JobRecover:
		info, err := backup.RestoreCampaign(ctx, o.DB, job.File, o.passphrase(job), job.Workspace, job.Campaign)
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	}
	return nil, fmt.Errorf("unknown job %q", job.Kind)
}

// Owned is the store in a folder while this process owns it.
type Owned struct {
	*badger.DB
	dataDir string
}

// key returns the key of the store, or nil if it is not encrypted.
func (o Owned) key() *crypt.Key {
	if key, ok := o.Key(); ok {
		return &key
	}
	return nil
}

// passphrase returns the passphrase of the backup of a job: the one in the job, or that of the store's key.
func (o Owned) passphrase(job socket.Job) string {
	if key := o.key(); job.Passphrase == "" && key != nil {
		if info, err := backup.ReadHeader(job.File); err == nil && info.Key == key.ID() {
			return key.Passphrase()
		}
	}
	return job.Passphrase
}

// ownedDB is the store while this process owns it, with its daily backups.
type ownedDB struct {
	Owned
	daily *backup.Daily // nil if they are off
	*findings
}

// findings forwards the problems found in the store while this process owns it.
type findings struct {
	mu   sync.Mutex
	tell func(notice string) // nil if nothing listens yet
}

// OnNotice implements [socket.NoticeSource].
func (s *findings) OnNotice(deliver func(notice string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = deliver
}

func (s *findings) pass(notice string) {
	s.mu.Lock()
	deliver := s.tell
	s.mu.Unlock()
	if deliver != nil {
		deliver(notice)
	}
}

// EnvBackups is the environment variable that turns the daily backups off.
const EnvBackups = "BUGLE_BACKUPS"

// ownDB starts the daily backups of an opened store, and records its problems.
func (f *Factory) ownDB(db *badger.DB, found *findings) kv.DB {
	f.Notices.Damage(db.Notices()...)
	if full := db.FullNotice(); full != "" {
		f.Notices.add(full)
	}
	k := ownedDB{Owned: Owned{db, f.DataDir()}, findings: found}
	if f.Getenv(EnvBackups) != OnOff(false) {
		k.daily = backup.StartDaily(db, f.Daily(k.Owned))
	}
	return k
}

// Daily returns the options of the daily backups.
func (f *Factory) Daily(o Owned) backup.DailyOptions {
	told := ""
	return backup.DailyOptions{DataDir: f.DataDir(), Program: Version(), Key: o.key(), OnBackup: func(info backup.Info, err error) {
		text := ""
		switch {
		case err != nil:
			text = fmt.Sprintf("the daily backup failed: %v", err)
		case !info.Healthy():
			f.Notices.Damage("the daily backup is of a damaged store, so it is kept beside the earlier ones; check with `bugle doctor`, or choose a backup with `bugle restore`")
		}
		if text != "" && text != told { // it is retried several times an hour
			f.Notices.add(text)
		}
		told = text
	}}
}

func (k ownedDB) Close() error {
	if k.daily != nil {
		k.daily.Close()
	}
	return k.Owned.Close()
}

// Readable returns the backups of an encrypted store that can be read without a key.
func Readable(dataDir string) (out []string) {
	if _, encrypted, err := badger.Encryption(dataDir); err != nil || !encrypted {
		return nil
	}
	if list, err := backup.List(dataDir, ""); err == nil {
		for _, b := range list {
			if !b.Encrypted {
				out = append(out, b.File)
			}
		}
	}
	return out
}

// own opens the store.
func (f *Factory) own(ctx context.Context) (kv.DB, error) {
	found := new(findings)
	db, err := badger.Open(ctx, badger.Options{
		Dir: f.DataDir(), Logger: slog.New(slog.DiscardHandler), Key: f.Keys().Find, Encrypt: f.Sealing.Fresh,
		OnDamage: func(text string) { f.Notices.Damage(text); found.pass(text) },
	})
	var locked *store.LockedError
	if errors.As(err, &locked) {
		return nil, socket.Locked(err, locked.PID)
	}
	if err != nil {
		return nil, err
	}
	return f.ownDB(db, found), nil
}

// damagedSettings returns a sentence for each workspace whose settings are damaged.
func damagedSettings(ctx context.Context, db store.DB) (out []string) {
	_ = db.Read(ctx, func(tx store.Tx) error { // other errors are reported to whoever needs the data
		ids, err := tx.Workspaces()
		if err != nil {
			return err
		}
		for _, id := range ids {
			s := tx.Workspace(id)
			if !errors.As(s.SettingsDamage(), new(*store.CorruptError)) {
				continue
			}
			state := "their copy is used"
			if _, err := s.Settings(); err != nil {
				state = "so is their copy; campaigns can be read"
			}
			out = append(out, fmt.Sprintf("the settings of workspace %s are damaged, and %s; check with `bugle doctor`, and restore them with `bugle doctor --repair`", id, state))
		}
		return nil
	})
	return out
}
