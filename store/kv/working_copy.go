package kv

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/internal/wire"
)

// WorkingCopy returns the working copy of a campaign.
func (s WorkspaceTx) WorkingCopy(id string) (engine.WorkingCopy, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.WorkingCopy{}, err
	}
	what := copyName(id)
	payload, err := s.get(what, s.key(kindCopy, id))
	if err != nil {
		return engine.WorkingCopy{}, err
	}
	var w wire.WorkingCopy
	body, err := wire.DecodeWith(payload, &w)
	if err != nil {
		return engine.WorkingCopy{}, s.damaged(what, err)
	}
	out := engine.WorkingCopy{Base: w.Base, Body: body, At: w.At}
	if w.Origin != "" {
		if out.Origin, err = doc.Parse([]byte(w.Origin)); err != nil {
			return engine.WorkingCopy{}, s.damaged(what, err)
		}
	}
	return out, nil
}

// PutWorkingCopy stores the working copy of a campaign and replaces an earlier one.
func (s WorkspaceTx) PutWorkingCopy(id string, w engine.WorkingCopy) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	head := wire.WorkingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}
	return s.putWith(copyName(id), s.key(kindCopy, id), head, w.Body)
}

// DeleteWorkingCopy removes the working copy of a campaign, if there is one.
func (s WorkspaceTx) DeleteWorkingCopy(id string) error {
	if err := s.check(whatCampaign, id); err != nil {
		return err
	}
	return s.delete(copyName(id), s.key(kindCopy, id))
}

func copyName(id string) string { return fmt.Sprintf("the working copy of campaign %q", id) }
