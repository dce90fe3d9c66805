package engine

import (
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// rowFields are the fields of a row of Get Campaign Meta, in the order in which a row shows them.
var rowFields = []field[Meta]{
	{Field: always(textField(fCampaignID, "The id shared by all versions of the campaign.")), at: func(m *Meta) any { return &m.CampaignID }},
	{Field: countField(fVersion, "The version number. Only present if campaign versioning is on."), at: func(m *Meta) any { return &m.Version }},
	{Field: always(choiceField(fChannel, "The channel.", catalog.Channels...)), at: func(m *Meta) any { return (*string)(&m.Channel) }},
	{Field: textsField(fPlatform, "The platforms of a push campaign."), empty: true, at: func(m *Meta) any { return &m.Platforms }},
	{Field: textField(fCreatedBy, "The email address of the creator."), at: func(m *Meta) any { return &m.CreatedBy }},
	{Field: choiceField(fDeliveryType, "When and how often the campaign is sent.", everyDeliveryType()...), at: func(m *Meta) any { return (*string)(&m.DeliveryType) }},
	{Field: textField("campaign_name", "The name of the campaign."), at: func(m *Meta) any { return &m.Name }},
	{Field: textField("campaign_team", "The team that owns the campaign."), at: func(m *Meta) any { return &m.Team }},
	{Field: textsField("campaign_tags", "The tags of the campaign."), empty: true, at: func(m *Meta) any { return &m.Tags }},
	{Field: always(choiceField("campaign_status", "The status of the campaign.", catalog.States...)), at: func(m *Meta) any { return (*string)(&m.Status) }},
	{Field: timeField("campaign_start_time", "When it starts, in UTC."), at: func(m *Meta) any { return &m.Start }},
	{Field: textField("parent_campaign_id", "The id of the periodic campaign, if this is one of its runs."), at: func(m *Meta) any { return &m.ParentID }},
	{Field: countField("total_child_campaigns", "How many runs a periodic campaign has had."), empty: true, at: func(m *Meta) any { return &m.ChildCampaigns }},
	{Field: textField("rejection_comment", "The comment of the reviewer who rejected the draft."), at: func(m *Meta) any { return &m.RejectionComment }},
	{Field: objectField("reachability_details", "How many users the campaign can reach, or null if that was not computed.", described(reachFields)), empty: true,
		at: func(m *Meta) any { return optional[Reachability]{&m.Reachability, reachFields} }},
}

var reachFields = []field[Reachability]{
	{Field: always(countField("count", "The number of users.")), empty: true, at: func(r *Reachability) any { return &r.Count }},
	{Field: always(timeField("last_updated_time", "When the number was computed. It is updated once a day.")), at: func(r *Reachability) any { return &r.LastUpdated }},
}

// RowFields returns the descriptions of the fields of a row of Get Campaign Meta (CONTRACT.md, Records).
func RowFields() []schema.Field { return described(rowFields) }

// Row returns the row in the form of the API.
func (m Meta) Row() doc.Value {
	if m.Status != catalog.Draft {
		m.RejectionComment = "" // what was said of a draft that is one no more
	}
	return write(rowFields, &m)
}

// ParseMetaRow reads a row of the API leniently (CONTRACT.md, Records). Fields that a row shares with a
// record are read like those of a record. Fields that cannot be read stay empty. A row without an id gets the
// campaign's id.
func ParseMetaRow(v doc.Value) Meta {
	m := Meta{Summary: Summary{Head: ParseRecord(v).Head}}
	read(rowFields, &m, v)
	if m.ID == "" {
		m.ID = m.CampaignID
	}
	return m
}
