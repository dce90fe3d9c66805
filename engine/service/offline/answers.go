package offline

import (
	"encoding/json"

	"bugle/engine"
	"bugle/engine/doc"
)

// codec converts the responses of one kind to and from files.
type codec[T any] struct {
	kind   string
	encode func(T) any
	decode func(json.RawMessage) (T, error)
}

var (
	campaignForm = codec[engine.Campaign]{"campaign", func(c engine.Campaign) any { return recordOf(c) }, func(b json.RawMessage) (engine.Campaign, error) {
		r, err := decodeJSON[record](b)
		if err != nil {
			return engine.Campaign{}, err
		}
		return r.campaign()
	}}
	foundForm = codec[[]engine.Campaign]{"search", recordsOf, campaignsIn}
	listForm  = codec[[]engine.Summary]{"list", identity[[]engine.Summary], decodeJSON[[]engine.Summary]}
	metaForm  = codec[[]engine.Meta]{"meta", identity[[]engine.Meta], decodeJSON[[]engine.Meta]}
)

// identity keeps rows, which contain no documents, as they are.
func identity[T any](rows T) any { return rows }

func decodeJSON[T any](b json.RawMessage) (T, error) {
	var out T
	err := json.Unmarshal(b, &out)
	return out, err
}

// record is a campaign in a file. Its body is a string, because a JSON library would rewrite it.
type record struct {
	Head engine.Head `json:"head"`
	ETag string      `json:"etag,omitempty"`
	Body string      `json:"body"`
}

func recordOf(c engine.Campaign) record { return record{c.Head, c.ETag, string(c.Body.Encode())} }

func (r record) campaign() (engine.Campaign, error) {
	body, err := doc.Parse([]byte(r.Body))
	return engine.Campaign{Head: r.Head, Body: body, ETag: r.ETag}, err
}

func recordsOf(cs []engine.Campaign) any {
	out := make([]record, len(cs))
	for i, c := range cs {
		out[i] = recordOf(c)
	}
	return out
}

func campaignsIn(b json.RawMessage) ([]engine.Campaign, error) {
	in, err := decodeJSON[[]record](b)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Campaign, len(in))
	for i, r := range in {
		if out[i], err = r.campaign(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
