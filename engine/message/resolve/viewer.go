package resolve

import (
	"context"
	"net/http"

	"bugle/engine"
	"bugle/engine/doc"
)

// Person names who a message is seen as. It can be stored as JSON. The zero Person is that nobody was chosen yet.
type Person struct {
	Kind string `json:"kind,omitempty"` // [Nobody], or what kind of identifier ID is
	ID   string `json:"id,omitempty"`
}

// Nobody is the kind of a person who has no attributes: only defaults fill a message.
const Nobody = "nobody"

// PersonNamed returns the person that people call so: an email address, or else a unique ID.
func PersonNamed(name string) Person { return Person{engine.PreviewKind(name), name} }

// Named reports whether the person is a user.
func (p Person) Named() bool { return p.Kind != "" && p.Kind != Nobody && p.ID != "" }

// Viewer is whose data fills a message. The zero Viewer is nobody: every attribute is missing, and defaults apply.
type Viewer struct {
	Person
	// User is nil for nobody, and where only the service knows the user.
	User *engine.User
	// UserAttributes and EventAttributes take the place of the user's own, and of those of the user's newest event of
	// the trigger's kind.
	UserAttributes, EventAttributes []doc.Member
}

// ViewerOf returns the viewer that a user is.
func ViewerOf(u engine.User) Viewer {
	return Viewer{Person: Person{engine.PreviewKind(""), u.ID}, User: &u}
}

// Name returns what people call the viewer.
func (v Viewer) Name() string {
	switch {
	case v.User != nil:
		return v.User.DisplayName()
	case v.Named():
		return v.ID
	}
	return Nobody
}

// byService reports whether only the service can fill a message for the viewer.
func (v Viewer) byService() bool { return v.User == nil && v.Named() }

// event returns the attributes of the event that starts the campaign, as the viewer's message has them.
func (v Viewer) event(document doc.Value) map[string]any {
	var own map[string]any
	if v.User != nil {
		own = engine.TriggerAttributes(document, *v.User)
	}
	if len(v.EventAttributes) == 0 {
		return own
	}
	return Over(own, Values(doc.NewObject(v.EventAttributes...)))
}

func (v Viewer) user() map[string]any {
	var own map[string]any
	if v.User != nil {
		own = v.User.Attributes
	}
	if len(v.UserAttributes) == 0 {
		return own
	}
	return Over(own, Values(doc.NewObject(v.UserAttributes...)))
}

// Find returns the viewer that a person is. A service that does not show its users finds them itself when it fills
// the message. A user who is certainly not there is [engine.NotFound].
func Find(ctx context.Context, service engine.Service, p Person) (Viewer, error) {
	v := Viewer{Person: p}
	keeper, ok := service.(engine.UserStore)
	if !ok || !p.Named() {
		return v, nil
	}
	found, sure, err := engine.FindUser(ctx, keeper, p.Kind, p.ID)
	switch {
	case err != nil:
		return v, err
	case found != nil:
		v.User = found
	case sure:
		return v, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no user %q in this workspace", p.ID)
	}
	return v, nil
}
