package attach

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
)

// session is the service of a workspace, whoever has the store.
type session struct {
	node      *Node
	workspace string
}

var (
	_ Service               = (*session)(nil)
	_ engine.AudienceReader = (*session)(nil)
)

// key sets a key of its own on a write that may have to be repeated, and reports whether it did.
// The owner's calls are not repeated.
func (s *session) key(c *engine.Call) bool {
	if c.IdempotencyKey != "" || s.node.State().Role == Owner {
		return false
	}
	c.IdempotencyKey = uuid.NewString()
	return true
}

// asked changes an answer to what the caller asked for: one that has no key knows of no replay.
func (s *session) asked(a *engine.Answer, ours bool) { a.Replayed = a.Replayed && !ours }

func (s *session) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	ours := s.key(&r.Call)
	out, err := call(ctx, s, createMethod, r)
	s.asked(&out.Answer, ours)
	return out, err
}

func (s *session) Get(ctx context.Context, id string) (engine.Campaign, error) {
	return call(ctx, s, getMethod, id)
}

func (s *session) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	ours := s.key(&r.Call)
	out, err := call(ctx, s, updateMethod, r)
	s.asked(&out.Answer, ours)
	return out, err
}

func (s *session) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	ours := s.key(&r.Call)
	out, err := call(ctx, s, publishMethod, r)
	s.asked(&out.Answer, ours)
	return out, err
}

func (s *session) Validate(ctx context.Context, id string) (engine.Validation, error) {
	return call(ctx, s, validateMethod, id)
}

func (s *session) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	ours := s.key(&r.Call)
	out, err := call(ctx, s, statusMethod, r)
	s.asked(&out.Answer, ours)
	return out, err
}

func (s *session) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	return call(ctx, s, searchMethod, r)
}

func (s *session) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	return call(ctx, s, metaMethod, r)
}

// Test is known by its request id where its answer is lost, so it has one.
func (s *session) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	if r.RequestID == "" {
		r.RequestID = r.Body.Get("request_id").Text()
	}
	if r.RequestID == "" {
		r.RequestID = uuid.NewString()
	}
	return call(ctx, s, testMethod, testAsked{Call: r.Call, Body: r.Body, tell: r.Progress})
}

func (s *session) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	return call(ctx, s, previewMethod, r)
}

func (s *session) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	return call(ctx, s, listMethod, q)
}

func (s *session) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	return call(ctx, s, saveMethod, r)
}

func (s *session) KeepCopy(ctx context.Context, id string, w engine.WorkingCopy) error {
	_, err := call(ctx, s, keepCopyMethod, copyOf{id, w})
	return err
}

func (s *session) Copy(ctx context.Context, id string) (engine.WorkingCopy, bool, error) {
	out, err := call(ctx, s, copyMethod, id)
	return out.Copy, out.Kept, err
}

func (s *session) DropCopy(ctx context.Context, id string) error {
	_, err := call(ctx, s, dropCopyMethod, id)
	return err
}

func (s *session) Revisions(ctx context.Context, id string) ([]engine.Revision, error) {
	return call(ctx, s, revisionsMethod, id)
}

func (s *session) Revision(ctx context.Context, id string, n int64) (engine.Campaign, error) {
	return call(ctx, s, revisionMethod, nth{id, n})
}

func (s *session) Archive(ctx context.Context, id, by string) error {
	_, err := call(ctx, s, archiveMethod, signed{id, by})
	return err
}

func (s *session) Restore(ctx context.Context, id, by string) error {
	_, err := call(ctx, s, restoreMethod, signed{id, by})
	return err
}

func (s *session) Delete(ctx context.Context, id string) error {
	_, err := call(ctx, s, deleteMethod, id)
	return err
}

func (s *session) Clone(ctx context.Context, id, by string) (engine.Created, error) {
	return call(ctx, s, cloneMethod, signed{id, by})
}

func (s *session) Outbox(ctx context.Context, limit int) ([]engine.Delivered, error) {
	return call(ctx, s, outboxMethod, limit)
}

func (s *session) ClearOutbox(ctx context.Context) error {
	_, err := call(ctx, s, clearOutboxMethod, none{})
	return err
}

func (s *session) Workspace(ctx context.Context) (engine.Workspace, error) {
	out, err := call(ctx, s, settingsMethod, settingsAsked{Bare: true})
	return out.Workspace, err
}

// swapAttempts is how often a change of settings begins anew. Each time somebody else's was made.
const swapAttempts = 1000

// UpdateWorkspace reads the settings, changes them, and swaps them where nobody did meanwhile;
// otherwise it begins anew, so that change may run several times.
func (s *session) UpdateWorkspace(ctx context.Context, change func(*engine.Workspace) error) error {
	for range swapAttempts {
		have, err := call(ctx, s, settingsMethod, settingsAsked{})
		if err != nil {
			return err
		}
		if err := change(&have.Workspace); err != nil {
			return err
		}
		out, err := call(ctx, s, swapMethod, swap{From: have.Fingerprint, To: have.Workspace})
		if err != nil || !out.Stale {
			return err
		}
		if err := pause(ctx, rand.N(2*time.Millisecond)); err != nil {
			return err
		}
	}
	return engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "the settings keep changing; try again")
}

func (s *session) Profiles(ctx context.Context, text string, limit int) ([]engine.Profile, error) {
	return call(ctx, s, profilesMethod, profilesLike{text, limit})
}

func (s *session) Profile(ctx context.Context, id string) (engine.Profile, error) {
	return call(ctx, s, profileMethod, id)
}

func (s *session) PutProfile(ctx context.Context, p engine.Profile) error {
	_, err := call(ctx, s, putProfileMethod, p)
	return err
}

func (s *session) ImportProfiles(ctx context.Context, r engine.ProfileImport) (engine.ProfilesImported, error) {
	return call(ctx, s, importProfilesMethod, r)
}

func (s *session) DeleteProfile(ctx context.Context, id string) error {
	_, err := call(ctx, s, deleteProfileMethod, id)
	return err
}

// EstimateAudience tells of its progress only where this process has the store.
func (s *session) EstimateAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceCount, error) {
	return call(ctx, s, estimateMethod, r)
}

func (s *session) AudienceMembers(ctx context.Context, r engine.AudienceRequest) ([]engine.Profile, error) {
	return call(ctx, s, membersMethod, r)
}

func (s *session) ExplainAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	return call(ctx, s, explainMethod, r)
}

func (s *session) Tests(ctx context.Context, id string, limit int) ([]engine.TestRecord, error) {
	return call(ctx, s, testsMethod, testsOf{id, limit})
}

func (s *session) Recipients(ctx context.Context, channel engine.Channel, identifier string, limit int) ([]string, error) {
	return call(ctx, s, recipientsMethod, recipientsOf{channel, identifier, limit})
}

// Settings returns the settings of a workspace, to read: nothing in them may be changed.
func (n *Node) Settings(ctx context.Context, workspace string) (engine.Workspace, error) {
	out, err := call(ctx, &session{node: n, workspace: workspace}, settingsMethod, settingsAsked{Bare: true, shared: true})
	return out.Workspace, err
}

// Workspaces returns the ids of the workspaces in the store.
func (n *Node) Workspaces(ctx context.Context) ([]string, error) {
	return call(ctx, &session{node: n}, workspacesMethod, none{})
}

// CreateWorkspace makes a workspace, filled with the sample where it says so, and gives its id and
// its API key, which nobody can be told again.
func (n *Node) CreateWorkspace(ctx context.Context, w engine.Workspace, sample bool) (id, key string, err error) {
	if err := n.enter(ctx); err != nil {
		return "", "", err
	}
	defer n.calls.leave()
	out, lost, err := persist(ctx, &session{node: n}, foundMethod, founded{w, sample})
	if e := engine.AsError(err); lost && e != nil && e.HTTP == http.StatusConflict {
		err = errors.Join(err, errors.New("it may just have been created by a bugle process that quit, and its API key is lost"))
	}
	return out.ID, out.Key, err
}

// pause waits, or gives the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
