// Package wire records HTTP exchanges of a remote service in an activity log.
package wire

import (
	"net/url"
	"strings"

	"bugle/engine/operation"
	"bugle/engine/service/activity"
	"bugle/engine/service/remote"
)

// Observer returns a function for [remote.Config].Observe that adds every exchange to l.
func Observer(l *activity.Log) func(remote.Exchange) {
	return func(x remote.Exchange) { l.Add(FromExchange(x)) }
}

// FromExchange converts an exchange to a call. Each attempt is a call of its own.
func FromExchange(x remote.Exchange) activity.Call {
	return activity.Call{
		At: x.At, Took: x.Took, Operation: x.Operation, Campaign: campaign(x), Attempt: x.Attempt,
		Method: x.Method, Base: strings.TrimSuffix(x.URL, x.Path), Path: x.Path,
		RequestID: x.Call.RequestID, IdempotencyKey: x.Call.IdempotencyKey,
		Replayed:      strings.EqualFold(x.ResponseHeader.Get(operation.HeaderReplayed), "true"),
		RequestHeader: x.RequestHeader, ResponseHeader: x.ResponseHeader,
		Status: x.Status, Err: activity.Reason(x.Err),
	}.WithBodies(x.Request, x.Response)
}

// campaign returns the campaign id in the path of an operation.
func campaign(x remote.Exchange) string {
	op := operation.Named(x.Operation)
	if op == nil {
		return ""
	}
	before, _, one := strings.Cut(op.Path, "{id}")
	if !one {
		return ""
	}
	_, rest, _ := strings.Cut(x.Path, before)
	id, _, _ := strings.Cut(rest, "/")
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}
