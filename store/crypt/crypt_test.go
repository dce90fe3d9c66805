package crypt_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugle/store/crypt"
)

func TestParse(t *testing.T) {
	k := crypt.New()
	for _, text := range []string{
		k.Text(), " " + k.Text() + "\n", strings.TrimRight(k.Text(), "="),
		base64.URLEncoding.EncodeToString(k[:]), hex.EncodeToString(k[:]), strings.ToUpper(hex.EncodeToString(k[:])),
	} {
		if got, err := crypt.Parse(text); err != nil || got != k {
			t.Errorf("%q reads as another key, %v", text, err)
		}
	}
	for _, text := range []string{"", "secret", k.Text()[:20], k.Text() + "AAAA", strings.Repeat("ü", 40)} {
		if _, err := crypt.Parse(text); !errors.Is(err, crypt.ErrNotKey) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Ids and derived keys stay the same for ever: stores and backups depend on them.
func TestDerived(t *testing.T) {
	k, err := crypt.Parse(strings.Repeat("07", crypt.Size))
	if err != nil {
		t.Fatal(err)
	}
	if got := k.ID(); got != "66dd8c71ce3cc705383b0a3ccc34261a" {
		t.Errorf("the id is %s", got)
	}
	if got := k.Passphrase(); got != "+aAJfrdTfUdDZMcvf6kxR5KiThSn+N2LXCdDRv0PxJQ" {
		t.Errorf("the passphrase of backups is %s", got)
	}
	if one, other := crypt.New(), crypt.New(); one.ID() == other.ID() {
		t.Error("two new keys are the same")
	}
}

func TestNotShown(t *testing.T) {
	k := crypt.New()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, k); got != "key "+k.ID() {
			t.Errorf("%s shows %q", verb, got)
		}
	}
}
