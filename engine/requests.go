package engine

import (
	"strings"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// MaxBody is the largest request body or document in bytes (CONTRACT.md, Requests).
const MaxBody = 1 << 20

// The members of the requests and rows below (CONTRACT.md, Requests, Records, and Search and meta).
const (
	fRequestID   = "request_id"
	fAction      = "action"
	fFilters     = "campaign_fields"
	fLimit       = "limit"
	fPage        = "page"
	fChildren    = "include_child_campaigns"
	fArchived    = "include_archive_campaigns"
	fIDs         = "ids"
	fChannels    = "channels"
	fCreatedDate = "created_date"
	fFromDate    = "from_date"
	fToDate      = "to_date"
	fMetaType    = "delivery_type"
	fNamePart    = "name"
	fTags        = "tags"
	fPlatform    = "platform"
	fResults     = "data"
	fMessage     = "message"
)

// ParseStatus reads the body of Update Campaign Status. It returns a validation error if the table refuses
// the body.
func ParseStatus(v doc.Value) (StatusRequest, error) {
	if err := checkRequest("status", catalog.StatusRequest(), v); err != nil {
		return StatusRequest{}, err
	}
	return StatusRequest{Call: callOf(v), Action: Action(v.Get(fAction).Text())}, nil
}

// Document returns the request body. It is the inverse of [ParseStatus].
func (r StatusRequest) Document() doc.Value {
	return doc.NewObject(textMember(fRequestID, r.RequestID), textMember(fAction, string(r.Action)))
}

// ParseSearch reads the body of Search Campaigns. It returns a validation error if the table refuses the
// body.
func ParseSearch(v doc.Value) (SearchRequest, error) {
	if err := checkRequest("search", catalog.SearchRequest(), v); err != nil {
		return SearchRequest{}, err
	}
	f := v.Get(fFilters)
	return SearchRequest{
		Call: callOf(v), Limit: integer(v.Get(fLimit)), Page: integer(v.Get(fPage)),
		Children: v.Get(fChildren).True(), Archived: v.Get(fArchived).True(),
		IDs: f.Get(fIDs).Strings(), Channels: words[Channel](f.Get(fChannels)), CreatedBy: f.Get(fCreatedBy).Strings(),
		Created: dateRange(f.Get(fCreatedDate)), DeliveryTypes: words[DeliveryType](f.Get(fDeliveryType)),
		Name: f.Get(fNamePart).Text(), Status: words[State](f.Get(fStatus)), Tags: f.Get(fTags).Strings(),
		Version: integer(f.Get(fVersion)),
	}, nil
}

// Document returns the request body. It is the inverse of [ParseSearch].
func (r SearchRequest) Document() doc.Value {
	filters := doc.NewObject(
		list(fIDs, r.IDs), list(fChannels, r.Channels), list(fCreatedBy, r.CreatedBy), r.Created.member(),
		list(fDeliveryType, r.DeliveryTypes), textMember(fNamePart, r.Name), list(fStatus, r.Status), list(fTags, r.Tags), whole(fVersion, r.Version),
	)
	return doc.NewObject(
		textMember(fRequestID, r.RequestID), unlessEmpty(fFilters, filters), doc.M(fLimit, doc.NewInt(int64(r.Limit))), doc.M(fPage, doc.NewInt(int64(r.Page))),
		flag(fChildren, r.Children), flag(fArchived, r.Archived),
	)
}

// ParseMeta reads the body of Get Campaign Meta. It returns a validation error if the table refuses the body.
func ParseMeta(v doc.Value) (MetaRequest, error) {
	if err := checkRequest("meta", catalog.MetaRequest(), v); err != nil {
		return MetaRequest{}, err
	}
	f := v.Get(fFilters)
	by := f.Get(fCreatedBy).Strings()
	if one := f.Get(fCreatedBy).Text(); one != "" {
		by = []string{one}
	}
	return MetaRequest{
		Call: callOf(v), Limit: integer(v.Get(fLimit)), Page: integer(v.Get(fPage)),
		Children: v.Get(fChildren).True(), Archived: v.Get(fArchived).True(),
		ID: f.Get(fID).Text(), Channels: words[Channel](f.Get(fChannels)), CreatedBy: by,
		Created: dateRange(f.Get(fCreatedDate)), DeliveryType: DeliveryType(f.Get(fMetaType).Text()),
		DeliveryTypes: words[DeliveryType](f.Get(fDeliveryType)),
		Name:          f.Get(fNamePart).Text(), Status: words[State](f.Get(fStatus)), Tags: f.Get(fTags).Strings(),
	}, nil
}

// Document returns the request body. It is the inverse of [ParseMeta].
func (r MetaRequest) Document() doc.Value {
	filters := doc.NewObject(
		textMember(fID, r.ID), list(fChannels, r.Channels), list(fCreatedBy, r.CreatedBy), r.Created.member(),
		textMember(fMetaType, string(r.DeliveryType)), list(fDeliveryType, r.DeliveryTypes), textMember(fNamePart, r.Name), list(fStatus, r.Status), list(fTags, r.Tags),
	)
	return doc.NewObject(
		textMember(fRequestID, r.RequestID), unlessEmpty(fFilters, filters), doc.M(fLimit, doc.NewInt(int64(r.Limit))), doc.M(fPage, doc.NewInt(int64(r.Page))),
		flag(fChildren, r.Children), flag(fArchived, r.Archived),
	)
}

func checkRequest(name string, table *schema.Schema, v doc.Value) error {
	err := Invalid(table.Validate(v, schema.Env{}))
	if e := AsError(err); e != nil {
		e.Message = strings.Replace(e.Message, "the campaign", "the "+name+" request", 1)
		e.RequestID = v.Get(fRequestID).Text()
	}
	return err
}

func callOf(v doc.Value) Call { return Call{RequestID: v.Get(fRequestID).Text()} }

func integer(v doc.Value) int {
	n, _ := v.Int()
	return int(n)
}

func words[T ~string](v doc.Value) []T {
	var out []T
	for _, s := range v.Strings() {
		out = append(out, T(s))
	}
	return out
}

func dateRange(v doc.Value) DateRange {
	from, _ := day(v.Get(fFromDate).Text())
	to, wholeDay := day(v.Get(fToDate).Text())
	if wholeDay { // a last day counts to its end
		to = to.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return DateRange{From: from, To: to}
}

// day reads a date or a date and time, in UTC.
func day(s string) (t time.Time, wholeDay bool) {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, true
	}
	t, ok := schema.ParseTime(s, time.UTC)
	if !ok {
		return time.Time{}, false
	}
	return t.UTC(), false
}

func (r DateRange) member() doc.Member {
	bound := func(name string, t time.Time) doc.Member {
		if t.IsZero() {
			return doc.Member{}
		}
		return doc.M(name, doc.NewString(t.UTC().Format(time.RFC3339Nano)))
	}
	return unlessEmpty(fCreatedDate, doc.NewObject(bound(fFromDate, r.From), bound(fToDate, r.To)))
}

func list[T ~string](name string, ss []T) doc.Member {
	var vs []doc.Value
	for _, s := range ss {
		vs = append(vs, doc.NewString(string(s)))
	}
	return unlessEmpty(name, doc.NewArray(vs...))
}

func whole(name string, n int) doc.Member {
	if n == 0 {
		return doc.Member{}
	}
	return doc.M(name, doc.NewInt(int64(n)))
}

func flag(name string, on bool) doc.Member {
	if !on {
		return doc.Member{}
	}
	return doc.M(name, doc.NewBool(true))
}

func unlessEmpty(name string, v doc.Value) doc.Member {
	if v.Empty() {
		return doc.Member{}
	}
	return doc.M(name, v)
}
