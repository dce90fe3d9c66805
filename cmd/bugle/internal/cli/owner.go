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
		if err := o.compare(ctx, &found); err != nil {
			return nil, err
		}
		_, encrypted := o.Key()
		return json.Marshal(Checkup{Sound: found.Healthy(), Notices: o.Notices(), Encrypted: encrypted, CheckResult: found})
	case socket.JobBackup:
		b := o.backupOptions()
		b.Passphrase = job.Passphrase
		b.Progress = func(records int, verifying bool) {
			progress(socket.JobProgress{Records: records, Verifying: verifying})
		}
		info, err := backup.Write(ctx, o.DB, job.File, b)
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	}
	return nil, fmt.Errorf("unknown job %q", job.Kind)
}

// backupOptions returns the options of a backup of the store.
func (o Owned) backupOptions() backup.Options {
	return backup.Options{Key: o.key(), Program: Version(), Source: backup.Source{Folder: o.dataDir}, Prove: func(ctx context.Context) error { return Prove(ctx, o.DB) }}
}

// Prove reads the whole store, and fails with a [backup.DamagedError] if it has lost records.
func Prove(ctx context.Context, db *badger.DB) error {
	db.Verify(ctx)
	found, err := kv.Check(ctx, db, nil)
	if err != nil {
		return err
	}
	var bad backup.DamagedError
	for _, f := range found.Findings {
		if f.Loss {
			bad.What = append(bad.What, f.What)
		}
	}
	if len(bad.What) > 0 {
		return &bad
	}
	return nil
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
	return backup.DailyOptions{DataDir: f.DataDir(), Options: o.backupOptions(), OnBackup: func(_ backup.Info, err error) {
		text := ""
		if err != nil {
			text = fmt.Sprintf("no daily backup was made, and the earlier ones are kept: %v", err)
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
