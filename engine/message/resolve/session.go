package resolve

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/contentapi"
)

const (
	// answersLife is how long the answers of content APIs are used again.
	answersLife = 30 * time.Second
	// previewsLife is how long the previews of a service are used again, and mostPreviews how many.
	previewsLife = 5 * time.Minute
	mostPreviews = 64
)

// session is what the versions of a campaign share while it is edited: what was read and called.
type session struct {
	service engine.Service
	keeper  engine.ContentStore // nil where the service shows no content

	mu       sync.Mutex
	content  reader
	answers  *contentapi.Session
	asked    time.Time // when the first answer was asked for
	previews map[previewKey]*preview
}

func newSession(service engine.Service) *session {
	s := &session{service: service, previews: map[previewKey]*preview{}}
	s.keeper, _ = service.(engine.ContentStore)
	s.content = reader{from: s.keeper, kinds: map[engine.ContentKind][]engine.ContentItem{}, items: map[engine.ContentRef]foundItem{}}
	return s
}

func (s *session) reader() assemble.Source { return &s.content }

// functions returns content APIs that are called, each once with the same arguments for a while.
func (s *session) functions(apis []engine.ContentAPI) assemble.Functions {
	if len(apis) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers == nil || time.Since(s.asked) > answersLife {
		s.answers, s.asked = contentapi.Through(s.keeper), time.Now()
	}
	return s.answers.FunctionsOf(apis)
}

// reader reads the content of a workspace, each piece once.
type reader struct {
	from engine.ContentStore

	mu    sync.Mutex
	kinds map[engine.ContentKind][]engine.ContentItem
	items map[engine.ContentRef]foundItem
}

type foundItem struct {
	engine.ContentItem
	err error // that there is none
}

func (r *reader) Content(ctx context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if list, ok := r.kinds[kind]; ok {
		return list, nil
	}
	list, err := r.from.Content(ctx, kind)
	if err == nil {
		r.kinds[kind] = list
	}
	return list, err
}

func (r *reader) ContentItem(ctx context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.items[ref]; ok {
		return found.ContentItem, found.err
	}
	item, err := r.from.ContentItem(ctx, ref)
	if e := engine.AsError(err); err == nil || e != nil && e.Code == engine.NotFound {
		r.items[ref] = foundItem{item, err}
	}
	return item, err
}

// previewKey is what the preview of a service depends on.
type previewKey struct {
	person  Person
	content [sha256.Size]byte
	event   string
}

// preview is one that was asked for, once done is closed.
type preview struct {
	done chan struct{}
	at   time.Time
	out  engine.Preview
	err  error
}

// preview returns the preview that the service makes for a viewer, or made a moment ago. A call that fails, or whose
// caller gives up, is made again for the next.
func (s *session) preview(ctx context.Context, ch engine.Channel, document doc.Value, v Viewer) (engine.Preview, error) {
	content := document.Get(string(catalog.CampaignContent))
	key := previewKey{v.Person, sha256.Sum256(content.Encode()), string(doc.NewObject(v.EventAttributes...).Encode())}
	for {
		p, ours := s.claim(key)
		if ours {
			p.out, p.err = s.service.Preview(ctx, engine.PreviewRequest{
				Call: engine.NewCall(), Body: engine.PreviewBodyFor(ch, v.Kind, v.ID, content, v.EventAttributes),
			})
			if p.err != nil {
				s.forget(key, p)
			}
			close(p.done)
			return p.out, p.err
		}
		select {
		case <-p.done:
			if p.err == nil {
				return p.out, nil
			}
		case <-ctx.Done():
			return engine.Preview{}, ctx.Err()
		}
	}
}

// claim returns the preview under key, and reports whether it is the caller's to make.
func (s *session) claim(key previewKey) (p *preview, ours bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p = s.previews[key]; p != nil && time.Since(p.at) < previewsLife {
		return p, false
	}
	if len(s.previews) >= mostPreviews {
		clear(s.previews)
	}
	p = &preview{done: make(chan struct{}), at: time.Now()}
	s.previews[key] = p
	return p, true
}

func (s *session) forget(key previewKey, p *preview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.previews[key] == p {
		delete(s.previews, key)
	}
}
