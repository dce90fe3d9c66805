package uitest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

// Service is a local service on a store in memory. Its methods that are not of [local.Service] fail the test when they do not
// succeed.
type Service struct {
	*local.Service

	// DB is the store.
	DB  *mem.DB
	now atomic.Pointer[time.Time] // which its background work reads, too
	t   testing.TB
}

// NewService returns a service with an empty workspace, which can publish and keeps email in the outbox.
func NewService(t testing.TB, w engine.Workspace) *Service {
	t.Helper()
	s := &Service{DB: mem.New(), t: t}
	s.SetNow(Now)
	t.Cleanup(func() { s.DB.Close() })
	w.ID, w.Publish, w.SubscriptionCategories = "DEMO", engine.PublishEnabled, append([]string{"Offers"}, w.SubscriptionCategories...)
	w.Connectors = []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}}
	_, err := local.CreateWorkspace(context.Background(), s.DB, w)
	s.OK(err)
	s.Service, err = local.Open(s.DB, w.ID, local.Options{Clock: s.Now})
	s.OK(err)
	return s
}

// Now returns what its clock shows, [Now] at first.
func (s *Service) Now() time.Time { return *s.now.Load() }

// SetNow sets its clock.
func (s *Service) SetNow(at time.Time) { s.now.Store(&at) }

// OK fails the test if there is an error.
func (s *Service) OK(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// PutUsers stores users.
func (s *Service) PutUsers(users ...engine.User) {
	s.t.Helper()
	for _, u := range users {
		s.OK(s.PutUser(context.Background(), u))
	}
}

// Draft creates a draft and returns its ID.
func (s *Service) Draft(ch engine.Channel, dt engine.DeliveryType, components string) string {
	s.t.Helper()
	body := engine.NewDraftBody(ch, dt, "ann@example.com", s.parse(components))
	made, err := s.Create(context.Background(), engine.CreateRequest{Call: engine.NewCall(), Body: body})
	s.OK(err)
	return made.ID
}

// Stored returns a campaign as it is stored.
func (s *Service) Stored(id string) engine.Campaign {
	s.t.Helper()
	c, err := s.Get(context.Background(), id)
	s.OK(err)
	return c
}

// Set stores another value of a field, in JSON, as an edit of somebody else.
func (s *Service) Set(id string, path doc.Path, value string) {
	s.t.Helper()
	c := s.Stored(id)
	body, err := c.Body.Set(path, s.parse(value))
	s.OK(err)
	r := engine.SaveRequest{ID: id, Revision: c.Revision, Body: body, By: "bob@example.com", Note: "edited " + path.String()}
	_, err = s.Save(context.Background(), r)
	s.OK(err)
}

func (s *Service) parse(text string) doc.Value {
	s.t.Helper()
	v, err := doc.Parse([]byte(text))
	s.OK(err)
	return v
}
