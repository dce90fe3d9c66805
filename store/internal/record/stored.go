package record

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

// workingCopy is an [engine.WorkingCopy] without its body.
type workingCopy struct {
	Base int64     `json:"base"`
	At   time.Time `json:"at,omitzero"`
	// Origin is a document as text, because a JSON library would change its spelling.
	Origin string `json:"origin,omitempty"`
}

// testRecord is an [engine.TestRecord] without the request, which is stored as a document.
type testRecord struct {
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

func splitTest(t engine.TestRecord) (testRecord, doc.Value) {
	r := t.Result
	return testRecord{t.At, t.CampaignID, r.ResponseID, r.Replayed, r.Keys, r.Data, r.Message, t.As, t.Copies}, t.Body
}

func joinTest(w testRecord, body doc.Value) (engine.TestRecord, error) {
	return engine.TestRecord{At: w.At, CampaignID: w.CampaignID, Body: body, As: w.As, Copies: w.Copies, Result: engine.TestResult{
		ResponseInfo: engine.ResponseInfo{ResponseID: w.ResponseID, Replayed: w.Replayed},
		Keys:         w.Keys, Data: w.Data, Message: w.Message,
	}}, nil
}
