// Package keyring stores secrets by name in the system's keyring.
package keyring

import (
	"errors"
	"fmt"

	system "github.com/zalando/go-keyring"
)

// service is the name of this program in the keyring.
const service = "bugle"

// Get returns the secret with a name, and reports whether it exists.
func Get(name string) (secret string, found bool, err error) {
	secret, err = system.Get(service, name)
	if errors.Is(err, system.ErrNotFound) {
		return "", false, nil
	}
	return secret, err == nil, unusable(err)
}

// Set stores a secret.
func Set(name, secret string) error { return unusable(system.Set(service, name, secret)) }

// Delete deletes the secret with a name, if it exists.
func Delete(name string) error {
	if err := system.Delete(service, name); !errors.Is(err, system.ErrNotFound) {
		return unusable(err)
	}
	return nil
}

func unusable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot use the system keyring: %w; use an environment variable or a command instead", err)
}
