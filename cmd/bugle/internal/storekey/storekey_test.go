package storekey_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/store/crypt"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// The key is that of the environment where it fits, or the one in the keyring.
func TestFind(t *testing.T) {
	keyring.MockInit()
	kept, given := crypt.New(), crypt.New()
	if err := storekey.New(env()).Keep(kept); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		env  []string
		id   string
		want crypt.Key
		err  error
		says string
	}{
		"keyring":                {nil, kept.ID(), kept, nil, ""},
		"variable":               {[]string{storekey.Env, given.Text()}, given.ID(), given, nil, ""},
		"command":                {[]string{storekey.EnvCommand, "echo " + given.Text()}, given.ID(), given, nil, ""},
		"of a store without id":  {[]string{storekey.Env, given.Text()}, "", given, nil, ""},
		"variable of another":    {[]string{storekey.Env, given.Text()}, kept.ID(), kept, nil, ""},
		"nowhere":                {nil, given.ID(), crypt.Key{}, crypt.ErrNoKey, "`bugle key keep`"},
		"nowhere, without id":    {nil, "", crypt.Key{}, crypt.ErrNoKey, "BUGLE_STORE_KEY"},
		"wrong":                  {[]string{storekey.Env, given.Text()}, crypt.New().ID(), crypt.Key{}, crypt.ErrWrongKey, "(from BUGLE_STORE_KEY)"},
		"no key":                 {[]string{storekey.Env, "topsecret"}, given.ID(), crypt.Key{}, crypt.ErrNotKey, "32 bytes"},
		"a command that fails":   {[]string{storekey.EnvCommand, "false"}, given.ID(), crypt.Key{}, crypt.ErrNoKey, "run it in a shell"},
		"a command that is gone": {[]string{storekey.EnvCommand, "/no/such/command"}, given.ID(), crypt.Key{}, crypt.ErrNoKey, "BUGLE_STORE_KEY_COMMAND: "},
	} {
		got, err := storekey.New(env(c.env...)).Find(t.Context(), c.id)
		if !errors.Is(err, c.err) || err == nil && got != c.want {
			t.Errorf("%s: %v, %v", what, got, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "topsecret") || strings.Contains(err.Error(), given.Text())) {
			t.Errorf("%s: it says %q", what, err)
		}
	}
}

// A new key is in the keyring, or was made by who set the variable.
func TestFresh(t *testing.T) {
	keyring.MockInit()
	made, where, err := storekey.New(env()).Fresh(t.Context(), false)
	if err != nil || where != "the system keyring" {
		t.Fatalf("made for %q, %v", where, err)
	}
	if got, err := storekey.New(env()).Find(t.Context(), made.ID()); err != nil || got != made {
		t.Errorf("then it is %v, %v", got, err)
	}
	mine := crypt.New()
	ring := storekey.New(env(storekey.EnvNew, mine.Text()))
	if got, where, err := ring.Fresh(t.Context(), true); err != nil || got != mine || where != storekey.EnvNew {
		t.Errorf("of the variable: %v, %q, %v", got, where, err)
	}
	if got, _, err := ring.Fresh(t.Context(), false); err != nil || got == mine {
		t.Errorf("the variable for another time was used: %v, %v", got, err)
	}
}

func TestNoKeyring(t *testing.T) {
	keyring.MockInitWithError(errors.New("no bus"))
	defer keyring.MockInit()
	if _, _, err := storekey.New(env()).Fresh(t.Context(), false); err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32") || !strings.Contains(err.Error(), "BUGLE_STORE_KEY") {
		t.Errorf("a new key: %v", err)
	}
	if _, err := storekey.New(env()).Find(t.Context(), crypt.New().ID()); !errors.Is(err, crypt.ErrNoKey) || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("a key: %v", err)
	}
}
