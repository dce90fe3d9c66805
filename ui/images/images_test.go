package images

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine/message/render"
)

// screen is a terminal: it answers the questions of the viewer, and holds what was written to it.
type screen struct {
	t       *testing.T
	answers string
	keys    *io.PipeWriter

	mu      sync.Mutex
	text    string
	seen    int // bytes of text
	changed chan struct{}
}

// Write answers the last question, as every terminal does.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	s.text += string(b)
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if bytes.Contains(b, []byte("\x1b[c")) {
		go s.press(s.answers) // which the viewer reads once it has written
	}
	return len(b), nil
}

func (s *screen) press(keys string) { _, _ = io.WriteString(s.keys, keys) }

// until waits for a text after what was seen before, and returns what came up to it.
func (s *screen) until(text string) string {
	s.t.Helper()
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		before, _, ok := strings.Cut(s.text[s.seen:], text)
		if ok {
			s.seen += len(before) + len(text)
		}
		changed := s.changed
		s.mu.Unlock()
		if ok {
			return before
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("there is no %q in %q", text, before)
		}
	}
}

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// start runs a viewer on a terminal. The error that it ends with comes from the channel.
func start(t *testing.T, v *Viewer, answers string) (*screen, <-chan error) {
	in, keys := io.Pipe()
	s := &screen{t: t, answers: answers, keys: keys, changed: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		ended <- v.Run(t.Context(), in, s)
		in.Close()
	}()
	t.Cleanup(func() { keys.Close() })
	return s, ended
}

func ends(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the viewer does not end")
		return nil
	}
}

const (
	plain  = "\x1b[?62;22c"
	xterms = "\x1b[?62;4;22c"
)

// Each terminal gets images in the way that it says it knows.
func TestProtocols(t *testing.T) {
	for name, c := range map[string]struct{ answers, draws string }{
		"kitty": {"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.35.2)\x1b\\\x1b[6;20;10t" + plain, "\x1b_Gf=100,q=2,i=1,a=T;"},
		"sixel": {"\x1b[6;20;10t" + xterms, "\x1bP0;1q"},
		"both":  {"\x1b_Gi=31;OK\x1b\\" + xterms, "\x1b_Gf=100,"},
	} {
		t.Run(name, func(t *testing.T) {
			v := New([]render.Image{{URL: "x", Name: "a.png"}})
			v.load = func(context.Context, string) ([]byte, error) { return picture(t, 30, 30), nil }
			s, ended := start(t, v, c.answers)
			s.until("Loading")
			s.until(c.draws)
			s.press("q")
			if err := ends(t, ended); err != nil {
				t.Error(err)
			}
			s.until("\x1b[?1049l")
		})
	}
}

// A terminal that does not say that it can gets no image.
func TestUnsupported(t *testing.T) {
	for _, answers := range []string{plain, "\x1b_Gi=31;EINVAL\x1b\\" + plain, "\x1bP>|XTerm(390)\x1b\\" + plain, "\x1b[?64;24c"} {
		s, ended := start(t, New([]render.Image{{URL: "x", Name: "a.png"}}), answers)
		if err := ends(t, ended); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: it ended with %v", answers, err)
		}
		if seen := s.until("\x1b[?1049l"); strings.Contains(seen, "a.png") {
			t.Errorf("%q: it drew %q", answers, seen)
		}
	}
}

// The user goes from image to image, also while one is being loaded, and sees why one cannot be shown.
func TestBrowse(t *testing.T) {
	v := New([]render.Image{{URL: "slow", Name: "slow.png"}, {URL: "text", Name: "text.svg"}, {URL: "gone", Name: "gone.png", Alt: "A cup"}})
	stopped := make(chan struct{})
	v.load = func(ctx context.Context, address string) ([]byte, error) {
		switch address {
		case "slow":
			<-ctx.Done()
			stopped <- struct{}{}
			return nil, ctx.Err()
		case "text":
			return []byte("<svg/>"), nil
		}
		return nil, errors.New("the image cannot be fetched")
	}
	s, ended := start(t, v, xterms)
	s.until("1 of 3 · slow.png")
	s.press("\x1b[C")
	<-stopped // the load has ended
	s.until("2 of 3 · text.svg")
	s.until("This is not a PNG, JPEG, GIF or WebP image")
	s.press(" ")
	s.until("3 of 3 · gone.png · A cup")
	s.until("The image cannot be fetched.")
	s.press("l")
	s.until("1 of 3")
	s.press("h")
	<-stopped
	s.until("3 of 3")
	s.press("\x1b")
	if err := ends(t, ended); err != nil {
		t.Error(err)
	}
}

// Images are scaled down to the screen, and never up.
func TestFit(t *testing.T) {
	for _, c := range []struct{ w, h, wantW, wantH int }{{100, 50, 100, 50}, {8000, 100, 800, 10}, {100, 4000, 10, 400}, {100000, 1, 800, 1}} {
		got := terminal{cell: size{10, 20}, screen: size{80, 24}}.fit(image.NewNRGBA(image.Rect(0, 0, c.w, c.h))).Bounds()
		if got.Dx() != c.wantW || got.Dy() != c.wantH {
			t.Errorf("%d × %d became %v", c.w, c.h, got)
		}
	}
}

func TestLoadData(t *testing.T) {
	for address, want := range map[string]string{"data:image/png;base64,aGk=": "hi", "data:image/svg+xml,%3Csvg/%3E": "<svg/>"} {
		if got, err := load(t.Context(), address); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", address, got, err)
		}
	}
	if _, err := load(t.Context(), "ftp://example.com/a.png"); err == nil || !strings.Contains(err.Error(), "the image ftp://example.com/a.png is not an http or https address") {
		t.Errorf("another kind of address: %v", err)
	}
}

// What anybody sends as an image, and what a terminal answers, does no harm.
func FuzzImages(f *testing.F) {
	f.Add([]byte("GIF89a"), "\x1b[?4c")
	f.Add([]byte("\x89PNG\r\n\x1a\n"), "\x1b_Gi=31;OK\x1b\\\x1b[6;-1;99999t\x1b[?c")
	f.Fuzz(func(t *testing.T, data []byte, answers string) {
		var asked terminal
		asked.answered(answers)
		_, _ = decode(data)
	})
}
