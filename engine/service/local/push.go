package local

import (
	"context"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/push"
)

// push builds the notification of rendered content for one device.
func (p *testPlan) push(key engine.TestKey, content doc.Value, d engine.Device, now time.Time) (*delivery.Push, error) {
	out := providers.PushTo(d)
	o := push.Options{
		Token: out.Token, Advanced: p.document.Get(string(catalog.Advanced)), Message: p.document.Lookup(key.Content[:len(key.Content)-1]), Now: now,
	}
	if g, ok := (engine.Workspace{Gateways: p.gateways}).Gateway(engine.ProviderAPNs); ok && g.APNs != nil {
		o.Topic = g.APNs.Topic
	}
	note, err := push.Build(catalog.Platform(key.Platform), content, o)
	if err != nil {
		return nil, err
	}
	out.Title, out.Body, out.Headers, out.Payload = note.Title, note.Body, note.Headers, note.Payload.Encode()
	return out, nil
}

// connectorName returns what delivers a message, for display in the outbox.
func (p *testPlan) connectorName(m delivery.Message) string {
	if m.Push == nil {
		return p.connector.Name
	}
	kind, g := gatewayFor(p.gateways, m.Push.Platform)
	if g == nil {
		return ""
	}
	return kind.Name
}

func gatewayFor(of []engine.Gateway, platform string) (providers.Kind, *engine.Gateway) {
	kind, ok := providers.KindFor(platform)
	if !ok {
		return kind, nil
	}
	for i := range of {
		if of[i].Provider == kind.Provider {
			return kind, &of[i]
		}
	}
	return kind, nil
}

// OpenGateway returns the provider of a push gateway of the workspace, if it may use its key on this machine.
func (s *Service) OpenGateway(ctx context.Context, g engine.Gateway) (delivery.Sender, error) {
	if err := s.trust.Check(s.settings.workspace, g); err != nil {
		return nil, err
	}
	return s.gateways(ctx, g)
}

// gateways opens the push gateways of one test when they are first needed, because reading a key may take a
// while, and a gateway that cannot be opened should only fail its own messages.
type gateways struct {
	of   []engine.Gateway
	open func(context.Context, engine.Gateway) (delivery.Sender, error)

	mu     sync.Mutex
	opened map[string]func() (delivery.Sender, error) // by provider
}

// provider returns the provider for a platform, or nil for the outbox.
func (g *gateways) provider(ctx context.Context, platform string) (delivery.Sender, error) {
	_, found := gatewayFor(g.of, platform)
	if found == nil {
		return nil, nil
	}
	g.mu.Lock()
	if g.opened == nil {
		g.opened = map[string]func() (delivery.Sender, error){}
	}
	open := g.opened[found.Provider]
	if open == nil {
		open = sync.OnceValues(func() (delivery.Sender, error) { return g.open(ctx, *found) })
		g.opened[found.Provider] = open
	}
	g.mu.Unlock()
	return open()
}
