package activity

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"bugle/engine"
)

// contentAPI is the operation of a content API call.
const contentAPI = "content api"

// fromContent converts a content API call to a Call.
func fromContent(c engine.ContentCall) Call {
	base, path := c.URL, ""
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		base = u.Scheme + "://" + u.Host
		path = strings.TrimPrefix(c.URL, base)
	}
	out := Call{
		At: c.Start, Took: c.End.Sub(c.Start), Operation: contentAPI, Method: c.Method, Base: base, Path: path,
		RequestHeader: c.RequestHeader, ResponseHeader: c.ResponseHeader, Status: c.Status,
	}
	if out.RequestHeader == nil { // it was not made: nothing of this service's own goes with it
		out.RequestHeader = http.Header{}
	}
	if c.Err != "" {
		out.Err = "Content API " + c.API + ": " + c.Err
	}
	return out.WithBodies(c.Request, c.Response)
}

// addContentCalls records the content API calls of messages.
func (s *recordingService) addContentCalls(calls []engine.ContentCall) {
	for _, c := range calls {
		s.log.Add(fromContent(c))
	}
}

// TryContentAPI is recorded like the call of a message.
func (s *recordingService) TryContentAPI(ctx context.Context, name string, args []any) (engine.ContentTrial, error) {
	out, err := s.Service.TryContentAPI(ctx, name, args)
	if err == nil {
		s.addContentCalls([]engine.ContentCall{out.Call})
	}
	return out, err
}
