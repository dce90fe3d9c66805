package kv

import (
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// The types below are engine's with the names that their members have on disk. They convert
// to one another, so that a member which only one of them has does not compile.

type head struct {
	ID         string `json:"id"`
	CampaignID string `json:"cid,omitempty"`
	Version    int    `json:"v,omitempty"`

	Status       engine.State        `json:"st,omitempty"`
	Channel      engine.Channel      `json:"ch,omitempty"`
	DeliveryType engine.DeliveryType `json:"dt,omitempty"`

	CreatedBy string    `json:"cby,omitempty"`
	UpdatedBy string    `json:"uby,omitempty"`
	CreatedAt time.Time `json:"cat,omitzero"`
	UpdatedAt time.Time `json:"uat,omitzero"`
	SentTime  time.Time `json:"sent,omitzero"`

	FlowID           string `json:"flow,omitempty"`
	FlowName         string `json:"flown,omitempty"`
	ParentID         string `json:"par,omitempty"`
	RejectionComment string `json:"rej,omitempty"`

	Revision int64 `json:"rev"`
}

// summary lies flat: its rows are read by the hundred thousand.
type summary struct {
	head
	Name      string    `json:"name,omitempty"`
	Team      string    `json:"team,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	Platforms []string  `json:"pl,omitempty"`
	Start     time.Time `json:"start,omitzero"`
	End       time.Time `json:"end,omitzero"`
	AllUsers  bool      `json:"all,omitempty"`
}

func toSummary(s engine.Summary) summary {
	return summary{head(s.Head), s.Name, s.Team, s.Tags, s.Platforms, s.Start, s.End, s.AllUsers}
}

func (s summary) engine() engine.Summary {
	return engine.Summary{Head: engine.Head(s.head), Name: s.Name, Team: s.Team, Tags: s.Tags,
		Platforms: s.Platforms, Start: s.Start, End: s.End, AllUsers: s.AllUsers}
}

// revision is with the state that it left the campaign in; empty in records of earlier programs.
type revision struct {
	engine.Revision
	Status engine.State `json:"st,omitempty"`
}

type workingCopy struct {
	Base int64     `json:"base"`
	At   time.Time `json:"at,omitzero"`
	// Origin is a document as text: a JSON library would spell it anew.
	Origin string `json:"origin,omitempty"`
}

type delivered struct {
	ID         string         `json:"id"`
	At         time.Time      `json:"at,omitzero"`
	CampaignID string         `json:"campaign_id,omitempty"`
	Campaign   string         `json:"campaign,omitempty"`
	Channel    engine.Channel `json:"channel,omitempty"`
	Key        string         `json:"key,omitempty"`
	Recipient  string         `json:"recipient,omitempty"`
	Connector  string         `json:"connector,omitempty"`
	Email      *email         `json:"email,omitempty"`
	Push       *push          `json:"push,omitempty"`
}

type email struct {
	From        string   `json:"from,omitempty"`
	FromName    string   `json:"from_name,omitempty"`
	ReplyTo     string   `json:"reply_to,omitempty"`
	To          string   `json:"to,omitempty"`
	Cc          []string `json:"cc,omitempty"`
	Bcc         []string `json:"bcc,omitempty"`
	Subject     string   `json:"subject,omitempty"`
	PreviewText string   `json:"preview_text,omitempty"`
	HTML        string   `json:"html,omitempty"`
	Text        string   `json:"text,omitempty"`
	Attachments []string `json:"attachments,omitempty"`
}

// push is without the payload, which is a document.
type push struct {
	Platform string `json:"platform,omitempty"`
	Token    string `json:"token,omitempty"`
	Title    string `json:"title,omitempty"`
	Body     string `json:"body,omitempty"`

	Headers map[string]string `json:"headers,omitempty"`
}

func toDelivered(d engine.Delivered) delivered {
	w := delivered{d.ID, d.At, d.CampaignID, d.Campaign, d.Channel, d.Key, d.Recipient, d.Connector, (*email)(d.Email), nil}
	if p := d.Push; p != nil {
		w.Push = &push{p.Platform, p.Token, p.Title, p.Body, p.Headers}
	}
	return w
}

func (w delivered) engine() engine.Delivered {
	d := engine.Delivered{ID: w.ID, At: w.At, CampaignID: w.CampaignID, Campaign: w.Campaign, Channel: w.Channel,
		Key: w.Key, Recipient: w.Recipient, Connector: w.Connector, Email: (*engine.EmailMessage)(w.Email)}
	if p := w.Push; p != nil {
		d.Push = &engine.PushMessage{Platform: p.Platform, Token: p.Token, Title: p.Title, Body: p.Body, Headers: p.Headers}
	}
	return d
}

// testRecord is without the request, which is a document.
type testRecord struct {
	At         time.Time                    `json:"at,omitzero"`
	CampaignID string                       `json:"campaign_id,omitempty"`
	ResponseID string                       `json:"response_id,omitempty"`
	Replayed   bool                         `json:"replayed,omitempty"`
	Keys       []string                     `json:"keys,omitempty"`
	Data       map[string]engine.SendResult `json:"data,omitempty"`
	Message    string                       `json:"message,omitempty"`
}

func toTestRecord(t engine.TestRecord) testRecord {
	r := t.Result
	return testRecord{t.At, t.CampaignID, r.ResponseID, r.Replayed, r.Keys, r.Data, r.Message}
}

func (w testRecord) engine() engine.TestRecord {
	return engine.TestRecord{At: w.At, CampaignID: w.CampaignID, Result: engine.TestResult{
		Answer: engine.Answer{ResponseID: w.ResponseID, Replayed: w.Replayed},
		Keys:   w.Keys, Data: w.Data, Message: w.Message,
	}}
}

// template is without the content, which is a document.
type template struct {
	ID       string         `json:"id"`
	Version  int            `json:"v"`
	Name     string         `json:"name,omitempty"`
	Channel  engine.Channel `json:"ch"`
	Platform string         `json:"pl,omitempty"`
	SavedAt  time.Time      `json:"at,omitzero"`
}

func toTemplate(t engine.ContentTemplate) template {
	return template{t.ID, t.Version, t.Name, t.Channel, t.Platform, t.SavedAt}
}

func (t template) engine(content doc.Value) engine.ContentTemplate {
	return engine.ContentTemplate{ID: t.ID, Version: t.Version, Name: t.Name, Channel: t.Channel, Platform: t.Platform, Content: content, SavedAt: t.SavedAt}
}
