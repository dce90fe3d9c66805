package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// record is one record of a store, without the document that some kinds have.
type record struct {
	Workspace string `json:"workspace"`
	Campaign  string `json:"campaign,omitempty"` // id, in what belongs to a campaign

	// One of these is set. A campaign is its head with its summary; a revision is its head with its metadata.
	Settings   *engine.Workspace        `json:"settings,omitempty"`
	Head       *wire.Head               `json:"head,omitempty"`
	Summary    *wire.Summary            `json:"summary,omitempty"`
	Revision   *engine.Revision         `json:"revision,omitempty"`
	Dismissals []engine.Dismissal       `json:"dismissals,omitempty"`
	Copy       *wire.WorkingCopy        `json:"working_copy,omitempty"`
	User       *engine.User             `json:"user,omitempty"`
	Products   *engine.ProductSet       `json:"product_set,omitempty"`
	API        *engine.ContentAPI       `json:"content_api,omitempty"`
	Template   *wire.Template           `json:"template,omitempty"`
	Message    *wire.Delivered          `json:"message,omitempty"`
	Test       *wire.TestRecord         `json:"test,omitempty"`
	Key        *store.IdempotencyRecord `json:"idempotency,omitempty"`
	Request    *request                 `json:"request,omitempty"`
}

// request is the id of a request that is in use.
type request struct {
	Operation string    `json:"operation"`
	ID        string    `json:"id"`
	Until     time.Time `json:"until"`
}

var errKind = errors.New("a record of an unknown kind")

// put stores a record with its document.
func (r record) put(to store.Transferable, document []byte) error {
	var tree doc.Value
	if len(document) > 0 {
		var err error
		if tree, err = doc.Parse(document); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	switch {
	case r.Head != nil && r.Summary != nil:
		return to.ImportCampaign(engine.Campaign{Head: engine.Head(*r.Head), Body: tree}, r.Summary.Engine())
	case r.Head != nil && r.Revision != nil:
		return to.ImportRevision(r.Campaign, *r.Revision, engine.Campaign{Head: engine.Head(*r.Head), Body: tree})
	case len(r.Dismissals) > 0:
		return to.PutDismissals(r.Campaign, r.Dismissals)
	case r.Copy != nil:
		w := engine.WorkingCopy{Base: r.Copy.Base, Body: tree, At: r.Copy.At}
		if r.Copy.Origin != "" {
			var err error
			if w.Origin, err = doc.Parse([]byte(r.Copy.Origin)); err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
		}
		return to.PutWorkingCopy(r.Campaign, w)
	case r.User != nil:
		return to.PutProfile(*r.User)
	case r.Products != nil:
		return to.PutContent(engine.ContentItem{Products: r.Products})
	case r.API != nil:
		return to.PutContent(engine.ContentItem{API: r.API})
	case r.Template != nil:
		t := r.Template.Engine(tree)
		return to.PutContent(engine.ContentItem{Template: &t})
	case r.Message != nil:
		m := r.Message.Engine()
		if m.Push != nil {
			m.Push.Payload = tree
		}
		return to.PutOutbox(m)
	case r.Test != nil:
		t := r.Test.Engine()
		t.Body = tree
		return to.PutTestSend(t)
	case r.Key != nil:
		return to.PutIdempotencyRecord(*r.Key)
	case r.Request != nil:
		return to.PutRequestID(r.Request.Operation, r.Request.ID, r.Request.Until)
	}
	return errKind
}

// Contents describes the records of a backup or of a store.
type Contents struct {
	Records    int      `json:"records"`
	Campaigns  int      `json:"campaigns"`
	Workspaces []string `json:"workspaces"`
	// Checksum is that of all records, in any order.
	Checksum uint64 `json:"checksum,string"`
}

// same reports whether both have the same records.
func (c Contents) same(other Contents) bool {
	return c.Records == other.Records && c.Campaigns == other.Campaigns && c.Checksum == other.Checksum && slices.Equal(c.Workspaces, other.Workspaces)
}

func (c *Contents) add(r record, head, document []byte) {
	c.Records++
	c.Checksum += xxhash.Sum64(head) ^ bits.RotateLeft64(xxhash.Sum64(document), 1)
	switch {
	case r.Settings != nil:
		c.Workspaces = append(c.Workspaces, r.Workspace)
	case r.Summary != nil:
		c.Campaigns++
	}
}

// DamagedError reports that a store cannot be copied or backed up, because some of it is damaged or was lost.
type DamagedError struct {
	What []string // what is damaged
}

func (e *DamagedError) Error() string {
	more := ""
	if n := len(e.What) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("the store is damaged, so it was not copied: %s%s; check with `bugle doctor`", e.What[0], more)
}

// A visitor is called with a record, and with its encoded form: JSON and a document. Both are valid only until it returns.
type visitor func(r record, head, document []byte) error

// reportEvery is after how many records progress is reported.
const reportEvery = 1024

// each visits every record of a store, as it was at one moment. It holds few records in memory at once. It fails with a
// [DamagedError] at the end if some of them cannot be read. progress may be nil.
func each(ctx context.Context, db store.DB, progress func(records int), visit visitor) (c Contents, err error) {
	err = db.Read(ctx, func(tx store.Tx) error {
		if c.Records > 0 {
			return fmt.Errorf("%w while it was read; try again", store.ErrUnreachable) // this would be a later snapshot
		}
		c.Workspaces = []string{}
		ids, err := tx.Workspaces()
		if err != nil {
			return err
		}
		var bad DamagedError
		for _, id := range ids {
			from, err := transferable(tx, id)
			if err != nil {
				return err
			}
			s := source{from, &bad, func(r record, tree doc.Value) error {
				r.Workspace = id
				head, err := json.Marshal(r)
				if err != nil {
					return fmt.Errorf("a record of workspace %q cannot be copied: %w", id, err)
				}
				document := tree.Encode()
				if c.add(r, head, document); progress != nil && c.Records%reportEvery == 0 {
					progress(c.Records)
				}
				return errors.Join(ctx.Err(), visit(r, head, document))
			}}
			for _, kind := range []func() error{s.settings, s.campaigns, s.users, s.content, s.messages, s.tests, s.keys, s.requests} {
				if err := s.note(kind()); err != nil {
					return err
				}
			}
		}
		if len(bad.What) > 0 {
			return &bad
		}
		return nil
	})
	return c, err
}

// source reads all records of a workspace.
type source struct {
	store.Transferable
	bad  *DamagedError
	emit func(record, doc.Value) error
}

// note notes damage, and returns every other error.
func (s source) note(err error) error {
	if !errors.As(err, new(*store.CorruptError)) {
		return err
	}
	s.bad.What = append(s.bad.What, strings.Split(err.Error(), "\n")...)
	return nil
}

func (s source) settings() error {
	w, err := s.Settings()
	if err != nil {
		return err
	}
	return s.emit(record{Settings: &w}, doc.Value{})
}

func (s source) campaigns() error {
	return s.Summaries(func(sum engine.Summary) error {
		c, err := s.Campaign(sum.ID)
		if err != nil {
			return s.note(err)
		}
		head, row := wire.Head(c.Head), wire.ToSummary(sum)
		if err := s.emit(record{Campaign: sum.ID, Head: &head, Summary: &row}, c.Body); err != nil {
			return err
		}
		for _, part := range []func(id string) error{s.revisions, s.dismissals, s.workingCopy} {
			if err := s.note(part(sum.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s source) revisions(id string) error {
	revisions, damage := s.Revisions(id)
	if err := s.note(damage); err != nil {
		return err
	}
	for _, rev := range revisions {
		c, err := s.Revision(id, rev.N)
		if err == nil {
			head := wire.Head(c.Head)
			err = s.emit(record{Campaign: id, Head: &head, Revision: &rev}, c.Body)
		}
		if err := s.note(err); err != nil {
			return fmt.Errorf("campaign %s, revision %d: %w", id, rev.N, err)
		}
	}
	return nil
}

func (s source) dismissals(id string) error {
	list, err := s.Dismissals(id)
	if err != nil || len(list) == 0 {
		return err
	}
	return s.emit(record{Campaign: id, Dismissals: list}, doc.Value{})
}

func (s source) workingCopy(id string) error {
	w, err := s.WorkingCopy(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.emit(record{Campaign: id, Copy: &wire.WorkingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}}, w.Body)
}

func (s source) users() error {
	return s.Profiles("", func(u engine.User) error { return s.emit(record{User: &u}, doc.Value{}) })
}

func (s source) content() error {
	for _, kind := range store.ContentKinds() {
		err := s.Content(kind, func(item engine.ContentItem) error {
			if item.Template == nil {
				return s.emit(record{Products: item.Products, API: item.API}, doc.Value{})
			}
			t := wire.ToTemplate(*item.Template)
			return s.emit(record{Template: &t}, item.Template.Content)
		})
		if err := s.note(err); err != nil {
			return err
		}
	}
	return nil
}

func (s source) messages() error {
	return s.EachOutboxMessage(func(m engine.OutboxMessage) error {
		w := wire.ToDelivered(m)
		if m.Push == nil {
			return s.emit(record{Message: &w}, doc.Value{})
		}
		return s.emit(record{Message: &w}, m.Push.Payload)
	})
}

func (s source) tests() error {
	return s.TestSends(0, func(t engine.TestRecord) error {
		w := wire.ToTestRecord(t)
		return s.emit(record{Test: &w}, t.Body)
	})
}

// keys and requests have microseconds in a database.
func (s source) keys() error {
	return s.EachIdempotencyRecord(func(k store.IdempotencyRecord) error {
		k.At, k.ExpiresAt = k.At.Truncate(time.Microsecond), k.ExpiresAt.Truncate(time.Microsecond)
		return s.emit(record{Key: &k}, doc.Value{})
	})
}

func (s source) requests() error {
	return s.EachRequestID(func(operation, id string, until time.Time) error {
		return s.emit(record{Request: &request{operation, id, until.Truncate(time.Microsecond)}}, doc.Value{})
	})
}
