package contentapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"bugle/engine"
	"bugle/engine/phrase"
)

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// request is an outgoing request.
type request struct {
	url    *url.URL
	method string
	body   []byte // nil: none
}

// target returns the request of a call. Arguments replace their placeholders in the URL; the others go into
// the query or the body. With nil arguments it only checks the URL.
func target(api engine.ContentAPI, args []any) (request, error) {
	r := request{method: api.Method}
	if r.method == "" {
		r.method = "GET"
	}
	front, rest, err := split(api.URL)
	if err != nil {
		return r, err
	}
	if len(args) > len(api.Params) {
		takes := "no arguments"
		if len(api.Params) > 0 {
			takes = phrase.Count(len(api.Params), "argument")
		}
		return r, fmt.Errorf("it takes %s, and was called with %d", takes, len(args))
	}
	path, query, hasQuery := strings.Cut(rest, "?")
	placed := map[string]bool{}
	if path, err = fill(path, api, args, placed, url.PathEscape); err != nil {
		return r, err
	}
	if query, err = fill(query, api, args, placed, url.QueryEscape); err != nil {
		return r, err
	}
	free := map[string]any{}
	for i, arg := range args {
		if name := api.Params[i]; !placed[name] {
			free[name] = arg
		}
	}
	if r.method == "POST" {
		if r.body, err = json.Marshal(free); err != nil {
			return r, fmt.Errorf("its arguments cannot be sent: %w", err)
		}
	} else if more := asQuery(free); more != "" {
		if query != "" {
			query += "&"
		}
		query, hasQuery = query+more, true
	}
	full := front + path
	if hasQuery {
		full += "?" + query
	}
	if r.url, err = url.Parse(full); err != nil {
		return r, fmt.Errorf("its URL cannot be read: %s", reason(err))
	}
	// Otherwise it would be written anew, and what an argument has encoded would be lost.
	if r.url.EscapedPath() != path || strings.ContainsAny(query, " \"<>") {
		return r, errors.New("its URL has characters that must be encoded, such as a space, which is %20")
	}
	return r, nil
}

// split checks a URL and splits it after the host, which must not depend on arguments.
func split(raw string) (front, rest string, err error) {
	u, err := url.Parse(placeholder.ReplaceAllString(raw, "x"))
	switch {
	case err != nil:
		return "", "", fmt.Errorf("its URL cannot be read: %s", reason(err))
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", "", errors.New("its URL must begin with https:// or http:// and a host")
	case u.User != nil:
		return "", "", errors.New("its URL must not contain a password; use a header with an environment variable")
	case u.Fragment != "":
		return "", "", errors.New("its URL must not have a fragment (#)")
	}
	_, after, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	if strings.ContainsAny(after[:end], "{}") {
		return "", "", errors.New("its URL must start with a fixed host; parameters can be in the path and the query")
	}
	return raw[:len(raw)-len(after)+end], after[end:], nil
}

func fill(part string, api engine.ContentAPI, args []any, placed map[string]bool, escape func(string) string) (string, error) {
	var failed error
	out := placeholder.ReplaceAllStringFunc(part, func(p string) string {
		name := p[1 : len(p)-1]
		i := slices.Index(api.Params, name)
		switch {
		case i < 0:
			failed = fmt.Errorf("its URL has {%s}, which is not one of its parameters", name)
		case args == nil:
			return "x"
		case i >= len(args):
			failed = fmt.Errorf("its argument %s is missing", name)
		default:
			placed[name] = true
			text := argText(args[i])
			if text == "." || text == ".." { // a path would go up
				failed = fmt.Errorf("its argument %s cannot be %q", name, text)
			}
			return escape(text)
		}
		return ""
	})
	return out, failed
}

func asQuery(free map[string]any) string {
	values := url.Values{}
	for name, v := range free {
		values.Set(name, argText(v))
	}
	return values.Encode()
}

// argText returns an argument in the form for a URL.
func argText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// transportHeaders are headers that control the transport of a message, which an API must not set.
var transportHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer", "Te", "Accept-Encoding"}

func checkHeaders(list []engine.ContentHeader) error {
	for _, h := range list {
		switch {
		case !httpguts.ValidHeaderFieldName(h.Name):
			return fmt.Errorf("%q is not a valid header name", h.Name)
		case slices.Contains(transportHeaders, textproto.CanonicalMIMEHeaderKey(h.Name)):
			return fmt.Errorf("the header %s cannot be set", h.Name)
		case !httpguts.ValidHeaderFieldValue(h.Value):
			return fmt.Errorf("the value of the header %s has a character that headers cannot contain", h.Name)
		case h.Value != "" && h.Env != "":
			return fmt.Errorf("the header %s takes a value or an environment variable, not both", h.Name)
		case h.Env != "" && !plainName(h.Env):
			return fmt.Errorf("%q is not a valid name of an environment variable", h.Env)
		}
	}
	return nil
}
