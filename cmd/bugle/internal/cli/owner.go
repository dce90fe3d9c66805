package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// Checkup is the result of doctor, as printed and as sent over the socket.
type Checkup struct {
	Sound   bool     `json:"sound"`             // nothing is wrong, or everything was repaired
	Notices []string `json:"notices,omitempty"` // problems found when the store was opened
	// Encrypted reports whether the store is; Readable lists the backups that can be read without its key.
	Encrypted bool     `json:"encrypted"`
	Readable  []string `json:"readable,omitempty"`
	kv.Checked
}

// Do implements [attach.Maintained].
func (o Owned) Do(ctx context.Context, job attach.Job, progress func(attach.JobProgress)) ([]byte, error) {
	records := func(n int) { progress(attach.JobProgress{Records: n}) }
	switch job.Kind {
	case attach.JobCheck, attach.JobRepair:
		run := kv.Check
		if job.Kind == attach.JobRepair {
			run = kv.Repair
		}
		o.DB.Prove(ctx)
		found, err := run(ctx, o.DB, records)
		if err != nil {
			return nil, err
		}
		if err := backup.Compare(ctx, o.DB, o.dataDir, func(i backup.Info) string { return o.passphrase(attach.Job{File: i.File}) }, &found); err != nil {
			return nil, err
		}
		_, encrypted := o.DB.Key()
		return json.Marshal(Checkup{Sound: found.Sound(), Notices: o.DB.Notices(), Encrypted: encrypted, Checked: found})
	case attach.JobBackup:
		info, err := backup.Write(ctx, o.DB, job.File, backup.Options{
			Passphrase: job.Passphrase, Key: o.key(), Program: Version(),
			Progress: func(p backup.Progress) { progress(attach.JobProgress(p)) },
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	case attach.JobRecover:
		info, err := backup.Recover(ctx, o.DB, job.File, o.passphrase(job), job.Workspace, job.Campaign)
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	}
	return nil, fmt.Errorf("unknown job %q", job.Kind)
}

// key returns the key of the store, nil if it is not encrypted.
func (o Owned) key() *crypt.Key {
	if key, ok := o.DB.Key(); ok {
		return &key
	}
	return nil
}

// passphrase returns the passphrase of the backup of a job: the one in the job, or that of the store's key.
func (o Owned) passphrase(job attach.Job) string {
	if key := o.key(); job.Passphrase == "" && key != nil {
		if info, err := backup.ReadHeader(job.File); err == nil && info.Key == key.ID() {
			return key.Passphrase()
		}
	}
	return job.Passphrase
}

// kept is the store while this process owns it, with its daily backups.
type kept struct {
	Owned
	daily *backup.Keeper // nil if they are off
	*findings
}

// findings passes on the problems found in the store while this process owns it.
type findings struct {
	mu   sync.Mutex
	tell func(notice string) // nil: nothing listens yet
}

// Tell implements [attach.Noticing].
func (s *findings) Tell(tell func(notice string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = tell
}

func (s *findings) pass(notice string) {
	s.mu.Lock()
	tell := s.tell
	s.mu.Unlock()
	if tell != nil {
		tell(notice)
	}
}

// EnvBackups is the environment variable that turns the daily backups off.
const EnvBackups = "BUGLE_BACKUPS"

// keep starts the daily backups of a store that was opened, and notes its problems.
func (f *Factory) keep(db *badger.DB, found *findings) attach.Owned {
	f.Notices.add(db.Notices()...)
	k := kept{Owned: Owned{workspaces{db}, db, f.DataDir()}, findings: found}
	if f.Getenv(EnvBackups) != OnOff(false) {
		k.daily = backup.Keep(db, f.Daily(k.Owned))
	}
	return k
}

// Daily returns how the daily backups of a store are made.
func (f *Factory) Daily(o Owned) backup.Daily {
	told := ""
	return backup.Daily{DataDir: f.DataDir(), Program: Version(), Key: o.key(), Made: func(_ backup.Info, err error) {
		text := ""
		if err != nil {
			text = fmt.Sprintf("the daily backup failed: %v", err)
		}
		if text != "" && text != told { // it is retried several times an hour
			f.Notices.add(text)
		}
		told = text
	}}
}

func (k kept) Close() error {
	if k.daily != nil {
		k.daily.Close()
	}
	return k.Owned.Close()
}

// Readable returns the backups of an encrypted store that can be read without a key.
func Readable(dataDir string) (out []string) {
	if _, encrypted, err := badger.Sealed(dataDir); err != nil || !encrypted {
		return nil
	}
	if list, err := backup.List(dataDir); err == nil {
		for _, b := range list {
			if !b.Encrypted {
				out = append(out, b.File)
			}
		}
	}
	return out
}

// own opens the store.
func (f *Factory) own(ctx context.Context) (attach.Owned, error) {
	found := new(findings)
	db, err := badger.Open(ctx, badger.Options{
		Dir: f.DataDir(), Logger: slog.New(slog.DiscardHandler), Key: f.Keys().Find, Encrypt: f.Sealing.Fresh,
		Found: func(text string) { f.Notices.add(text); found.pass(text) },
	})
	var locked *store.LockedError
	if errors.As(err, &locked) {
		return nil, attach.Locked(err, locked.PID)
	}
	if err != nil {
		return nil, err
	}
	f.Notices.add(damagedSettings(ctx, db)...)
	return f.keep(db, found), nil
}

// damagedSettings returns a sentence for each workspace whose settings are damaged.
func damagedSettings(ctx context.Context, db store.DB) (out []string) {
	_ = db.Read(ctx, func(tx store.Tx) error { // other errors are reported to whoever needs the data
		ids, err := tx.Workspaces()
		if err != nil {
			return err
		}
		for _, id := range ids {
			s := tx.In(id)
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

// Owned is the store in a folder while this process owns it.
type Owned struct {
	workspaces
	DB      *badger.DB
	dataDir string
}

// workspaces opens the workspaces of a store, wherever that is.
type workspaces struct{ records store.DB }

// KeepIndex says when the search index of a workspace is kept for the next start. Tests keep those of small workspaces, too.
var KeepIndex local.KeepIndex

// Open returns the service of a workspace.
func (w workspaces) Open(id string) (attach.Service, error) {
	return local.Open(w.records, id, local.Options{Keep: KeepIndex})
}

// Workspaces returns the ids of the workspaces in the store.
func (w workspaces) Workspaces(ctx context.Context) (ids []string, err error) {
	err = w.records.Read(ctx, func(tx store.Tx) error {
		ids, err = tx.Workspaces()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the workspaces: %w", err)
	}
	return ids, nil
}

// Workspaces returns the ids of the workspaces in the store.
func (o Owned) Workspaces(ctx context.Context) ([]string, error) {
	ids, err := o.workspaces.Workspaces(ctx)
	if lost := o.DB.Lost(); err == nil && len(ids) == 0 && len(lost) > 0 { // they seem to be lost
		return nil, fmt.Errorf("no workspace found: %s; check with `bugle doctor`, or choose a backup with `bugle restore`", lost[0])
	}
	return ids, err
}

// Create makes a workspace, with sample data or without. It returns its id and the first API key.
func (ws workspaces) Create(ctx context.Context, w engine.Workspace, withSample bool) (id, key string, err error) {
	if withSample {
		key, err = sample.Install(ctx, ws.records, sample.Options{ID: w.ID, Name: w.Name, Author: w.Author, Now: time.Now()})
	} else {
		key, err = local.CreateWorkspace(ctx, ws.records, w)
	}
	return w.ID, key, err
}

// Close closes the store.
func (o Owned) Close() error {
	if err := o.DB.Close(); err != nil {
		return fmt.Errorf("closing the store: %w", err)
	}
	return nil
}
