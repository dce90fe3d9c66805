package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

// Creator creates the drafts of campaign files. What an earlier run created, in the time that a service remembers a key,
// is not created again: the key of a creation is derived from the workspace, the campaign as its file has it, and how many
// equal ones come before it. So it does not matter what else in the files was changed between the runs.
type Creator struct {
	svc   engine.Service
	place string // everything else that the keys are derived from
	seen  map[string]int
}

// Creator returns a creator for one run of a command. by is the signature that the user chose, if any.
func (f *Factory) Creator(ctx context.Context, svc engine.Service, by string) (*Creator, error) {
	c := &Creator{svc: svc, seen: map[string]int{}}
	workspace := ""
	if k, ok := svc.(engine.WorkspaceStore); ok {
		w, err := k.Workspace(ctx)
		if err != nil {
			return nil, err
		}
		workspace = w.ID
	} else if p, ok, err := f.Remote(); err != nil {
		return nil, err
	} else if ok {
		workspace = strings.Join([]string{p.BaseURL, p.DC, p.Workspace}, "\n")
	}
	c.place = workspace + "\n" + by + "\n"
	return c, nil
}

// Create creates a draft with the body of a request. from is the campaign as its file has it. The result is Replayed if an
// earlier run created the draft, which may have been changed since.
func (c *Creator) Create(ctx context.Context, from, body doc.Value) (engine.Created, error) {
	text := string(from.Encode())
	c.seen[text]++
	for again := 0; ; again++ {
		call := engine.NewCall()
		call.IdempotencyKey = uuid.NewHash(sha256.New(), uuid.NameSpaceURL, fmt.Appendf(nil, "%s%d\n%d\n%s", c.place, c.seen[text], again, text), 4).String()
		made, err := c.svc.Create(ctx, engine.CreateRequest{Call: call, Body: body})
		if e := engine.AsError(err); e != nil && e.HTTP == http.StatusConflict && e.Target == operation.HeaderIdempotencyKey {
			known := *e
			known.Message = "a draft was created from it in the last 24 hours, signed by somebody else or compiled differently"
			return made, WithRemedy(&known, "Use `bugle create` to create another one.")
		}
		if err != nil || !made.Replayed {
			return made, err
		}
		_, err = c.svc.Get(ctx, made.ID)
		if e := engine.AsError(err); e == nil || e.Code != engine.NotFound { // else it was deleted, and is created again
			return made, err
		}
	}
}
