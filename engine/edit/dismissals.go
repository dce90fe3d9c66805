package edit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/files"
)

var _ engine.DismissalStore = FileStore{}

// dismissed is what the file of a campaign's dismissed warnings holds.
type dismissed struct {
	ID   string             `json:"id"`
	List []engine.Dismissal `json:"dismissed"`
}

func (c FileStore) dismissedPath(id string) string {
	return strings.TrimSuffix(c.path(id), filepath.Ext(c.path(id))) + ".dismissed.json"
}

// Dismissals implements [engine.DismissalStore].
func (c FileStore) Dismissals(_ context.Context, id string) ([]engine.Dismissal, error) {
	b, err := os.ReadFile(c.dismissedPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the dismissed warnings: %w", err)
	}
	return c.dismissals(id, b)
}

func (c FileStore) dismissals(id string, b []byte) ([]engine.Dismissal, error) {
	if b == nil {
		return nil, nil
	}
	var in dismissed
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("cannot read the dismissed warnings in %s (delete the file to see all warnings again): %w", c.dismissedPath(id), err)
	}
	return in.List, nil
}

// PutDismissal implements [engine.DismissalStore].
func (c FileStore) PutDismissal(_ context.Context, id string, d engine.Dismissal) error {
	if strings.TrimSpace(d.Reason) == "" {
		return errors.New("say why the warning does not matter")
	}
	return c.updateDismissals(id, func(list []engine.Dismissal) ([]engine.Dismissal, error) {
		list = append(withoutWarning(list, d.Warning), d)
		if len(list) > engine.MaxDismissals {
			return nil, fmt.Errorf("%d warnings of this campaign are dismissed already; restore some first", engine.MaxDismissals)
		}
		return list, nil
	})
}

// DeleteDismissal implements [engine.DismissalStore].
func (c FileStore) DeleteDismissal(_ context.Context, id, warning string) error {
	return c.updateDismissals(id, func(list []engine.Dismissal) ([]engine.Dismissal, error) {
		return withoutWarning(list, warning), nil
	})
}

func withoutWarning(list []engine.Dismissal, warning string) []engine.Dismissal {
	return slices.DeleteFunc(list, func(d engine.Dismissal) bool { return d.Warning == warning })
}

func (c FileStore) updateDismissals(id string, change func([]engine.Dismissal) ([]engine.Dismissal, error)) error {
	return files.Update(c.dismissedPath(id), func(b []byte) ([]byte, error) {
		list, err := c.dismissals(id, b)
		if err == nil {
			list, err = change(list)
		}
		if err != nil || len(list) == 0 {
			return nil, err
		}
		return json.Marshal(dismissed{id, list})
	})
}
