package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// owned is the store in a folder while this process owns it, with its daily backups.
type owned struct {
	kv.Driver
	daily *backup.Daily // nil if they are off
}

// Close implements [kv.Driver].
func (o *owned) Close() error {
	if o.daily != nil {
		o.daily.Close()
	}
	return o.Driver.Close()
}

// Suspect implements [kv.Suspecter].
func (o *owned) Suspect(damage error) { o.Driver.(kv.Suspecter).Suspect(damage) }

// EnvBackups is the environment variable that turns the daily backups off.
const EnvBackups = "BUGLE_BACKUPS"

// own opens the store, and starts its daily backups. It implements [socket.Opener].
func (f *Factory) own(ctx context.Context, notify func(problem string)) (kv.Driver, error) {
	db, err := badger.Open(ctx, badger.Options{
		Dir: f.DataDir(), Logger: slog.New(slog.DiscardHandler), Key: f.Keys().Find, Encrypt: f.Sealing.Fresh, OnDamage: notify,
	})
	if err != nil {
		return nil, err
	}
	o := &owned{Driver: db.Driver()}
	for _, problem := range db.Notices() {
		notify(problem)
	}
	if f.Getenv(EnvBackups) != OnOff(false) {
		o.daily = backup.StartDaily(db, f.Daily(db))
	}
	return o, nil
}

// Daily returns the options of the daily backups of a store in a folder.
func (f *Factory) Daily(db *badger.DB) backup.DailyOptions {
	var key *crypt.Key
	if k, ok := db.Key(); ok {
		key = &k
	}
	told := ""
	return backup.DailyOptions{DataDir: f.DataDir(), Options: f.backupOptions(db.Store, key), OnBackup: func(_ backup.Info, err error) {
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

// backupOptions returns the options of a backup of a store in a folder.
func (f *Factory) backupOptions(db *kv.Store, key *crypt.Key) backup.Options {
	return backup.Options{
		Key: key, Program: Version(), Source: backup.Source{Folder: f.DataDir()}, Prove: func(ctx context.Context) error { return Prove(ctx, db) },
	}
}

// Prove reads every block of a store on disk, and fails with a [backup.DamagedError] if one is damaged. Copying the store reads
// and counts every record.
func Prove(ctx context.Context, db *kv.Store) error {
	err := db.Driver().Verify(ctx)
	var damaged *store.DamagedError
	if errors.As(err, &damaged) {
		return &backup.DamagedError{What: []string{damaged.Why}}
	}
	return err
}

// Check reads everything in the store and reports what is damaged. progress may be nil.
func (s *Store) Check(ctx context.Context, progress func(records int)) (store.CheckResult, error) {
	if s.folder != nil {
		return s.folder.Check(ctx, progress)
	}
	return store.Check(ctx, s.shared, progress)
}

// Backup writes a backup of the store to a file. passphrase encrypts it; without one, the key of an encrypted store does.
func (f *Factory) Backup(ctx context.Context, s *Store, file, passphrase string, progress func(records int, verifying bool)) (backup.Info, error) {
	o := backup.Options{Program: Version()}
	if s.shared != nil {
		o.Source.Database = s.shared.Name()
	} else {
		var key *crypt.Key
		id, encrypted, err := badger.Encryption(f.DataDir())
		if encrypted && err == nil && passphrase == "" {
			var k crypt.Key
			k, err = f.Keys().Find(ctx, id)
			key = &k
		}
		if err != nil {
			return backup.Info{}, err
		}
		o = f.backupOptions(s.folder.Store, key)
	}
	o.Passphrase, o.Progress = passphrase, progress
	return backup.Write(ctx, s.records, file, o)
}
