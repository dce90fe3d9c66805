package local

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"bugle/engine"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/schema"
	"bugle/store"
)

// CreateWorkspace creates a workspace with one API key of all scopes. The key is only returned this once: the
// store has its SHA-256. Empty settings get their defaults. If the id is taken, it fails with BAD_REQUEST,
// HTTP 409.
func CreateWorkspace(ctx context.Context, db store.DB, w engine.Workspace) (apiKey string, err error) {
	s := newWriter(db, w.ID, newTasks(), Options{})
	if w.CreatedAt.IsZero() {
		w.CreatedAt = s.now()
	}
	if w.Name == "" {
		w.Name = w.ID
	}
	if w.Timezone == "" {
		w.Timezone = "UTC"
	}
	if w.Publish == "" {
		w.Publish = engine.PublishBeta
	}
	if w.Flags == nil {
		w.Flags = map[string]bool{}
	}
	apiKey, record := engine.NewAPIKey(s.now(), engine.KnownScopes())
	record.Name = "first key"
	w.Keys = append(w.Keys, record)
	if err := checkWorkspace(w); err != nil {
		return "", err
	}
	err = s.update(ctx, func(sp store.WorkspaceTx) error {
		_, err := sp.Settings()
		if err == nil {
			e := engine.Errorf(engine.BadRequest, http.StatusConflict, "there is already a workspace %q in this store; choose another ID", w.ID)
			e.Target = "id"
			return e
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return sp.PutSettings(w)
	})
	if err != nil {
		return "", err
	}
	return apiKey, nil
}

// checkWorkspace refuses invalid settings.
func checkWorkspace(w engine.Workspace) error {
	switch {
	case !validID(w.ID):
		return refuse("id", "a workspace ID must have 1 to 64 letters, digits, - or _, not %q", w.ID)
	case w.Publish != engine.PublishBeta && w.Publish != engine.PublishEnabled:
		return refuse("publish", "publish must be %s or %s, not %q", engine.PublishBeta, engine.PublishEnabled, w.Publish)
	case !schema.Zone.Matches(w.Timezone):
		return refuse("timezone", "must be %s, not %q", schema.Zone.Requirement(), w.Timezone)
	}
	seen := map[string]bool{}
	for _, c := range w.Connectors {
		if c.Name == "" || c.Type == "" {
			return refuse("connectors", "a connector needs a type and a name")
		}
		if name := c.Type + "\x00" + c.Name; seen[name] {
			return refuse("connectors", "there are two %s connectors named %q; rename one", c.Type, c.Name)
		} else {
			seen[name] = true
		}
		if c.Provider != engine.ProviderOutbox && c.Provider != engine.ProviderSMTP {
			return refuse("connectors", "the provider of the connector %q must be %s or %s, not %q", c.Name, engine.ProviderOutbox, engine.ProviderSMTP, c.Provider)
		}
		if c.Provider == engine.ProviderSMTP && c.SMTP == nil {
			return refuse("connectors", "the connector %q uses SMTP and needs a host", c.Name)
		}
	}
	if err := contentapi.CheckHosts(w.ContentAPIs.Hosts); err != nil {
		return refuse("content_apis.hosts", "%w", err)
	}
	return checkGateways(w.Gateways)
}

func checkGateways(list []engine.Gateway) error {
	seen := map[string]bool{}
	for _, g := range list {
		if err := providers.Check(g); err != nil {
			return refuse("push_gateways", "%w", err)
		}
		if seen[g.Provider] {
			return refuse("push_gateways", "there are two %s gateways; a workspace can have only one of each", g.Provider)
		}
		seen[g.Provider] = true
	}
	return nil
}

func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
