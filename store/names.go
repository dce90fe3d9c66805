package store

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"bugle/engine"
)

// MaxID is the longest id in bytes. Longer ones do not fit into an index of a database.
const MaxID = 600

// CheckIDs returns an error if no record can have a workspace id and other ids. Each of the pairs says what an id is, such
// as "a campaign id", and has the id.
func CheckIDs(workspace string, pairs ...string) error {
	if err := checkID("a workspace id", workspace); err != nil {
		return err
	}
	if !engine.IsWorkspaceID(workspace) {
		return fmt.Errorf("the workspace id %q has spaces or unprintable characters; use letters, digits, - and _", workspace)
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := checkID(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// IDError reports an id that no record can have.
type IDError struct{ text string }

func (e *IDError) Error() string { return e.text }

func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%s is missing", what)
	case len(id) > MaxID:
		return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(id), MaxID)
	case strings.Contains(id, "\x00"): // which a database cannot store
		return &IDError{fmt.Sprintf("%s has a NUL character: %q", what, id)}
	case !utf8.ValidString(id):
		return fmt.Errorf("%s is not valid UTF-8: %q", what, id)
	}
	return nil
}

// CheckContent returns an error if no record can have a reference.
func CheckContent(ref engine.ContentRef) error {
	if !slices.Contains(ContentKinds(), ref.Kind) {
		return fmt.Errorf("there is no record of the kind %q", ref.Kind)
	}
	return checkID("the name of a "+ref.Kind.Label(), ref.Name)
}

// CheckSettings returns an error for settings that cannot be stored in a workspace.
func CheckSettings(workspace string, w engine.Workspace) error {
	if w.ID != workspace {
		return fmt.Errorf("the settings of workspace %q cannot be stored in workspace %q", w.ID, workspace)
	}
	return CheckIDs(workspace)
}
