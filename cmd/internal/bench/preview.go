package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/themes"
	"bugle/ui/builder"
	"bugle/ui/prefs"
	"bugle/ui/screen"
)

const (
	// previewedSize is the size of the email that is seen as one user after another, in bytes.
	previewedSize = 100 << 10
	previewers    = 1000 // how many users there are
)

// preview measures how long the builder takes to show a large email as another user: from the key to the drawn screen,
// the search in the audience and resolving included.
func (r *run) preview(ctx context.Context) (err error) {
	s, err := newPreviewed(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.press("u")
	var took []time.Duration
	for i := range r.Keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		s.press("alt+n")
		took = append(took, time.Since(began))
		if want := fmt.Sprintf("Name%d", i); !strings.Contains(s.frame, want) {
			return fmt.Errorf("the preview does not show %s:\n%s", want, s.frame)
		}
	}
	row := durations(Previewing, "switching the user of the preview", time.Millisecond, took, atMost(ofP99, 50))
	row.Note = fmt.Sprintf("an email of %d KB, without the terminal", previewedSize>>10)
	r.add(row)
	return nil
}

// previewed is the builder of a large email. Its commands run one after another.
type previewed struct {
	screen  *builder.Screen
	service *local.Service
	store   *mem.DB
	frame   string // the screen when last drawn
}

func newPreviewed(ctx context.Context) (*previewed, error) {
	s := &previewed{store: mem.New()}
	if _, err := local.CreateWorkspace(ctx, s.store, engine.Workspace{ID: "BENCH"}); err != nil {
		return nil, err
	}
	var err error
	if s.service, err = local.Open(s.store, "BENCH", local.Options{}); err != nil {
		return nil, err
	}
	var rows []engine.UserRow
	for i := range previewers {
		rows = append(rows, engine.UserRow{User: engine.User{ID: fmt.Sprintf("USER_%06d", i), Attributes: map[string]any{
			"First Name": fmt.Sprintf("Name%d", i), engine.AttrEmail: fmt.Sprintf("u%d@example.com", i),
		}}})
	}
	if _, err := s.service.ImportUsers(ctx, engine.UserImport{Rows: rows}); err != nil {
		return nil, err
	}
	mail := doc.NewObject(
		doc.M(catalog.EmailSubject, doc.NewString("Hi {{UserAttribute['First Name']}}")),
		doc.M(catalog.EmailHTML, doc.NewString(previewedHTML())),
	)
	made, err := s.service.Create(ctx, engine.CreateRequest{Call: engine.NewCall(), Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "bench@example.com", doc.NewObject(
		doc.M(string(catalog.BasicDetails), doc.NewObject(doc.M("name", doc.NewString("Large email")))),
		doc.M(string(catalog.SegmentationDetails), doc.NewObject(doc.M("is_all_user_campaign", doc.NewBool(true)))),
		doc.M(string(catalog.CampaignContent), doc.NewObject(doc.M("content", doc.NewObject(doc.M("email", mail))))),
	))})
	if err != nil {
		return nil, err
	}
	deps := screen.Deps{Service: s.service, Theme: themes.Plain(), Now: time.Now, Location: time.UTC, Workspace: "BENCH", Prefs: prefs.NewInMemory()}
	s.screen = builder.New(deps, screen.Route{Name: screen.Builder, ID: made.ID, Preview: true})
	s.screen.SetSize(160, 45)
	s.run(s.screen.Init())
	s.press("right") // the whole message
	return s, nil
}

// previewedHTML returns a large HTML with an expression in each paragraph.
func previewedHTML() string {
	var html strings.Builder
	for i := 0; html.Len() < previewedSize; i++ {
		fmt.Fprintf(&html, `<p>Hello {{UserAttribute['First Name']|default('friend')}}, <a href="https://example.com/%d?q=1">item %d</a> %s</p>`, i, i, strings.Repeat("lorem ipsum ", 30))
	}
	return html.String()
}

// press handles a key and everything that it starts, and draws the screen.
func (s *previewed) press(name string) {
	s.run(s.handle(name))
	s.frame = s.screen.View()
}

// handle runs the action of a key, or passes the key to the screen.
func (s *previewed) handle(name string) tea.Cmd {
	for _, a := range s.screen.Actions() {
		if a.HasKey(name) {
			return a.Run()
		}
	}
	key := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.TrimPrefix(name, "alt+")), Alt: strings.HasPrefix(name, "alt+")}
	if name == "right" {
		key = tea.KeyMsg{Type: tea.KeyRight}
	}
	return s.screen.Update(key)
}

func (s *previewed) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	default:
		s.run(s.screen.Update(msg))
	}
}

func (s *previewed) close() error {
	s.screen.Close()
	return errors.Join(s.service.Close(), s.store.Close())
}
