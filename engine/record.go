package engine

import (
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The fields of a record's head that the rest of the program names.
const (
	fID           = "id"
	fCampaignID   = "campaign_id"
	fVersion      = "version_number"
	fStatus       = "status"
	fChannel      = "channel"
	fDeliveryType = "campaign_delivery_type"
	fCreatedBy    = "created_by"
	fUpdatedBy    = "updated_by"
)

// headFields are the fields of a record that [Head] holds, in the order in which a record shows them.
var headFields = []field[Head]{
	{Field: always(textField(fID, "The id of this document: one for each version.")), at: func(h *Head) any { return &h.ID }},
	{Field: always(textField(fCampaignID, "The id shared by all versions of the campaign.")), at: func(h *Head) any { return &h.CampaignID }},
	{Field: countField(fVersion, "The version number. Only present if campaign versioning is on."), at: func(h *Head) any { return &h.Version }},
	{Field: always(choiceField(fStatus, "The status of the campaign.", catalog.States...)), at: func(h *Head) any { return (*string)(&h.Status) }},
	{Field: always(choiceField(fChannel, "The channel. Campaigns of channels other than PUSH and EMAIL are read-only.", catalog.Channels...)), at: func(h *Head) any { return (*string)(&h.Channel) }},
	{Field: choiceField(fDeliveryType, "When and how often the campaign is sent.", everyDeliveryType()...), at: func(h *Head) any { return (*string)(&h.DeliveryType) }},
	{Field: textField(fCreatedBy, "The email address of the creator."), at: func(h *Head) any { return &h.CreatedBy }},
	{Field: textField(fUpdatedBy, "The email address of whoever made the last change."), at: func(h *Head) any { return &h.UpdatedBy }},
	{Field: timeField("created_at", "When it was created, in UTC."), at: func(h *Head) any { return &h.CreatedAt }},
	{Field: timeField("updated_at", "When it was last changed, in UTC."), at: func(h *Head) any { return &h.UpdatedAt }},
	{Field: timeField("sent_time", "When it was sent, in UTC."), at: func(h *Head) any { return &h.SentTime }},
	{Field: textField("flow_id", "The id of the flow that the campaign is part of."), at: func(h *Head) any { return &h.FlowID }},
	{Field: textField("flow_name", "The name of the flow."), at: func(h *Head) any { return &h.FlowName }},
	{Field: textField("parent_id", "The id of the periodic campaign, if this is one of its runs."), at: func(h *Head) any { return &h.ParentID }},
	{Field: textField("rejection_comment", "The comment of the reviewer who rejected the draft."), at: func(h *Head) any { return &h.RejectionComment }},
}

// inRequests are the fields of the head that requests have as well. A status is in one that publishes.
var inRequests = []string{fChannel, fDeliveryType, fCreatedBy, fUpdatedBy, fStatus}

// HeadFields returns the descriptions of the record fields that [Head] holds (CONTRACT.md, Records).
func HeadFields() []schema.Field { return described(headFields) }

// IsHeadField reports whether a field of a record belongs to the [Head].
func IsHeadField(name string) bool {
	for i := range headFields {
		if headFields[i].Name == name {
			return true
		}
	}
	return false
}

// isResponseOnly reports whether a member of the head is in no request.
func isResponseOnly(name string) bool {
	return IsHeadField(name) && !slices.Contains(inRequests, name)
}

// ParseRecord reads a record of the API. It accepts any record: a head field of the wrong type stays in the
// body.
func ParseRecord(v doc.Value) Campaign {
	var c Campaign
	read(headFields, &c.Head, v)
	known := write(headFields, &c.Head)
	var body []doc.Member
	for name, m := range v.Members() {
		if !IsHeadField(name) || !known.Get(name).Exists() && !m.Empty() {
			body = append(body, doc.M(name, m))
		}
	}
	c.Body = doc.NewObject(body...)
	return c
}

// Record returns the campaign as a record of the API.
func (c Campaign) Record() doc.Value { return c.with(membersOf(headFields, &c.Head)) }

// AppendRecord appends the encoded [Campaign.Record] to b without building the document.
func (c *Campaign) AppendRecord(b []byte) []byte {
	from := len(b)
	b, ok := c.AppendRest(c.appendTo(b))
	if !ok {
		return c.Record().AppendTo(b[:from])
	}
	return enclose(b, from)
}

// AppendRest appends the encoded fields of the record that follow the head, each with a comma before it. It
// returns false if the record cannot be split like this, because the body has a field with the name of a head
// field.
func (c *Campaign) AppendRest(b []byte) ([]byte, bool) {
	for name, v := range c.Body.Members() {
		if IsHeadField(name) {
			return b, false
		}
		b = v.AppendTo(append(appendString(append(b, ','), name), ':'))
	}
	return b, true
}

// AppendRecord appends to b the encoded record of a campaign with this head. rest is what
// [Campaign.AppendRest] returned.
func (h *Head) AppendRecord(b, rest []byte) []byte {
	return enclose(append(h.appendTo(b), rest...), len(b))
}

// appendTo appends the members of a record that the head has, each behind a comma.
func (h *Head) appendTo(b []byte) []byte {
	for i := range headFields {
		f := &headFields[i]
		switch at := f.at(h).(type) {
		case *string:
			if *at != "" {
				b = appendString(appendName(b, f.Name), *at)
			}
		case *int:
			if *at > 0 {
				b = strconv.AppendInt(appendName(b, f.Name), int64(*at), 10)
			}
		case *time.Time:
			if !at.IsZero() {
				b = append(appendName(b, f.Name), '"')
				b = append(at.UTC().AppendFormat(b, time.RFC3339), '"')
			}
		}
	}
	return b
}

// enclose makes an object of what stands behind from: members, each behind a comma.
func enclose(b []byte, from int) []byte {
	if len(b) == from {
		return append(b, "{}"...)
	}
	b[from] = '{' // in the place of the first comma
	return append(b, '}')
}

// appendName appends the name of a member, which needs no escapes, behind a comma.
func appendName(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}

// appendString appends s as [doc.NewString] spells it.
func appendString(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil { // it is no UTF-8
		return doc.NewString(s).AppendTo(b)
	}
	return out
}
