package attach

import (
	"context"
	"errors"

	"bugle/engine"
	"bugle/engine/doc"
)

// What methods are asked and answer where one value does not say it.
type (
	signed struct{ ID, By string }
	nth    struct {
		ID string
		N  int64
	}
	copyOf struct {
		ID   string
		Copy engine.WorkingCopy
	}
	keptCopy struct {
		Copy engine.WorkingCopy
		Kept bool
	}
	profilesLike struct {
		Text  string
		Limit int
	}
	testsOf struct {
		ID    string
		Limit int
	}
	recipientsOf struct {
		Channel    engine.Channel
		Identifier string
		Limit      int
	}
	testAsked struct {
		engine.Call
		Body doc.Value
		tell func(engine.TestProgress)
	}
	// settingsAsked says how settings are read.
	settingsAsked struct {
		// Bare: without their fingerprint.
		Bare bool
		// shared: nothing in them is changed, so that they need not be the caller's own.
		shared bool
	}
	settings struct {
		Workspace   engine.Workspace
		Fingerprint string
	}
	swap struct {
		From string // fingerprint of the settings that the change was made to
		To   engine.Workspace
	}
	swapped struct{ Stale, Same bool }
	founded struct {
		Workspace engine.Workspace
		Sample    bool
	}
	foundation struct{ ID, Key string }
	none       struct{}
)

func campaign(ids ...string) (out []Change) {
	for i, id := range ids {
		if i == 0 || id != ids[0] {
			out = append(out, Change{Kind: Campaigns, ID: id})
		}
	}
	return out
}

// The methods of the store.
var (
	workspacesMethod = define(method[none, []string]{name: "workspaces", store: true,
		run: func(ctx context.Context, t target, _ none) ([]string, error) { return t.owned.Workspaces(ctx) }})
	foundMethod = define(method[founded, foundation]{name: "found", store: true,
		run: func(ctx context.Context, t target, in founded) (out foundation, err error) {
			out.ID, out.Key, err = t.owned.Create(ctx, in.Workspace, in.Sample)
			return out, err
		},
		touched: func(_ founded, out foundation) []Change { return []Change{{Workspace: out.ID, Kind: Settings}} }})
)

// The ten operations.
var (
	createMethod = define(method[engine.CreateRequest, engine.Created]{name: "create", run: on(Service.Create),
		touched: func(_ engine.CreateRequest, out engine.Created) []Change { return campaign(out.ID) }})
	getMethod    = define(method[string, engine.Campaign]{name: "get", run: on(Service.Get)})
	updateMethod = define(method[engine.UpdateRequest, engine.Updated]{name: "update", run: on(Service.Update),
		touched: func(in engine.UpdateRequest, out engine.Updated) []Change { return campaign(in.ID, out.ID) }})
	publishMethod = define(method[engine.PublishRequest, engine.Updated]{name: "publish", run: on(Service.Publish),
		touched: func(in engine.PublishRequest, out engine.Updated) []Change { return campaign(in.ID, out.ID) }})
	validateMethod = define(method[string, engine.Validation]{name: "validate", run: on(Service.Validate)})
	statusMethod   = define(method[engine.StatusRequest, engine.StatusChanged]{name: "status", run: on(Service.ChangeStatus),
		touched: func(in engine.StatusRequest, _ engine.StatusChanged) []Change { return campaign(in.ID) }})
	searchMethod = define(method[engine.SearchRequest, []engine.Campaign]{name: "search", run: on(Service.Search)})
	metaMethod   = define(method[engine.MetaRequest, []engine.Meta]{name: "meta", run: on(Service.Meta)})
	testMethod   = define(method[testAsked, engine.TestResult]{name: "test",
		run: func(ctx context.Context, t target, in testAsked) (engine.TestResult, error) {
			return t.svc.Test(ctx, engine.TestRequest{Call: in.Call, Body: in.Body, Progress: in.tell})
		},
		touched:  func(testAsked, engine.TestResult) []Change { return []Change{{Kind: Outbox}} },
		progress: func(in *testAsked) *func(engine.TestProgress) { return &in.tell },
		settle:   settleTest})
	previewMethod = define(method[engine.PreviewRequest, engine.Preview]{name: "preview", run: on(Service.Preview)})
)

// What only a local workspace can do with campaigns.
var (
	listMethod = define(method[engine.ListQuery, []engine.Summary]{name: "list", run: on(Service.List)})
	saveMethod = define(method[engine.SaveRequest, engine.Head]{name: "save", run: on(Service.Save), settle: settleSave,
		touched: func(in engine.SaveRequest, _ engine.Head) []Change { return campaign(in.ID) }})
	keepCopyMethod = define(method[copyOf, none]{name: "keep-copy",
		run: func(ctx context.Context, t target, in copyOf) (none, error) {
			return none{}, t.svc.KeepCopy(ctx, in.ID, in.Copy)
		},
		touched: func(in copyOf, _ none) []Change { return campaign(in.ID) }})
	copyMethod = define(method[string, keptCopy]{name: "copy",
		run: func(ctx context.Context, t target, id string) (out keptCopy, err error) {
			out.Copy, out.Kept, err = t.svc.Copy(ctx, id)
			return out, err
		}})
	dropCopyMethod = define(method[string, none]{name: "drop-copy",
		run: func(ctx context.Context, t target, id string) (none, error) {
			return none{}, t.svc.DropCopy(ctx, id)
		},
		touched: func(id string, _ none) []Change { return campaign(id) }})
	revisionsMethod = define(method[string, []engine.Revision]{name: "revisions", run: on(Service.Revisions)})
	revisionMethod  = define(method[nth, engine.Campaign]{name: "revision",
		run: func(ctx context.Context, t target, in nth) (engine.Campaign, error) {
			return t.svc.Revision(ctx, in.ID, in.N)
		}})
	archiveMethod = define(method[signed, none]{name: "archive", settle: settleMove, touched: moved,
		run: func(ctx context.Context, t target, in signed) (none, error) {
			return none{}, t.svc.Archive(ctx, in.ID, in.By)
		}})
	restoreMethod = define(method[signed, none]{name: "restore", settle: settleMove, touched: moved,
		run: func(ctx context.Context, t target, in signed) (none, error) {
			return none{}, t.svc.Restore(ctx, in.ID, in.By)
		}})
	deleteMethod = define(method[string, none]{name: "delete", settle: settleDelete,
		run:     func(ctx context.Context, t target, id string) (none, error) { return none{}, t.svc.Delete(ctx, id) },
		touched: func(id string, _ none) []Change { return campaign(id) }})
	cloneMethod = define(method[signed, engine.Created]{name: "clone", settle: settleClone,
		run: func(ctx context.Context, t target, in signed) (engine.Created, error) {
			return t.svc.Clone(ctx, in.ID, in.By)
		},
		touched: func(_ signed, out engine.Created) []Change { return campaign(out.ID) }})
)

func moved(in signed, _ none) []Change { return campaign(in.ID) }

// The outbox, the test history and the settings.
var (
	outboxMethod      = define(method[int, []engine.Delivered]{name: "outbox", run: on(Service.Outbox)})
	clearOutboxMethod = define(method[none, none]{name: "clear-outbox",
		run:     func(ctx context.Context, t target, _ none) (none, error) { return none{}, t.svc.ClearOutbox(ctx) },
		touched: func(none, none) []Change { return []Change{{Kind: Outbox}} }})
	testsMethod = define(method[testsOf, []engine.TestRecord]{name: "tests",
		run: func(ctx context.Context, t target, in testsOf) ([]engine.TestRecord, error) {
			return t.svc.Tests(ctx, in.ID, in.Limit)
		}})
	recipientsMethod = define(method[recipientsOf, []string]{name: "recipients",
		run: func(ctx context.Context, t target, in recipientsOf) ([]string, error) {
			return t.svc.Recipients(ctx, in.Channel, in.Identifier, in.Limit)
		}})
	settingsMethod = define(method[settingsAsked, settings]{name: "settings", run: readSettings})
	swapMethod     = define(method[swap, swapped]{name: "swap-settings", run: swapSettings,
		touched: func(_ swap, out swapped) []Change {
			if out.Stale || out.Same {
				return nil
			}
			return []Change{{Kind: Settings}}
		}})
)

func readSettings(ctx context.Context, t target, in settingsAsked) (out settings, err error) {
	if svc, ok := t.svc.(interface {
		Settings(context.Context) (engine.Workspace, error)
	}); ok && in.shared {
		out.Workspace, err = svc.Settings(ctx)
		return out, err
	}
	if out.Workspace, err = t.svc.Workspace(ctx); err == nil && !in.Bare {
		out.Fingerprint, err = fingerprint(out.Workspace)
	}
	return out, err
}

var errNoSwap = errors.New("no settings changed")

// swapSettings changes the settings where they still are what the change was made to.
func swapSettings(ctx context.Context, t target, in swap) (out swapped, err error) {
	want, err := fingerprint(in.To)
	if err != nil {
		return out, err
	}
	err = t.svc.UpdateWorkspace(ctx, func(w *engine.Workspace) error {
		have, err := fingerprint(*w)
		if err != nil {
			return err
		}
		if out = (swapped{Same: have == want, Stale: have != want && have != in.From}); out.Same || out.Stale {
			return errNoSwap
		}
		*w = in.To
		return nil
	})
	if errors.Is(err, errNoSwap) {
		err = nil
	}
	return out, err
}

// The profiles.
var (
	profilesMethod = define(method[profilesLike, []engine.Profile]{name: "profiles",
		run: func(ctx context.Context, t target, in profilesLike) ([]engine.Profile, error) {
			return t.svc.Profiles(ctx, in.Text, in.Limit)
		}})
	profileMethod    = define(method[string, engine.Profile]{name: "profile", run: on(Service.Profile)})
	putProfileMethod = define(method[engine.Profile, none]{name: "put-profile",
		run: func(ctx context.Context, t target, p engine.Profile) (none, error) {
			return none{}, t.svc.PutProfile(ctx, p)
		},
		touched: func(p engine.Profile, _ none) []Change { return []Change{{Kind: Profiles, ID: p.ID}} }})
	importProfilesMethod = define(method[engine.ProfileImport, engine.ProfilesImported]{name: "import-profiles",
		run: func(ctx context.Context, t target, r engine.ProfileImport) (engine.ProfilesImported, error) {
			return t.svc.ImportProfiles(ctx, r)
		},
		touched: func(engine.ProfileImport, engine.ProfilesImported) []Change { return []Change{{Kind: Profiles}} }})
	deleteProfileMethod = define(method[string, none]{name: "delete-profile", settle: settleDeleteProfile,
		run: func(ctx context.Context, t target, id string) (none, error) {
			return none{}, t.svc.DeleteProfile(ctx, id)
		},
		touched: func(id string, _ none) []Change { return []Change{{Kind: Profiles, ID: id}} }})
)

// Whom filters pick.
var (
	estimateMethod = define(method[engine.AudienceRequest, engine.AudienceCount]{name: "estimate-audience", run: on(Service.EstimateAudience)})
	membersMethod  = define(method[engine.AudienceRequest, []engine.Profile]{name: "audience-members", run: on(Service.AudienceMembers)})
	explainMethod  = define(method[engine.AudienceRequest, engine.AudienceResult]{name: "explain-audience", run: on(Service.ExplainAudience)})
)
