// Package secret reads secrets from the places that settings refer to. The settings themselves never contain
// secrets.
package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery"
)

const (
	// commandTimeout bounds a command that prints a secret: it may prompt the user.
	commandTimeout = time.Minute
	maxSecret      = 64 << 10
)

// Check returns an error if a reference names no place, more than one, or one that depends on the current folder.
func Check(ref engine.SecretRef) error {
	n := 0
	for _, set := range []bool{ref.Env != "", ref.File != "", len(ref.Command) > 0, ref.Keyring != ""} {
		if set {
			n++
		}
	}
	if n != 1 {
		return errors.New("set where the key is: exactly one of an environment variable, a file, a command and the system keyring")
	}
	path := ref.File
	if len(ref.Command) > 0 && filepath.Base(ref.Command[0]) != ref.Command[0] { // a name alone is looked up in PATH
		path = ref.Command[0]
	}
	if path != "" && !filepath.IsAbs(path) {
		return fmt.Errorf("%s is another one in each folder; write its whole path", Describe(ref))
	}
	return nil
}

// Describe describes where a secret is stored, for display.
func Describe(ref engine.SecretRef) string {
	switch {
	case ref.Env != "":
		return "the environment variable " + ref.Env
	case ref.File != "":
		return "the file " + ref.File
	case len(ref.Command) > 0:
		return "the command " + ref.Command[0]
	case ref.Keyring != "":
		return "the system keyring"
	}
	return "nowhere"
}

// Read reads a secret. Errors say what to do and do not contain the secret.
func Read(ctx context.Context, ref engine.SecretRef) ([]byte, error) {
	if err := Check(ref); err != nil {
		return nil, err
	}
	b, err := fetch(ctx, ref)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return nil, fmt.Errorf("%s is empty", Describe(ref))
	case len(b) > maxSecret:
		return nil, fmt.Errorf("%s is too long to be a key", Describe(ref))
	}
	return b, nil
}

func fetch(ctx context.Context, ref engine.SecretRef) ([]byte, error) {
	switch {
	case ref.Env != "":
		v, set := os.LookupEnv(ref.Env)
		if !set {
			return nil, fmt.Errorf("the environment variable %s is not set; set it to the key", ref.Env)
		}
		return []byte(v), nil
	case ref.File != "":
		return readFile(ref.File)
	case len(ref.Command) > 0:
		return run(ctx, ref.Command)
	}
	v, found, err := keyring.Get(ref.Keyring)
	if err == nil && !found {
		return nil, errors.New("the key is not in the system keyring; store it with `bugle gateways key`, or that of a remote with `bugle remote key`")
	}
	return []byte(v), err
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the key file %s: %s", name, delivery.RootCause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the key file %s: %s", name, delivery.RootCause(err))
	}
	// On Windows these bits say nothing.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("other users can read the key file %s; run chmod 600 on it", name)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key file %s: %s", name, delivery.RootCause(err))
	}
	return b, nil
}

func run(ctx context.Context, words []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	// Its standard error may contain the key, so it is not repeated.
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the command %s for the key was canceled: %w", words[0], ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("the command %s for the key failed (%s); run it in a shell to see why", words[0], describeExit(err))
	}
	return out, nil
}

func describeExit(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ProcessState.String()
	}
	return delivery.RootCause(err)
}
