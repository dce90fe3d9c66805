package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"bugle/engine"
	"bugle/engine/files"
	"bugle/engine/message/delivery"
)

// Trust is the list of keys of push gateways that are read from files, or printed by commands, of this machine. The
// settings of a workspace travel with backups and databases, so whoever makes them could run a command on the machine of
// whoever opens them. The list is in the user's configuration, and does not travel. The zero value allows nothing.
type Trust struct{ Path string }

// TrustFile is the name of the list in the configuration folder.
const TrustFile = "allowed.json"

// allowed is a key that a gateway may use, and where the gateway sends what it leads to.
type allowed struct {
	Workspace string           `json:"workspace"`
	Gateway   string           `json:"gateway"`
	Key       engine.SecretRef `json:"key"`
	Endpoints []string         `json:"endpoints,omitempty"`
}

// NeedsTrust reports whether a gateway's key is in a file, or printed by a command.
func NeedsTrust(g engine.Gateway) bool { return g.Key.File != "" || len(g.Key.Command) > 0 }

// Same reports whether two gateways have the same key and send to the same endpoints.
func Same(a, b engine.Gateway) bool { return entry("", a).equal(entry("", b)) }

func entry(workspace string, g engine.Gateway) allowed {
	return allowed{workspace, g.Provider, g.Key, Endpoints(g)}
}

// Endpoints returns the addresses that a gateway sends to; an empty one is that of its service.
func Endpoints(g engine.Gateway) []string {
	switch {
	case g.FCM != nil:
		return []string{g.FCM.Endpoint, g.FCM.TokenEndpoint}
	case g.APNs != nil:
		return []string{g.APNs.Endpoint}
	case g.WebPush != nil:
		return []string{g.WebPush.Endpoint}
	}
	return nil
}

func (a allowed) equal(b allowed) bool {
	return a.Workspace == b.Workspace && a.Gateway == b.Gateway && a.Key.File == b.Key.File && a.Key.Env == b.Key.Env && a.Key.Keyring == b.Key.Keyring &&
		slices.Equal(a.Key.Command, b.Key.Command) && slices.Equal(a.Endpoints, b.Endpoints)
}

// Check returns an error that says what to do if a gateway of a workspace may not use its key on this machine.
func (t Trust) Check(workspace string, g engine.Gateway) error {
	if !NeedsTrust(g) {
		return nil
	}
	if err := Check(g.Key); err != nil {
		return &delivery.Error{Reason: delivery.NoSecret, Message: fmt.Sprintf("the key of the push gateway %s: %s", g.Provider, err), Err: err}
	}
	list, err := t.read()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, entry(workspace, g).equal) {
		return nil
	}
	return &delivery.Error{Reason: delivery.NoSecret, Message: fmt.Sprintf(
		"the key of the push gateway %s comes from %s, which was not set on this machine; see and allow it with `bugle gateways allow %s` as the user that runs this, whose list is %s", g.Provider, DescribeFully(g.Key), g.Provider, t.Path)}
}

// Allow lets a gateway of a workspace use its key on this machine.
func (t Trust) Allow(workspace string, g engine.Gateway) error {
	if t.Path == "" || !NeedsTrust(g) {
		return nil
	}
	if err := Check(g.Key); err != nil {
		return fmt.Errorf("the key of the push gateway %s: %w", g.Provider, err)
	}
	return files.Update(t.Path, func(b []byte) ([]byte, error) {
		list, err := t.parse(b)
		if err != nil {
			return nil, err
		}
		one := entry(workspace, g)
		if slices.ContainsFunc(list, one.equal) {
			return b, nil
		}
		b, err = json.MarshalIndent(append(list, one), "", "  ")
		return append(b, '\n'), err
	})
}

func (t Trust) read() ([]allowed, error) {
	if t.Path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(t.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %s", t.Path, delivery.RootCause(err))
	}
	return t.parse(b)
}

func (t Trust) parse(b []byte) (list []allowed, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w; repair it, or remove it and allow the keys of push gateways again", filepath.Clean(t.Path), err)
	}
	return list, nil
}

// DescribeFully is [Describe] with all words of a command.
func DescribeFully(ref engine.SecretRef) string {
	if len(ref.Command) > 0 {
		return "the command " + strings.TrimSpace(shellquote.Join(ref.Command...))
	}
	return Describe(ref)
}
