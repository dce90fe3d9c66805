package cli

import (
	"context"
	"fmt"
	"strings"
)

// Target is the workspace that a command works on, and where it is.
type Target struct {
	Workspace string `json:"workspace_id"`
	Data      string `json:"data,omitempty"` // the folder or the database, if it is not on a remote
	Remote    string `json:"remote,omitempty"`
	URL       string `json:"url,omitempty"` // of the remote
}

// String describes the target for people.
func (t Target) String() string {
	if t.Remote != "" {
		return fmt.Sprintf("workspace %s of the remote %s (%s)", t.Workspace, t.Remote, t.URL)
	}
	return fmt.Sprintf("workspace %s in %s", t.Workspace, t.Data)
}

// Target returns the target of a command: the workspace of the remote, or of the store, which must exist.
func (f *Factory) Target(ctx context.Context) (Target, error) {
	p, far, err := f.Remote()
	if err != nil {
		return Target{}, err
	}
	if far {
		return Target{Workspace: p.Workspace, Remote: p.Name, URL: strings.ReplaceAll(p.BaseURL, "{dc}", p.DC)}, nil
	}
	s, err := f.Open(ctx)
	if err != nil {
		return Target{}, err
	}
	id, err := f.WorkspaceID(ctx, s)
	return Target{Workspace: id, Data: f.storeName()}, err
}
