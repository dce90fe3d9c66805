package secret_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gokeyring "github.com/zalando/go-keyring"

	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/secret"
)

func TestRead(t *testing.T) {
	gokeyring.MockInit()
	if err := keyring.Set("shop", "from-keyring"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BUGLE_TEST_SECRET", "from-env")
	t.Setenv("BUGLE_TEST_EMPTY", " \n")
	file := filepath.Join(t.TempDir(), "key")
	write := func(mode os.FileMode) {
		if err := errors.Join(os.WriteFile(file, []byte("from-file\n"), mode), os.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
	}
	write(0o600)
	for _, tt := range []struct {
		name string
		ref  engine.SecretRef
		want string
		fail string
	}{
		{"environment", engine.SecretRef{Env: "BUGLE_TEST_SECRET"}, "from-env", ""},
		{"file", engine.SecretRef{File: file}, "from-file", ""},
		{"command", engine.SecretRef{Command: []string{"echo", "from-command"}}, "from-command", ""},
		{"keyring", engine.SecretRef{Keyring: "shop"}, "from-keyring", ""},
		{"not set", engine.SecretRef{Env: "BUGLE_TEST_NOT_SET"}, "", "the environment variable BUGLE_TEST_NOT_SET is not set"},
		{"empty", engine.SecretRef{Env: "BUGLE_TEST_EMPTY"}, "", "is empty"},
		{"no file", engine.SecretRef{File: file + "x"}, "", " no such file"},
		{"a folder", engine.SecretRef{File: t.TempDir()}, "", ""},
		{"a file of the current folder", engine.SecretRef{File: "key.json"}, "", "write its whole path"},
		{"a command of the current folder", engine.SecretRef{Command: []string{"./getkey"}}, "", "write its whole path"},
		{"no command", engine.SecretRef{Command: []string{"bugle-test-no-such-command"}}, "", "failed"},
		{"failing command", engine.SecretRef{Command: []string{"sh", "-c", "echo from-command >&2; exit 3"}}, "", "failed (exit status 3)"},
		{"not in the keyring", engine.SecretRef{Keyring: "other"}, "", "is not in the system keyring"},
		{"nowhere", engine.SecretRef{}, "", "set where the key is"},
		{"twice", engine.SecretRef{Env: "A", Keyring: "b"}, "", "set where the key is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := secret.Read(t.Context(), tt.ref)
			if string(got) != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("got %q, %v", got, err)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.fail) || strings.Contains(err.Error(), "from-")) {
				t.Errorf("got %v, want %q", err, tt.fail)
			}
		})
	}

	write(0o640)
	if _, err := secret.Read(t.Context(), engine.SecretRef{File: file}); err == nil || !strings.Contains(err.Error(), "other users can read the key file") {
		t.Errorf("a file that others can read: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := secret.Read(ctx, engine.SecretRef{Command: []string{"sleep", "60"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(keyring.Delete("shop"), keyring.Delete("shop")); err != nil {
		t.Error(err)
	}
}
