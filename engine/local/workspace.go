package local

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"bugle/engine"
	"bugle/engine/contentapi"
	"bugle/engine/delivery/carriers"
	"bugle/engine/profiles"
	"bugle/engine/schema"
	"bugle/store"
)

// CreateWorkspace puts a new workspace with one API key of all scopes into the store. The key is
// given this once: the store keeps its SHA-256 alone. What w leaves empty gets its usual value.
// An id that is taken is refused with BAD_REQUEST, HTTP 409.
func CreateWorkspace(ctx context.Context, db store.DB, w engine.Workspace) (apiKey string, err error) {
	s := newService(db, w.ID, Options{})
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
	w.Keys = append(w.Keys, record)
	if err := checkWorkspace(w); err != nil {
		return "", err
	}
	err = s.update(ctx, func(sp store.Space) error {
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

// Workspace gives the settings.
func (s *Service) Workspace(ctx context.Context) (engine.Workspace, error) {
	var out engine.Workspace
	err := s.view(ctx, func(sp store.Space) error {
		var err error
		out, err = s.settings(sp)
		return err
	})
	return out, err
}

// UpdateWorkspace applies change to the settings in one transaction. It may run change again
// where another change came between.
func (s *Service) UpdateWorkspace(ctx context.Context, change func(*engine.Workspace) error) error {
	var refused error
	err := s.update(ctx, func(sp store.Space) error {
		w, err := s.settings(sp)
		if err != nil {
			return err
		}
		if refused = change(&w); refused != nil {
			return refused
		}
		if w.ID != s.workspace {
			return refuse("id", "the ID of a workspace cannot be changed")
		}
		if err := checkWorkspace(w); err != nil {
			return err
		}
		return sp.PutSettings(w)
	})
	if refused != nil {
		return refused
	}
	return err
}

// checkWorkspace refuses settings that nothing could work with.
func checkWorkspace(w engine.Workspace) error {
	switch {
	case !validID(w.ID):
		return refuse("id", "a workspace ID must have 1 to 64 letters, digits, - or _, not %q", w.ID)
	case w.Publish != engine.PublishBeta && w.Publish != engine.PublishEnabled:
		return refuse("publish", "publish must be %s or %s, not %q", engine.PublishBeta, engine.PublishEnabled, w.Publish)
	case !schema.Zone.Matches(w.Timezone):
		return refuse("timezone", "must be %s, not %q", schema.Zone.Words(), w.Timezone)
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
		if c.Carrier != engine.CarrierOutbox && c.Carrier != engine.CarrierSMTP {
			return refuse("connectors", "the carrier of the connector %q must be %s or %s, not %q", c.Name, engine.CarrierOutbox, engine.CarrierSMTP, c.Carrier)
		}
		if c.Carrier == engine.CarrierSMTP && c.SMTP == nil {
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
		if err := carriers.Check(g); err != nil {
			return refuse("push_gateways", "%w", err)
		}
		if seen[g.Carrier] {
			return refuse("push_gateways", "there are two %s gateways; a workspace can have only one of each", g.Carrier)
		}
		seen[g.Carrier] = true
	}
	return nil
}

func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// Profiles gives at most limit profiles whose id or attributes contain text, in any case, by id.
// A limit of 0 means all.
func (s *Service) Profiles(ctx context.Context, text string, limit int) ([]engine.Profile, error) {
	var out []engine.Profile
	text = strings.ToLower(text)
	err := s.view(ctx, func(sp store.Space) error {
		out = nil
		return sp.Profiles(func(p engine.Profile) error {
			if !mentions(p, text) {
				return nil
			}
			out = append(out, p)
			if limit > 0 && len(out) >= limit {
				return store.Stop
			}
			return nil
		})
	})
	return out, err
}

func mentions(p engine.Profile, text string) bool {
	if strings.Contains(strings.ToLower(p.ID), text) {
		return true
	}
	for _, v := range p.Attributes {
		if strings.Contains(strings.ToLower(plainText(v)), text) {
			return true
		}
	}
	return false
}

func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// Profile gives one profile; NOT_FOUND where there is none of that id.
func (s *Service) Profile(ctx context.Context, id string) (engine.Profile, error) {
	var out engine.Profile
	err := s.view(ctx, func(sp store.Space) error {
		p, found, err := profile(sp, id)
		if err == nil && !found {
			err = missing("there is no user %q in this workspace", id)
		}
		out = p
		return err
	})
	return out, err
}

// PutProfile adds a profile, or changes the one with its id.
func (s *Service) PutProfile(ctx context.Context, p engine.Profile) error {
	if err := profiles.Check(p); err != nil {
		return refuse("id", "%v", err)
	}
	return s.update(ctx, func(sp store.Space) error { return sp.PutProfile(p) })
}

// DeleteProfile removes a profile; NOT_FOUND where there is none of that id.
func (s *Service) DeleteProfile(ctx context.Context, id string) error {
	return s.update(ctx, func(sp store.Space) error {
		_, found, err := profile(sp, id)
		if err != nil {
			return err
		}
		if !found {
			return missing("there is no user %q in this workspace", id)
		}
		return sp.DeleteProfile(id)
	})
}

func profile(sp store.Space, id string) (engine.Profile, bool, error) {
	if id == "" || len(id) > maxID {
		return engine.Profile{}, false, nil
	}
	p, err := sp.Profile(id)
	if errors.Is(err, store.ErrNotFound) {
		return p, false, nil
	}
	return p, err == nil, err
}
