package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bugle/engine/files"
	"bugle/store/crypt"
)

// reencryptedSuffix is the suffix of the temporary file while a backup is re-encrypted.
const reencryptedSuffix = ".resealed"

// Reencrypt encrypts a backup with another key, in place; nil removes the encryption. from is the current passphrase,
// or that of the current key; empty if the backup is not encrypted. The rest of the header stays the same. The new file
// is verified before it replaces the old one; if anything fails, the old one is unchanged.
func Reencrypt(ctx context.Context, file, from string, to *crypt.Key) (info Info, err error) {
	was, err := ReadHeader(file)
	if err != nil {
		return info, err
	}
	o := Options{Key: to, Program: was.Program, Source: was.Source, Now: was.Made, Progress: func(Progress) {}}
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
	return info, files.SyncFolder(filepath.Dir(file))
}

// copyRecords writes the decrypted body of a backup to out.
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
