package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bugle/store/crypt"
	"bugle/store/kv"
)

// reencryptedSuffix ends the name of a backup that is being sealed anew.
const reencryptedSuffix = ".resealed"

// Reencrypt encrypts a backup anew with the key to, or with nothing where that is nil: in its own place,
// after what was written was read again. from opens it: the passphrase, or that of its key; empty where
// it is not encrypted. What it says of itself stays as it is otherwise. When anything fails, it is as it
// was.
func Reencrypt(ctx context.Context, file, from string, to *crypt.Key) (info Info, err error) {
	was, err := ReadHeader(file)
	if err != nil {
		return info, err
	}
	o := Options{Key: to, Program: was.Program, Now: was.Made, Progress: func(Progress) {}}
	fresh := file + reencryptedSuffix
	if err := remove(fresh); err != nil {
		return info, unwritable(fresh, err)
	}
	info, err = write(ctx, fresh, o, func(out io.Writer) error { return copyRecords(ctx, file, from, out) })
	if err != nil {
		return info, err
	}
	stat, err := os.Stat(file)
	if err == nil {
		err = errors.Join(os.Chtimes(fresh, stat.ModTime(), stat.ModTime()), os.Rename(fresh, file))
	}
	if err != nil {
		return info, errors.Join(unwritable(file, err), remove(fresh))
	}
	info.File = file
	return info, kv.SyncFolder(filepath.Dir(file))
}

// copyRecords writes what is within a backup as it is.
func copyRecords(ctx context.Context, file, from string, out io.Writer) error {
	info, err := Read(ctx, file, from, func(_ int, key, value []byte) error {
		return errors.Join(writePart(out, key), writePart(out, value))
	})
	if err != nil {
		return err
	}
	end, err := json.Marshal(info.Contents)
	if err != nil {
		return fmt.Errorf("copying a backup: %w", err)
	}
	return errors.Join(writePart(out, nil), writePart(out, end))
}
