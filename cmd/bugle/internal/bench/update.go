package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// updates measures what the program does within itself on the same keys: Update and View.
func (r *run) updates(ctx context.Context) (err error) {
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	model, closeStore, err := r.Model(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	d := drive(ctx, model)
	defer func() { err = errors.Join(err, d.end()) }()
	if err := d.see(ctx, FirstName); err != nil {
		return err
	}
	if err := d.search(ctx); err != nil {
		return err
	}
	for _, w := range walks() {
		r.Say("measuring: Update and View, " + w.what)
		took, err := d.walk(ctx, w, r.Keys)
		if err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
		row := durations(Keys, "Update and View: "+w.what, time.Microsecond, took, atMost(ofMedian, 1000))
		row.Campaigns = r.Campaigns
		r.add(row)
	}
	return nil
}

// driver runs a model as a program without a terminal.
type driver struct {
	program *tea.Program
	keys    chan time.Duration // how long each key took
	views   chan struct{}      // holds one token when there is a new view
	ended   chan error

	mu   sync.Mutex
	view string // the newest
}

func drive(ctx context.Context, m tea.Model) *driver {
	d := &driver{keys: make(chan time.Duration, 1), views: make(chan struct{}, 1), ended: make(chan error, 1)}
	d.program = tea.NewProgram(&timed{Model: m, to: d}, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignals())
	go func() {
		_, err := d.program.Run()
		d.ended <- err
	}()
	d.program.Send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

func (d *driver) end() error {
	d.program.Quit()
	if err := <-d.ended; err != nil && !errors.Is(err, tea.ErrProgramKilled) {
		return err
	}
	return nil
}

// timed is a model that tells how long its keys take: Update, and the View that follows at once.
type timed struct {
	tea.Model
	to    *driver
	began time.Time // of a key whose view is not there yet
}

func (t *timed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyMsg); ok {
		t.began = time.Now()
	}
	var cmd tea.Cmd
	t.Model, cmd = t.Model.Update(msg)
	return t, cmd
}

func (t *timed) View() string {
	view := t.Model.View()
	if !t.began.IsZero() {
		t.to.keys <- time.Since(t.began)
		t.began = time.Time{}
	}
	t.to.mu.Lock()
	t.to.view = view
	t.to.mu.Unlock()
	select {
	case t.to.views <- struct{}{}:
	default:
	}
	return view
}

func (d *driver) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.view
}

// see waits until the view has a text.
func (d *driver) see(ctx context.Context, text string) error {
	limit := time.After(patience)
	for !strings.Contains(d.text(), text) {
		select {
		case <-d.views:
		case <-limit:
			return fmt.Errorf("%q did not come within %v:\n%s", text, patience, d.text())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// settle waits until there has been no new view for a while, or a second has passed.
func (d *driver) settle(ctx context.Context) error {
	limit := time.After(time.Second)
	for {
		quiet := time.NewTimer(rest / 3)
		select {
		case <-d.views:
			quiet.Stop()
		case <-quiet.C:
			return nil
		case <-limit:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *driver) press(ctx context.Context, key string) (time.Duration, error) {
	d.program.Send(keyMsg(key))
	select {
	case took := <-d.keys:
		return took, d.settle(ctx)
	case err := <-d.ended:
		d.ended <- err
		return 0, errors.Join(errors.New("the program has ended"), err)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (d *driver) pressAll(ctx context.Context, keys ...string) error {
	for _, k := range keys {
		if _, err := d.press(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// search finds the campaign that is far down, and goes back.
func (d *driver) search(ctx context.Context) error {
	if err := d.pressAll(ctx, slices.Concat([]string{"/"}, strings.Split("zanzibar", ""))...); err != nil {
		return err
	}
	if err := d.see(ctx, FarName); err != nil {
		return err
	}
	return d.pressAll(ctx, keyEscape, keyEscape)
}

func (d *driver) walk(ctx context.Context, w walk, n int) (took []time.Duration, err error) {
	if err := d.pressAll(ctx, w.before...); err != nil {
		return nil, err
	}
	for i := range n {
		t, err := d.press(ctx, w.keys[i%len(w.keys)])
		if err != nil {
			return nil, err
		}
		took = append(took, t)
	}
	return took, d.pressAll(ctx, w.after...)
}

// keyMsg gives the message of a key that a terminal sends.
func keyMsg(key string) tea.KeyMsg {
	types := map[string]tea.KeyType{
		keyUp: tea.KeyUp, keyDown: tea.KeyDown, keyPgUp: tea.KeyPgUp, keyPgDown: tea.KeyPgDown,
		keyEnter: tea.KeyEnter, keyEscape: tea.KeyEscape, keyBackspace: tea.KeyBackspace, " ": tea.KeySpace,
	}
	if t, ok := types[key]; ok && key != " " {
		return tea.KeyMsg{Type: t}
	}
	k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}
	if key == " " {
		k.Type = tea.KeySpace
	}
	return k
}
