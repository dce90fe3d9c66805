package remote

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
)

// Exchange is one attempt of a call as sent over HTTP, in the service's dialect, with credentials and named
// secrets redacted. Recipients and content are included.
type Exchange struct {
	At        time.Time
	Took      time.Duration
	Operation string // create, get, update, validate, status, search, meta, test or preview
	Attempt   int    // from 1
	Call      engine.Call

	Method, URL   string
	Path          string // of the URL
	RequestHeader http.Header
	Request       []byte // the body; nil if there was none

	Status         int // 0: no response
	ResponseHeader http.Header
	Response       []byte
	Err            error // why there is no result; a refusal is an [engine.Error]
}

// credentials is the placeholder for a request's credentials.
const credentials = "{credentials}"

// report passes an attempt to the observer and the log.
func (s *Service) report(x Exchange, req *http.Request, r request, res *http.Response, body []byte, redactor operation.Redactor, out outcome) {
	x.Took = s.cfg.Clock().Sub(x.At)
	x.Method, x.URL, x.Path, x.Status, x.Err = req.Method, req.URL.String(), req.URL.EscapedPath(), out.status, out.err
	s.log(req.Context(), x)
	if s.cfg.Observe == nil {
		return
	}
	x.RequestHeader = redactor.Header(req.Header)
	if x.RequestHeader.Get("Authorization") != "" {
		x.RequestHeader.Set("Authorization", "Basic "+credentials)
	}
	x.Request = redactor.Body(r.wire)
	if res != nil {
		x.ResponseHeader, x.Response = redactor.Header(res.Header), redactor.Body(body)
	}
	s.cfg.Observe(x)
}

func (s *Service) log(ctx context.Context, x Exchange) {
	level := slog.LevelDebug
	if x.Err != nil {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("operation", x.Operation), slog.String("method", x.Method), slog.String("path", x.Path), slog.Int("status", x.Status),
		slog.Duration("duration", x.Took), slog.Int("attempt", x.Attempt), slog.String("request_id", x.Call.RequestID),
	}
	if e := engine.AsError(x.Err); e != nil {
		attrs = append(attrs, slog.String("code", string(e.Code)))
	} else if x.Err != nil {
		attrs = append(attrs, slog.String("error", x.Err.Error()))
	}
	s.cfg.Logger.LogAttrs(ctx, level, "call", attrs...)
}

// keyRedactor returns a redactor that also removes the API key, on its own and as Basic credentials.
func keyRedactor(workspace, key string) operation.Redactor {
	if len(key) < 4 {
		return operation.Redactor{}
	}
	basic := base64.StdEncoding.EncodeToString([]byte(workspace + ":" + key))
	return operation.NewRedactor(basic, strings.TrimRight(basic, "="), key)
}
