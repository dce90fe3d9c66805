// Package sample installs a sample workspace: the campaigns, customers and settings of a fictitious coffee
// roaster.
//
// Its content is in files: workspace.json has the settings, profiles.json the customers, content.json the
// content of messages (the host of its content API is not allowed, so nothing leaves the machine), and
// campaigns/ one record per file in the format of Get Campaign. Ids and times relative to the installation
// are tokens that Install replaces. A campaign's id is derived from its file name.
package sample

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store"
)

// ID is the default id of the workspace.
const ID = "DEMO"

//go:embed workspace.json profiles.json content.json campaigns/*.json
var files embed.FS

// Options configure the workspace. The zero value is ready for use.
type Options struct {
	ID     string    // empty: [ID]
	Name   string    // empty: the sample's own
	Author string    // the email address that the terminal uses as creator
	Now    time.Time // the base of the sample's times; zero: the current time
}

// Install creates the sample workspace in one transaction, and returns its API key, which is only available
// this once. If the id is taken, it fails with BAD_REQUEST, HTTP 409.
func Install(ctx context.Context, db store.DB, o Options) (apiKey string, err error) {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	c, err := read(o)
	if err != nil {
		return "", fmt.Errorf("the sample cannot be read: %w", err)
	}
	err = db.Write(ctx, func(tx store.Tx) error {
		if apiKey, err = local.CreateWorkspace(ctx, nestedDB{DB: db, tx: tx}, c.workspace); err != nil {
			return err
		}
		return c.put(tx.Workspace(c.workspace.ID))
	})
	switch {
	case err == nil:
		return apiKey, nil
	case engine.AsError(err) != nil:
		return "", err
	}
	return "", fmt.Errorf("the sample was not installed, and nothing of it is left: %w", err)
}

// nestedDB is a store whose updates are part of a running transaction.
type nestedDB struct {
	store.DB
	tx store.Tx
}

func (j nestedDB) Write(_ context.Context, fn func(store.Tx) error) error { return fn(j.tx) }

// content is the sample with its tokens resolved.
type content struct {
	workspace engine.Workspace
	users     []engine.User
	items     []engine.ContentItem
	campaigns []engine.Campaign
}

func read(o Options) (content, error) {
	var c content
	raw, err := parse("workspace.json")
	if err != nil {
		return c, err
	}
	zone, err := time.LoadLocation(raw.Get("timezone").Text())
	if err != nil {
		return c, fmt.Errorf("the time zone of the sample: %w", err)
	}
	r := resolver{now: o.Now, zone: zone}
	if err := r.decode("workspace.json", &c.workspace); err != nil {
		return c, err
	}
	c.workspace.ID = cmp.Or(o.ID, ID)
	c.workspace.Name = cmp.Or(o.Name, c.workspace.Name)
	c.workspace.Author = cmp.Or(o.Author, c.workspace.Author)
	c.workspace.Sample = true
	if err := r.decode("profiles.json", &c.users); err != nil {
		return c, err
	}
	if err := r.decode("content.json", &c.items); err != nil {
		return c, err
	}
	c.campaigns, err = r.campaigns()
	return c, err
}

func (r resolver) campaigns() ([]engine.Campaign, error) {
	names, err := fs.Glob(files, "campaigns/*.json")
	if err != nil {
		return nil, err
	}
	var out []engine.Campaign
	for _, name := range names {
		record, err := r.file(name)
		if err != nil {
			return nil, err
		}
		c := engine.ParseRecord(record)
		c.ID = idOf(strings.TrimSuffix(path.Base(name), ".json"))
		c.CampaignID = cmp.Or(c.CampaignID, c.ID)
		c.UpdatedBy = cmp.Or(c.UpdatedBy, c.CreatedBy)
		out = append(out, c)
	}
	return out, nil
}

func parse(name string) (doc.Value, error) {
	b, err := files.ReadFile(name)
	if err != nil {
		return doc.Value{}, err
	}
	v, err := doc.Parse(b)
	if err != nil {
		return doc.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func (r resolver) file(name string) (doc.Value, error) {
	v, err := parse(name)
	if err != nil {
		return v, err
	}
	if v, err = r.resolve(v); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func (r resolver) decode(name string, into any) error {
	v, err := r.file(name)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(v.Encode()))
	d.UseNumber() // prices keep their last zero
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// put stores everything except the settings.
func (c content) put(sp store.WorkspaceTx) error {
	for _, p := range c.users {
		if err := sp.PutProfiles(p); err != nil {
			return err
		}
	}
	for _, item := range c.items {
		if err := sp.PutContent(item); err != nil {
			return err
		}
	}
	for _, campaign := range c.campaigns {
		if err := putCampaign(sp, campaign); err != nil {
			return err
		}
	}
	return nil
}

// putCampaign stores a campaign with a plausible history.
func putCampaign(sp store.WorkspaceTx, c engine.Campaign) error {
	for _, step := range steps(c) {
		rev := engine.Revision{At: step.UpdatedAt, By: step.UpdatedBy, Note: step.note}
		if _, err := sp.PutCampaign(step.Campaign, engine.Summarize(step.Campaign), rev, false); err != nil {
			return err
		}
	}
	return nil
}

// step is a campaign at one point in its history.
type step struct {
	engine.Campaign
	note string
}

// steps returns the history of a campaign: begun with its basics, written, published, and what brought
// it into its state. A campaign of a channel that can only be read came from elsewhere as it is.
func steps(c engine.Campaign) []step {
	if !c.Channel.Writable() {
		return []step{{c, "imported"}}
	}
	begun := c
	begun.Status, begun.SentTime, begun.RejectionComment = catalog.Draft, time.Time{}, ""
	begun.UpdatedAt, begun.UpdatedBy = c.CreatedAt, c.CreatedBy
	begun.Body = doc.NewObject()
	if basics := c.Body.Get(string(catalog.BasicDetails)); basics.Exists() {
		begun.Body = doc.NewObject(doc.M(string(catalog.BasicDetails), basics))
	}
	if c.Status == catalog.Draft && !c.UpdatedAt.After(c.CreatedAt) {
		return []step{{c, "created"}}
	}
	out := []step{{begun, "created"}}
	if c.Status == catalog.Archived {
		ended := c
		ended.Status = catalog.Stopped
		if !c.SentTime.IsZero() {
			ended.Status, ended.UpdatedAt = catalog.Sent, c.SentTime
		}
		out = append(out, step{ended, notes[ended.Status]})
	}
	return append(out, step{c, notes[c.Status]})
}

// notes describe what brought a campaign into its state.
var notes = map[engine.State]string{
	catalog.Draft: "edited", catalog.Scheduled: "published", catalog.Active: "published", catalog.Sending: "published",
	catalog.Sent: "published", catalog.Paused: "paused", catalog.Stopped: "stopped", catalog.Archived: "archived",
}
