package userfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/visible"
)

// maxID limits the id of a user, in bytes.
const maxID = 256

// ValueError is the error for a value that is not of the type of its attribute.
type ValueError struct {
	Path doc.Path // in the user
	Name string   // of the attribute, after that of its event
	Err  error
}

func (e *ValueError) Error() string { return e.Name + ": " + e.Err.Error() }

func (e *ValueError) Unwrap() error { return e.Err }

// Check returns why a user cannot be stored in a workspace, or nil. It writes values of attributes as filters compare them:
// numbers, booleans and dates that are texts, where they can mean one thing only. For others it returns a *[ValueError].
func Check(p engine.User, w engine.Workspace) error {
	switch {
	case p.ID == "":
		return errors.New("a user must have an id")
	case len(p.ID) > maxID:
		return fmt.Errorf("the id of a user can have at most %d bytes, not %d", maxID, len(p.ID))
	case isRounded(p.ID):
		return fmt.Errorf("the id %q %w", p.ID, errRounded)
	case trim(p.ID) != p.ID:
		return fmt.Errorf("the id %q has blanks or invisible characters around it; remove them", p.ID)
	case hasHidden(p.ID):
		return fmt.Errorf("the id %q has an invisible character; remove it", p.ID)
	}
	if address, _ := p.Attributes[engine.AttrEmail].(string); visible.HasBlank(address) {
		return fmt.Errorf("the address %q has a blank or an invisible character; remove it", address)
	}
	for _, d := range p.Devices {
		if d.Token == "" || d.Platform == "" {
			return errors.New("a device must have a platform and a token")
		}
		if hasHidden(d.Token) || hasHidden(d.AdvertiseID) {
			return fmt.Errorf("the token %q or advertising id %q has an invisible character; remove it", d.Token, d.AdvertiseID)
		}
	}
	for i, e := range p.Events {
		if e.Name == "" {
			return errors.New("an event must have a name")
		}
		if t := slices.IndexFunc(w.Events, func(t engine.EventType) bool { return t.Name == e.Name }); t >= 0 {
			if err := convert(e.Attributes, w.Events[t].Attributes, doc.P("events", i, "attributes"), e.Name+", "); err != nil {
				return err
			}
		}
	}
	return convert(p.Attributes, w.Attributes, doc.P("attributes"), "")
}

// convert writes the values at a path in the types of their attributes. where begins their names in errors.
func convert(values map[string]any, attributes []engine.Attribute, at doc.Path, where string) error {
	for _, a := range attributes {
		v, ok := values[a.Name]
		if !ok {
			continue
		}
		v, err := value(v, a.DataType)
		if err != nil {
			return &ValueError{at.Child(a.Name), where + a.Name, err}
		}
		values[a.Name] = v
	}
	return nil
}

// value returns a value in a type. Those of a list have it each; null has any.
func value(v any, dataType string) (any, error) {
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i := range list {
			var err error
			if out[i], err = value(list[i], dataType); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	text, isText := v.(string)
	_, isBool := v.(bool)
	_, isObject := v.(map[string]any)
	isNumber := v != nil && !isText && !isBool && !isObject
	switch {
	case v == nil:
	case dataType == "string" && isRounded(text):
		return nil, fmt.Errorf("%q %w", text, errRounded)
	case dataType == "double" && isText && isNumberText(text):
		return json.Number(text), nil
	case dataType == "double" && !isNumber:
		return nil, fmt.Errorf("%s is not a number", written(v))
	case dataType == "bool" && isText:
		return boolean(text)
	case dataType == "bool" && !isBool:
		return nil, fmt.Errorf("%s must be true or false", written(v))
	case dataType == "datetime" && isText:
		return date(text)
	case dataType == "datetime":
		return nil, notDate(written(v))
	}
	return v, nil
}

// rounded matches long numbers as spreadsheets write them; different ones can become the same.
var (
	rounded    = regexp.MustCompile(`^\d([.,]\d+)?E\+\d+$`)
	errRounded = errors.New("is a number that a spreadsheet has rounded; format its column as text, and export it again")
)

func isRounded(s string) bool { return strings.Contains(s, "E+") && rounded.MatchString(s) }

// isNumberText reports whether a text is a number as JSON has them.
func isNumberText(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && json.Valid([]byte(s))
}

// written returns a value as JSON.
func written(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func boolean(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q must be true or false", text)
}

// hasHidden reports whether an id has invisible characters; blanks within it are fine.
func hasHidden(id string) bool { return visible.HasHidden(strings.Join(strings.Fields(id), " ")) }
