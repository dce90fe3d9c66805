package wire

import (
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// Revision is an [engine.Revision] with the campaign's state at that revision, which is empty in records of earlier
// versions.
type Revision struct {
	engine.Revision
	Status engine.State `json:"st,omitempty"`
}

// WorkingCopy is an [engine.WorkingCopy] without its body.
type WorkingCopy struct {
	Base int64     `json:"base"`
	At   time.Time `json:"at,omitzero"`
	// Origin is a document as text, because a JSON library would change its spelling.
	Origin string `json:"origin,omitempty"`
}

// TestRecord is an [engine.TestRecord] without the request, which is stored as a document.
type TestRecord struct {
	At         time.Time                    `json:"at,omitzero"`
	CampaignID string                       `json:"campaign_id,omitempty"`
	ResponseID string                       `json:"response_id,omitempty"`
	Replayed   bool                         `json:"replayed,omitempty"`
	Keys       []string                     `json:"keys,omitempty"`
	Data       map[string]engine.SendResult `json:"data,omitempty"`
	Message    string                       `json:"message,omitempty"`
	As         *engine.TestPersona          `json:"as,omitempty"`
	Copies     bool                         `json:"copies,omitempty"`
}

// ToTestRecord returns the stored form of a record.
func ToTestRecord(t engine.TestRecord) TestRecord {
	r := t.Result
	return TestRecord{t.At, t.CampaignID, r.ResponseID, r.Replayed, r.Keys, r.Data, r.Message, t.As, t.Copies}
}

// Engine returns the record without the fields that only the store uses.
func (w TestRecord) Engine() engine.TestRecord {
	return engine.TestRecord{At: w.At, CampaignID: w.CampaignID, As: w.As, Copies: w.Copies, Result: engine.TestResult{
		ResponseInfo: engine.ResponseInfo{ResponseID: w.ResponseID, Replayed: w.Replayed},
		Keys:         w.Keys, Data: w.Data, Message: w.Message,
	}}
}

// Template is an [engine.ContentTemplate] without the content, which is stored as a document.
type Template struct {
	ID       string         `json:"id"`
	Version  int            `json:"v"`
	Name     string         `json:"name,omitempty"`
	Channel  engine.Channel `json:"ch"`
	Platform string         `json:"pl,omitempty"`
	SavedAt  time.Time      `json:"at,omitzero"`
}

// ToTemplate returns the stored form of a record.
func ToTemplate(t engine.ContentTemplate) Template {
	return Template{t.ID, t.Version, t.Name, t.Channel, t.Platform, t.SavedAt}
}

// Engine returns the record with content, without the fields that only the store uses.
func (t Template) Engine(content doc.Value) engine.ContentTemplate {
	return engine.ContentTemplate{ID: t.ID, Version: t.Version, Name: t.Name, Channel: t.Channel, Platform: t.Platform, Content: content, SavedAt: t.SavedAt}
}
