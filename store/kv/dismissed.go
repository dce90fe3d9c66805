package kv

import (
	"errors"
	"fmt"

	"bugle/engine"
	"bugle/store"
)

// Dismissals implements [store.Dismissals].
func (s WorkspaceTx) Dismissals(id string) ([]engine.Dismissal, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var list []engine.Dismissal
	err := s.getJSON(dismissedName(id), s.key(kindDismissed, id), &list)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return list, err
}

// PutDismissals implements [store.Dismissals].
func (s WorkspaceTx) PutDismissals(id string, list []engine.Dismissal) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	if len(list) == 0 {
		return s.delete(dismissedName(id), s.key(kindDismissed, id))
	}
	return s.putJSON(dismissedName(id), s.key(kindDismissed, id), list)
}

func dismissedName(id string) string { return fmt.Sprintf("the dismissed warnings of campaign %q", id) }
