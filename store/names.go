package store

import (
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
)

// The names of records in messages. A [CorruptError] has one of them, followed by the workspace.
const (
	SettingsName = "the record with the settings"
	TestSendName = "the record of a test send"
)

// CampaignName returns the name of a campaign's document.
func CampaignName(id string) string { return fmt.Sprintf("campaign %q", id) }

// SummaryName returns the name of a campaign's summary.
func SummaryName(id string) string { return fmt.Sprintf("the summary of campaign %q", id) }

// RevisionName returns the name of a revision of a campaign.
func RevisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

// WorkingCopyName returns the name of a campaign's working copy.
func WorkingCopyName(id string) string { return fmt.Sprintf("the working copy of campaign %q", id) }

// DismissalsName returns the name of the list of a campaign's dismissed warnings.
func DismissalsName(id string) string { return fmt.Sprintf("the dismissed warnings of campaign %q", id) }

// UserName returns the name of a user's profile.
func UserName(id string) string { return fmt.Sprintf("the user %q", id) }

// OutboxMessageName returns the name of a delivered message.
func OutboxMessageName(id string) string { return fmt.Sprintf("the outbox message %q", id) }

// IdempotencyName returns the name of the record of an idempotency key.
func IdempotencyName(op, key string) string { return fmt.Sprintf("the %s with key %q", op, key) }

// RequestName returns the name of the record of a request id.
func RequestName(op, id string) string { return fmt.Sprintf("the %s with request id %q", op, id) }

// Damaged returns the error for a damaged record of a workspace.
func Damaged(workspace, what string, err error) error {
	return &CorruptError{What: fmt.Sprintf("%s in workspace %q", what, workspace), Err: err}
}

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

func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%s is missing", what)
	case len(id) > MaxID:
		return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(id), MaxID)
	}
	return nil
}

// CheckContent returns an error if no record can have a reference; its name may be empty if it stands for all of a kind.
func CheckContent(ref engine.ContentRef, all bool) error {
	switch {
	case !slices.Contains(ContentKinds(), ref.Kind):
		return fmt.Errorf("there is no record of the kind %q", ref.Kind)
	case all:
		return nil
	}
	return checkID("the name of a "+ref.Kind.Label(), ref.Name)
}

// CheckContentItem returns an error for an item that cannot be stored.
func CheckContentItem(item engine.ContentItem) error {
	ref := item.Ref()
	if ref.Kind == engine.KindTemplate && ref.Version < 1 {
		return fmt.Errorf("%s cannot be stored without a version", ref)
	}
	return CheckContent(ref, false)
}

// CheckSettings returns an error for settings that cannot be stored in a workspace.
func CheckSettings(workspace string, w engine.Workspace) error {
	if w.ID != workspace {
		return fmt.Errorf("the settings of workspace %q cannot be stored in workspace %q", w.ID, workspace)
	}
	return CheckIDs(workspace)
}

// CheckIdentifierKind returns an error unless kind is a kind of identifier for [Users.FindProfiles].
func CheckIdentifierKind(kind string) error {
	if !IsIdentifier(kind) {
		return fmt.Errorf("there is no kind of identifier %q", kind)
	}
	return nil
}

// CheckIdempotencyRecord returns an error for a record that cannot be stored.
func CheckIdempotencyRecord(i IdempotencyRecord) error {
	if i.ExpiresAt.IsZero() {
		return errors.New(IdempotencyName(i.Operation, i.Key) + " must have a time of expiry")
	}
	return nil
}
