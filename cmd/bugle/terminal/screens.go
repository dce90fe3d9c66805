package terminal

import (
	"fmt"
	"time"

	"bugle/engine/service/activity"
	activityscreen "bugle/ui/activity"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/history"
	"bugle/ui/newdraft"
	"bugle/ui/outbox"
	"bugle/ui/screen"
	settingsscreen "bugle/ui/settings"
	"bugle/ui/testsend"
	"bugle/ui/validate"
	"bugle/ui/welcome"
	"bugle/ui/workspace"
)

// checkDelay is how long after the last key the builder looks for warnings: it spares checks while a key repeats, and is
// short enough that the warnings are there within 200 milliseconds.
const checkDelay = 70 * time.Millisecond

// Screens returns the factory of the screens. start creates the first workspace; log is for the Activity screen, own
// for the Settings screen, and more are options of the builder.
func Screens(start welcome.Start, log *activity.Log, own settingsscreen.Sources, more ...builder.Option) app.Factory {
	return func(deps screen.Deps, r screen.Route) (screen.Screen, error) {
		switch r.Name {
		case screen.Campaigns:
			return campaigns.New(deps, r), nil
		case screen.NewDraft:
			return newdraft.New(deps, r), nil
		case screen.Builder:
			return builder.New(deps, r, more...), nil
		case screen.Validate:
			return validate.New(deps, r), nil
		case screen.TestSend:
			return testsend.New(deps, r), nil
		case screen.Outbox:
			return outbox.New(deps, r), nil
		case screen.Activity:
			return activityscreen.New(deps, r, log), nil
		case screen.History:
			return history.New(deps, r), nil
		case screen.Settings:
			s := settingsscreen.New(deps, own)
			s.GoTo(r)
			return s, nil
		case screen.Workspace:
			return workspace.New(deps, r), nil
		case screen.Welcome:
			return welcome.New(deps, start), nil
		}
		return nil, fmt.Errorf("unknown screen %q", r.Name)
	}
}

// Places lists the palette's destinations other than screens and campaigns.
func Places() []screen.PaletteItem {
	return append(settingsscreen.PaletteItems(), workspace.PaletteItems()...)
}
