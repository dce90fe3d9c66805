package activity

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/operation"
)

// redacted returns the call without secrets in its fields, and prepares the redaction of its bodies.
func (c Call) redacted() Call {
	if op := operation.Named(c.Operation); op != nil && op.NamesUsers {
		c.redactor = operation.NewRedactor(operation.DeviceTokens(c.request.value())...)
	}
	c.Base, c.Path, c.Err = c.redactor.Text(c.Base), c.redactor.Text(c.Path), c.redactor.Text(c.Err)
	c.RequestHeader, c.ResponseHeader = c.redactor.Header(c.RequestHeader), c.redactor.Header(c.ResponseHeader)
	return c
}

func headers(name string, h http.Header) doc.Member {
	if len(h) == 0 {
		return doc.Member{}
	}
	var ms []doc.Member
	for _, n := range slices.Sorted(maps.Keys(h)) {
		ms = append(ms, text(n, strings.Join(h[n], ", ")))
	}
	return doc.M(name, doc.NewObject(ms...))
}
