package remotes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/cmd/bugle/internal/argv"
	"bugle/engine/keyring"
)

// KeyOf returns the function that fetches the key of the remote.
func (r Remote) KeyOf(getenv func(string) string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		key, err := r.Key.fetch(ctx, r.Name, getenv)
		if err != nil {
			return "", fmt.Errorf("cannot get the API key of remote %s: %w", r.Name, err)
		}
		if key == "" || strings.ContainsAny(key, "\r\n\x00") {
			return "", fmt.Errorf("cannot get the API key of remote %s: %s has no key, or one with a line break", r.Name, r.Key)
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
		return argv.Secret(ctx, s.Command)
	}
	key, found, err := keyring.Get(name)
	if err == nil && !found {
		return "", errors.New("the system keyring does not have it; `bugle remote key` stores it")
	}
	return key, err
}
