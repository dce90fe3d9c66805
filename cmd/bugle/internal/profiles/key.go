package profiles

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the name under which keys are in the system's keyring.
const service = "bugle"

// keyTime bounds a command that prints a key: it may ask a person.
const keyTime = time.Minute

// KeyOf gives the function that fetches the key of a profile.
func (p Profile) KeyOf(getenv func(string) string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		key, err := p.Key.fetch(ctx, p.Name, getenv)
		if err != nil {
			return "", fmt.Errorf("the key of profile %s: %w", p.Name, err)
		}
		if key == "" || strings.ContainsAny(key, "\r\n\x00") {
			return "", fmt.Errorf("the key of profile %s: %s gave no usable key", p.Name, p.Key)
		}
		return key, nil
	}
}

func (s Source) fetch(ctx context.Context, name string, getenv func(string) string) (string, error) {
	switch {
	case s.Env != "":
		if key := getenv(s.Env); key != "" {
			return key, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set", s.Env)
	case len(s.Command) > 0:
		ctx, cancel := context.WithTimeout(ctx, keyTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
		cmd.WaitDelay = time.Second
		// What it says on its standard error may hold the key, so it is not repeated.
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%s failed: %w; run it in a shell to see why", s.Command[0], err)
		}
		return strings.TrimRight(string(out), "\r\n"), nil
	}
	key, err := keyring.Get(service, name)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", errors.New("it is not in the system keyring; `bugle profile key` puts it there")
	}
	return key, keyringError(err)
}

// StoreKey puts the key of a profile into the system's keyring.
func StoreKey(name, key string) error { return keyringError(keyring.Set(service, name, key)) }

// DropKey takes the key of a profile out of the system's keyring; that there is none is no error.
func DropKey(name string) error {
	if err := keyring.Delete(service, name); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return keyringError(err)
	}
	return nil
}

func keyringError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the system keyring does not answer: %w; use --key-env or --key-command where there is none", err)
}
