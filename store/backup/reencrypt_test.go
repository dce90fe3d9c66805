package backup_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bugle/store/backup"
	"bugle/store/crypt"
)

// A backup of an encrypted store is encrypted with its key, and names it.
func TestKey(t *testing.T) {
	other := crypt.New()
	file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
	info, err := backup.Write(t.Context(), newStore(t, 20), file, options(&key))
	if err != nil {
		t.Fatal(err)
	}
	if !info.Encrypted || info.Key != key.ID() {
		t.Errorf("it says of itself %+v", info.Header)
	}
	sealed(t, file)
	for pass, want := range map[string]error{"": backup.ErrPassphrase, other.Passphrase(): backup.ErrPassphrase, key.Passphrase(): nil} {
		if err := verify(t.Context(), file, pass); !errors.Is(err, want) {
			t.Errorf("with %q: %v", pass, err)
		}
	}
}

// sealed fails if a file contains a text or a compressed stream of it.
func sealed(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, clear := range []string{"Campaign", "basic_details", "DEMO", "\x28\xb5\x2f\xfd"} {
		if bytes.Contains(b, []byte(clear)) {
			t.Errorf("%s holds %q", file, clear)
		}
	}
}

func TestReencrypt(t *testing.T) {
	other := crypt.New()
	dir := t.TempDir()
	file := filepath.Join(dir, "b"+backup.Suffix)
	was, err := backup.Write(t.Context(), newStore(t, 20), file, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	step := func(from string, to *crypt.Key) backup.Info {
		t.Helper()
		info, err := backup.Reencrypt(t.Context(), file, from, to)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if info := step("", &key); info.Key != key.ID() || !info.Made.Equal(was.Made) || info.Program != "1.0" || !reflect.DeepEqual(info.Contents, was.Contents) {
		t.Errorf("encrypted it is %+v", info)
	}
	sealed(t, file)
	step(key.Passphrase(), &other)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Reencrypt(t.Context(), file, key.Passphrase(), nil); !errors.Is(err, backup.ErrPassphrase) {
		t.Errorf("with the key before: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("what failed has changed it: %v", err)
	}
	if info := step(other.Passphrase(), nil); info.Encrypted || info.Key != "" || !reflect.DeepEqual(info.Contents, was.Contents) {
		t.Errorf("decrypted it is %+v", info)
	}
	if err := verify(t.Context(), file, ""); err != nil {
		t.Error(err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 1 {
		t.Errorf("in the folder there is %q, %v", names, err)
	}
}
