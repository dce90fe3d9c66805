// Package storekey finds the key of an encrypted store: in the environment, in the output of a command, or in the
// system keyring.
package storekey

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/keyring"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/process"
	"bugle/store/crypt"
)

// The environment variables: a key, or a command that prints one. The second pair is for a new key for an existing
// store.
const (
	Env        = "BUGLE_STORE_KEY"
	EnvCommand = "BUGLE_STORE_KEY_COMMAND"

	EnvNew        = "BUGLE_NEW_STORE_KEY"
	EnvNewCommand = "BUGLE_NEW_STORE_KEY_COMMAND"
)

// prefix is the beginning of the name of a key in the keyring, before its id.
const prefix = "store "

// retryAfter is how long a failed lookup is remembered: a process that waits for a store retries several times a second.
const retryAfter = 5 * time.Second

// Ring finds keys, and caches them. It is safe for concurrent use.
type Ring struct {
	getenv func(string) string

	mu    sync.Mutex
	known map[string]lookup // by the id of the key
}

// lookup is what came of looking for a key.
type lookup struct {
	key crypt.Key
	err error
	at  time.Time
}

// New returns a ring for an environment.
func New(getenv func(string) string) *Ring {
	return &Ring{getenv: getenv, known: map[string]lookup{}}
}

// Find returns the key with that id, or without an id the one in the environment. It fails with [crypt.ErrNoKey] or
// [crypt.ErrWrongKey]; the error says what to do.
func (r *Ring) Find(ctx context.Context, id string) (crypt.Key, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.known[id]
	if !ok || l.err != nil && time.Since(l.at) >= retryAfter {
		l.key, l.err = r.find(ctx, id)
		l.at = time.Now()
		r.known[id] = l
	}
	return l.key, l.err
}

func (r *Ring) find(ctx context.Context, id string) (crypt.Key, error) {
	k, from, err := r.fromEnvironment(ctx, Env, EnvCommand)
	switch {
	case err != nil:
		return k, err
	case from != "" && (id == "" || k.ID() == id):
		return k, nil
	case id == "":
		return k, fmt.Errorf("%w, and its id cannot be read; set %s, or a command that prints it in %s", crypt.ErrNoKey, Env, EnvCommand)
	}
	text, found, kerr := keyring.Get(prefix + id)
	switch {
	case found:
		if k, err = crypt.Parse(text); err == nil && k.ID() != id {
			err = crypt.ErrWrongKey
		}
		if err != nil {
			return k, fmt.Errorf("cannot use the key %s in the system keyring: %w; store it again with `bugle key keep`", id, err)
		}
		return k, nil
	case from != "":
		return k, fmt.Errorf("%w (from %s); the key of this store has the id %s", crypt.ErrWrongKey, from, id)
	case kerr == nil:
		return k, fmt.Errorf("%w: the system keyring does not have key %s; store it with `bugle key keep`, or set %s or %s", crypt.ErrNoKey, id, Env, EnvCommand)
	}
	return k, fmt.Errorf("%w: %w: %s or %s", crypt.ErrNoKey, kerr, Env, EnvCommand)
}

// fromEnvironment returns the key of the environment and the name of its variable, or "" if neither variable is set.
func (r *Ring) fromEnvironment(ctx context.Context, env, command string) (k crypt.Key, from string, err error) {
	text := r.getenv(env)
	from = env
	words, err := process.Words(r.getenv(command))
	if err != nil {
		return k, command, fmt.Errorf("%w: cannot parse %s: %w", crypt.ErrNoKey, command, err)
	}
	if text == "" && len(words) > 0 {
		from = "the command in " + command
		b, err := secret.Read(ctx, engine.SecretRef{Command: words})
		if err != nil {
			return k, from, fmt.Errorf("%w: %s: %w", crypt.ErrNoKey, from, err)
		}
		text = string(b)
	}
	if text == "" {
		return k, "", nil
	}
	if k, err = crypt.Parse(text); err != nil {
		return k, from, fmt.Errorf("%s has no valid key: %w", from, err)
	}
	return k, from, nil
}

// Fresh returns the key for encrypting a store, and its location: the key of the environment, or a new one, which it
// adds to the system's keyring. With anew, the store is already encrypted: the environment contains its current key,
// and the variables for a new key contain the new one.
func (r *Ring) Fresh(ctx context.Context, anew bool) (k crypt.Key, where string, err error) {
	env, command := Env, EnvCommand
	if anew {
		env, command = EnvNew, EnvNewCommand
	}
	k, from, err := r.fromEnvironment(ctx, env, command)
	switch {
	case err != nil:
		return k, from, err
	case from != "":
		r.remember(k)
		return k, from, nil
	}
	k = crypt.New()
	if err := keyring.Set(prefix+k.ID(), k.Text()); err != nil {
		return k, "", fmt.Errorf("%w: create a key (`openssl rand -base64 %d`), keep it somewhere safe, and set %s, or a command that prints it in %s", err, crypt.Size, env, command)
	}
	r.remember(k)
	return k, Keyring, nil
}

// Keyring is the location that [Ring.Fresh] returns for a new key.
const Keyring = "the system keyring"

// Describe says where the key of a store is that was encrypted just now.
func Describe(where string, rotated bool) string {
	switch {
	case where == Keyring:
		return "The key is in the system keyring. Without it, nothing can be read: print it with `bugle key show` and keep a copy somewhere safe."
	case rotated:
		return fmt.Sprintf("The key is the one in %s. From now on, bugle needs it in %s or %s, or in the keyring (`bugle key keep`).", where, Env, EnvCommand)
	}
	return fmt.Sprintf("The key is the one in %s, which bugle needs from now on. Without it, nothing can be read.", where)
}

// Keep adds a key to the system's keyring, where [Ring.Find] finds it by its id.
func (r *Ring) Keep(k crypt.Key) error {
	if err := keyring.Set(prefix+k.ID(), k.Text()); err != nil {
		return fmt.Errorf("%w: %s or %s", err, Env, EnvCommand)
	}
	r.remember(k)
	return nil
}

func (r *Ring) remember(k crypt.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[k.ID()] = lookup{key: k}
}
