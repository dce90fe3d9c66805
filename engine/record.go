package engine

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine/doc"
)

// shown is a member of the head as a record shows it: a text, a number or a time. What is empty is not
// shown.
type shown struct {
	name   string
	text   string
	number int
	at     time.Time
}

// shown returns the members of the head in the order of a record.
func (h *Head) shown() [15]shown {
	return [...]shown{
		{name: fID, text: h.ID}, {name: fCampaignID, text: h.CampaignID}, {name: fVersion, number: max(h.Version, 0)},
		{name: fStatus, text: string(h.Status)}, {name: fChannel, text: string(h.Channel)}, {name: fDeliveryType, text: string(h.DeliveryType)},
		{name: fCreatedBy, text: h.CreatedBy}, {name: fUpdatedBy, text: h.UpdatedBy},
		{name: fCreatedAt, at: h.CreatedAt}, {name: fUpdatedAt, at: h.UpdatedAt}, {name: fSentTime, at: h.SentTime},
		{name: fFlowID, text: h.FlowID}, {name: fFlowName, text: h.FlowName}, {name: fParentID, text: h.ParentID}, {name: fRejection, text: h.RejectionComment},
	}
}

// Record returns the campaign as the API shows it.
func (c Campaign) Record() doc.Value {
	head := c.shown()
	ms := make([]doc.Member, 0, len(head)+c.Body.Len())
	for i := range head {
		switch m := &head[i]; {
		case m.number > 0:
			ms = append(ms, doc.M(m.name, doc.NewInt(int64(m.number))))
		case !m.at.IsZero():
			ms = append(ms, stamp(m.name, m.at))
		default:
			ms = append(ms, text(m.name, m.text))
		}
	}
	return c.with(ms)
}

// AppendRecord appends what [Campaign.Record] encodes as to b, without making the document.
func (c *Campaign) AppendRecord(b []byte) []byte {
	from := len(b)
	b, ok := c.AppendRest(c.appendTo(b))
	if !ok {
		return c.Record().AppendTo(b[:from])
	}
	return enclose(b, from)
}

// AppendRest appends what a record has behind its head, encoded: each member behind a comma. It reports
// false for the campaign whose record cannot be put together so, as a member of its body stands in the
// place of one of the head's.
func (c *Campaign) AppendRest(b []byte) ([]byte, bool) {
	for name, v := range c.Body.Members() {
		if IsHeadField(name) {
			return b, false
		}
		b = v.AppendTo(append(appendString(append(b, ','), name), ':'))
	}
	return b, true
}

// AppendRecord appends the record of a campaign to b that has this head, and what
// [Campaign.AppendRest] gave behind it.
func (h *Head) AppendRecord(b, rest []byte) []byte {
	return enclose(append(h.appendTo(b), rest...), len(b))
}

// appendTo appends the members of a record that the head has, each behind a comma.
func (h *Head) appendTo(b []byte) []byte {
	head := h.shown()
	for i := range head {
		switch m := &head[i]; {
		case m.text != "":
			b = appendString(appendName(b, m.name), m.text)
		case m.number > 0:
			b = strconv.AppendInt(appendName(b, m.name), int64(m.number), 10)
		case !m.at.IsZero():
			b = append(appendName(b, m.name), '"')
			b = append(m.at.UTC().AppendFormat(b, time.RFC3339), '"')
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
