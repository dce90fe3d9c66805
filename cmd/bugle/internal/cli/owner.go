package cli

import (
	"context"
	"fmt"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
	"bugle/store/kv"
)

// owned is the store in a folder while this process owns it, with its daily backups.
type owned struct {
	kv.Driver
	stopBackups func()
}

// Close implements [kv.Driver].
func (o *owned) Close() error {
	o.stopBackups()
	return o.Driver.Close()
}

// EnvBackups is the environment variable that turns the daily backups off.
const EnvBackups = "BUGLE_BACKUPS"

// own opens the store, and starts its daily backups. It implements [socket.Opener].
func (f *Factory) own(ctx context.Context, notify func(problem string)) (kv.Driver, error) {
	db, err := badger.Open(ctx, badger.Options{
		Dir: f.DataDir(), Key: f.Keys().Find, Encrypt: f.Fresh, OnDamage: notify,
	})
	if err != nil {
		return nil, err
	}
	stop := func() {}
	if f.Getenv(EnvBackups) != "off" {
		o := backup.Options{Header: backup.Header{Program: Version(), Folder: f.DataDir()}}
		if key, ok := db.Key(); ok {
			o.EncryptWith(&key)
		}
		stop = backup.StartDaily(db, f.DataDir(), o, f.DailyEnded())
	}
	return &owned{db.Driver(), stop}, nil
}

// DailyEnded returns a function that reports why a daily backup failed, once, because it is retried several times an hour.
func (f *Factory) DailyEnded() func(error) {
	told := ""
	return func(err error) {
		text := ""
		if err != nil {
			text = fmt.Sprintf("no daily backup was made, and the earlier ones are kept: %v", err)
		}
		if text != "" && text != told {
			f.Notices.add(text)
		}
		told = text
	}
}

// Check reads everything in the store and reports what is damaged. progress may be nil.
func (s *Store) Check(ctx context.Context, progress func(records int)) (store.CheckResult, error) {
	if s.folder != nil {
		return s.folder.Check(ctx, progress)
	}
	return store.Check(ctx, s.shared, progress)
}

// Backup writes a backup of the store to a file. passphrase encrypts it; without one, the key of an encrypted store does.
func (f *Factory) Backup(ctx context.Context, s *Store, file, passphrase string, progress func(records int)) (backup.Info, error) {
	o := backup.Options{Header: backup.Header{Program: Version()}, Passphrase: passphrase, Progress: progress}
	if s.shared != nil {
		o.Database = s.shared.Name()
		return backup.Write(ctx, s.records, file, o)
	}
	o.Folder = f.DataDir()
	id, encrypted, err := badger.Encryption(f.DataDir())
	if encrypted && err == nil && passphrase == "" {
		var key crypt.Key
		key, err = f.Keys().Find(ctx, id)
		o.EncryptWith(&key)
	}
	if err != nil {
		return backup.Info{}, err
	}
	return backup.Write(ctx, s.records, file, o)
}
