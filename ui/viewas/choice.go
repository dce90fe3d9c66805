// Package viewas shows the messages of a campaign as one person gets them: it remembers who was chosen, resolves the
// messages beside typing, lets the user choose among the users of the workspace, and surveys the audience.
//
// [Resolver], [Chooser] and [Survey] do their work in tasks of the screen that they belong to.
package viewas

import (
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/resolve"
	"bugle/ui/prefs"
	"bugle/ui/screen"
)

// Choice is whose data fills the messages. The zero Choice is that they are shown as written.
type Choice struct {
	resolve.Person
	Name string `json:"name,omitempty"` // what people call the user
}

// Nobody is the choice of a person without attributes.
func Nobody() Choice { return Choice{Person: resolve.Person{Kind: resolve.Nobody}} }

// ChoiceOf returns the choice of a user.
func ChoiceOf(u engine.User) Choice {
	return Choice{Person: resolve.ViewerOf(u).Person, Name: u.DisplayName()}
}

// AsWritten reports whether nobody was chosen, so that messages are shown as written.
func (c Choice) AsWritten() bool { return c.Person == resolve.Person{} }

// Label returns what people call the person.
func (c Choice) Label() string {
	switch {
	case c.AsWritten():
		return "as written"
	case c.Kind == resolve.Nobody:
		return "nobody"
	case c.Name != "":
		return c.Name
	}
	return c.ID
}

// Source is what is shown.
type Source struct {
	Channel   engine.Channel
	Workspace engine.Workspace // empty where the service does not describe it
	Document  doc.Value
}

// Config has what the parts of this package need of their screen.
type Config struct {
	Service engine.Service
	// Campaign is the ID under which the choice is remembered in Prefs, those of the workspace.
	Campaign string
	Prefs    *prefs.Prefs
	Tasks    *screen.Base // of the screen
}

// Kinds of tasks.
const (
	taskRemembered = "viewas.remembered"
	taskResolve    = "viewas.resolve"
	taskStep       = "viewas.step"
	taskSearch     = "viewas.search"
	taskSurvey     = "viewas.survey"
)

// choices returns the preferences that have the choice of each campaign.
func (c Config) choices() *prefs.Prefs { return c.Prefs.Within("view as") }

// Users returns the store of the service's users; false where it does not show them.
func (c Config) Users() (engine.UserStore, bool) {
	users, ok := c.Service.(engine.UserStore)
	return users, ok
}

// Audience returns the reader of the service's audiences; false where it does not show its users.
func (c Config) Audience() (engine.AudienceReader, bool) {
	if _, ok := c.Users(); !ok {
		return nil, false
	}
	reader, ok := c.Service.(engine.AudienceReader)
	return reader, ok
}
