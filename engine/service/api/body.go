package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/operation"
)

const memberRequestID = "request_id"

// readBody reads the request's body, which must be an object.
func (x *exchange) readBody() error {
	if x.op.Body == operation.Ignored {
		return nil
	}
	if x.r.ContentLength > engine.MaxBody {
		return tooLong()
	}
	b, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, engine.MaxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return tooLong()
	case err != nil:
		return refuseBody("the body was cut short; send it again")
	case len(b) == 0 && x.op.Body == operation.Optional:
		return nil
	}
	if err := checkContent(x.r.Header); err != nil {
		return err
	}
	if err := x.reservation.work(x.r.Context(), x.op.memory+perByte*int64(len(b))); err != nil {
		return err
	}
	v, err := doc.ParseAtMost(b, maxValues)
	if errors.Is(err, doc.ErrTooMany) {
		return refuseBody(fmt.Sprintf("the body has more than %d values; split it into smaller requests", maxValues))
	}
	if err != nil {
		return refuseBody("the body is not valid JSON: " + err.Error())
	}
	if v.Kind() != doc.Object {
		line, column := start(b)
		return refuseBody(fmt.Sprintf("the body must be a JSON object, but line %d, column %d has type %s", line, column, v.Kind()))
	}
	x.body = v
	x.identify(v.Get(memberRequestID).Text())
	return nil
}

func tooLong() error {
	e := engine.Errorf(engine.BadRequest, http.StatusRequestEntityTooLarge, "the body is larger than %d KiB", engine.MaxBody>>10)
	e.Target = "body"
	return e
}

func refuseBody(message string) error {
	e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "%s", message)
	e.Target = "body"
	return e
}

// checkContent refuses a body whose headers say that it is not JSON in UTF-8, or is compressed.
func checkContent(h http.Header) error {
	if packed := h.Get("Content-Encoding"); packed != "" && !strings.EqualFold(packed, "identity") {
		e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "the content encoding %q is not supported; send the body without it", packed)
		e.Target = "Content-Encoding"
		return e
	}
	given := h.Get("Content-Type")
	if given == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(given)
	charset := params["charset"]
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") || charset != "" && !strings.EqualFold(charset, "utf-8") {
		e := engine.Errorf(engine.BadRequest, http.StatusBadRequest, "the body must be application/json in UTF-8, not %q", given)
		e.Target = "Content-Type"
		return e
	}
	return nil
}

// start returns the position of the first value of a JSON text in characters, from 1.
func start(b []byte) (line, column int) {
	blank := b[:len(b)-len(bytes.TrimLeft(b, " \t\r\n"))]
	return 1 + bytes.Count(blank, []byte("\n")), 1 + utf8.RuneCount(blank[bytes.LastIndexByte(blank, '\n')+1:])
}
