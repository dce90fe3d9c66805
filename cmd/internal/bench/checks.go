package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/badger"
)

// checkedSize is the size of the HTML of the email that is checked beside typing, in bytes.
const checkedSize = 100 << 10

// checksOff is the environment of a program that looks for no warnings while the user types.
const checksOff = "BUGLE_CHECKS=off"

// The subjects of the checked email, and what the builder says of them: a lower-case letter makes the difference.
const (
	shoutedSubject = "A WHOLE YEAR OF COFFEE"
	shouted, quiet = "1 warning ", "no problems ─"
)

// checks measures what looking for warnings beside typing costs: how long after a key they are there, and how fast keys
// are with it and without it.
func (r *run) checks(ctx context.Context) error {
	dir := filepath.Join(r.tmp, "checked")
	if err := r.checkedStore(ctx, dir); err != nil {
		return fmt.Errorf("the store with the email to check: %w", err)
	}
	off, _, err := r.typeSubject(ctx, dir, false, checksOff)
	if err != nil {
		return err
	}
	on, settled, err := r.typeSubject(ctx, dir, true)
	if err != nil {
		return err
	}
	const what = "key to frame: typing the subject of an email of 100 KB, "
	without := durations(Checks, what+"without checks", time.Millisecond, off)
	r.add(without)
	// No slower but for what two runs differ by anyway.
	r.add(durations(Checks, what+"with checks", time.Millisecond, on, atMost(ofMedian, without.Median*1.2+1), atMost(ofP99, without.P99*1.2+3)))
	r.add(durations(Checks, "key to the warnings of an email of 100 KB", time.Millisecond, settled, atMost(ofP99, 200)))
	return nil
}

// checkedStore creates a store with one campaign: an email of which only the subject is warned about.
func (r *run) checkedStore(ctx context.Context, dir string) (err error) {
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: Workspace, Name: "Measured", Author: "ann@example.com",
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Mail", Provider: engine.ProviderOutbox}},
	})
	if err != nil {
		return err
	}
	svc, err := local.Open(db, Workspace, local.Options{})
	if err != nil {
		return err
	}
	if err := svc.PutUser(ctx, engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "bo@example.com"}}); err != nil {
		return err
	}
	object := func(ms ...doc.Member) doc.Value { return doc.NewObject(ms...) }
	text := func(name, value string) doc.Member { return doc.M(name, doc.NewString(value)) }
	var html strings.Builder
	for i := 0; html.Len() < checkedSize; i++ {
		fmt.Fprintf(&html, "<p style=\"margin:0 0 12px;color:#222222;background:#ffffff\">Blend %d of this <b>spring</b>. <a href=\"https://shop.eu/blend/%d\">Taste it</a></p>\n", i, i)
	}
	start := time.Now().UTC().AddDate(0, 0, 7).Truncate(24 * time.Hour).Add(10 * time.Hour)
	body := object(
		doc.M(string(catalog.BasicDetails), object(text("name", FirstName), text("content_type", "TRANSACTIONAL"))),
		doc.M(string(catalog.Connector), object(text("connector_type", "CUSTOM_SMTP"), text("connector_name", "Mail"))),
		doc.M(string(catalog.CampaignContent), object(doc.M("content", object(doc.M("email", object(
			text("subject", shoutedSubject), text("preview_text", "Twelve blends that are new this spring, and one that is back"),
			text("from_address", "news@example.com"), text("html_content", html.String()),
		)))))),
		doc.M(string(catalog.SchedulingDetails), object(text("delivery_type", "AT_FIXED_TIME"), text("start_time", start.Format("2006-01-02T15:04:05")), text("timezone", "UTC"))),
		doc.M(string(catalog.SegmentationDetails), object(doc.M("is_all_user_campaign", doc.NewBool(true)))),
	)
	_, err = svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", body)})
	return err
}

// typeSubject types letters into the subject of the email and deletes them. It returns the time from each key to its
// frame and, with checks, to the warnings.
func (r *run) typeSubject(ctx context.Context, dir string, checks bool, env ...string) (frames, settled []time.Duration, err error) {
	s, err := r.open(ctx, dir, true, env...)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if _, err := s.see(ctx, FirstName); err != nil {
		return nil, nil, err
	}
	if err := s.pressAll(ctx, keyHome, keyEnter, keyDown, keyDown, keyEnter); err != nil { // the content, and its subject
		return nil, nil, err
	}
	if _, err := s.see(ctx, shoutedSubject); err != nil {
		return nil, nil, err
	}
	keys, said := []string{"x", keyBackspace}, []string{quiet, shouted}
	if checks {
		if _, err := s.see(ctx, shouted); err != nil {
			return nil, nil, err
		}
	}
	if err := s.pressAll(ctx, keys...); err != nil { // the first keys read what later ones have
		return nil, nil, err
	}
	for i := range r.Keys + r.Keys%2 { // the subject stays as it was
		if _, _, err := s.next(ctx, rand.N(10*time.Millisecond)); err != nil {
			return nil, nil, err
		}
		began := time.Now()
		k, err := s.press(ctx, keys[i%2])
		if err != nil {
			return nil, nil, err
		}
		if k.frame > 0 {
			frames = append(frames, k.frame)
		}
		if !checks {
			continue
		}
		at, err := s.see(ctx, said[i%2])
		if err != nil {
			return nil, nil, err
		}
		settled = append(settled, at.Sub(began))
	}
	if len(frames) == 0 {
		return nil, nil, fmt.Errorf("no key changed the screen:\n%s", s.text())
	}
	return frames, settled, nil
}
