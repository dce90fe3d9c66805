// Package images shows the images of a message on the whole terminal, if it can draw them: with the protocol of kitty, or as
// sixels, as iTerm2, WezTerm, foot and xterm do. A terminal is asked first, and nothing is drawn in one that does not answer
// that it can.
package images

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"bugle/engine/message/delivery"
	"bugle/engine/message/render"
	"bugle/engine/phrase"
	"bugle/ui/widget"
)

// ErrUnsupported reports that the terminal draws no images.
var ErrUnsupported = errors.New("this terminal does not say that it can draw images, with the protocol of kitty or as sixels")

// Viewer shows images one after the other, until the user closes it.
type Viewer struct {
	images []render.Image
	load   func(context.Context, string) ([]byte, error)
}

// New returns a viewer of images, which must not be empty. An image is downloaded when it is shown.
func New(images []render.Image) *Viewer { return &Viewer{images, load} }

// Run shows the images on a terminal, which the caller has for itself. It returns [ErrUnsupported] if the terminal cannot.
func (v *Viewer) Run(ctx context.Context, keys io.Reader, out io.Writer) (err error) {
	screen := size{80, 24}
	if f, ok := keys.(term.File); ok && term.IsTerminal(f.Fd()) {
		before, raw := term.MakeRaw(f.Fd())
		if raw != nil {
			return fmt.Errorf("the terminal cannot be set up: %w", raw)
		}
		defer func() { err = errors.Join(err, term.Restore(f.Fd(), before)) }()
		if w, h, err := term.GetSize(f.Fd()); err == nil {
			screen = size{w, h}
		}
	}
	in, err := cancelreader.NewReader(keys)
	if err != nil {
		return fmt.Errorf("the terminal cannot be read: %w", err)
	}
	chunks := make(chan string)
	stop, ended := make(chan struct{}), make(chan struct{})
	go read(in, chunks, stop, ended)
	defer context.AfterFunc(ctx, func() { in.Cancel() })()
	defer func() {
		close(stop)
		if in.Cancel() {
			<-ended // so that it takes no key of the program that goes on
		}
		_ = in.Close()
	}()
	if _, err := io.WriteString(out, ansi.SetModeAltScreenSaveCursor+ansi.EraseEntireScreen+ansi.HideCursor); err != nil {
		return err
	}
	defer func() {
		_, end := io.WriteString(out, ansi.ShowCursor+ansi.ResetModeAltScreenSaveCursor)
		err = errors.Join(err, end)
	}()
	t, err := ask(out, chunks)
	if err != nil {
		return err
	}
	t.screen = screen
	return v.browse(out, t, chunks)
}

// read sends what comes from the terminal, until stop is closed or the terminal is gone. It closes ended.
func read(in io.Reader, chunks chan<- string, stop <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	defer close(chunks)
	b := make([]byte, 4096)
	for {
		n, err := in.Read(b)
		if n > 0 {
			select {
			case chunks <- string(b[:n]):
			case <-stop:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// browse shows images until the user closes the viewer.
func (v *Viewer) browse(out io.Writer, t terminal, chunks <-chan string) error {
	for at := 0; ; {
		move, err := v.show(out, t, at, chunks)
		if err != nil || move == 0 {
			return err
		}
		at = (at + move + len(v.images)) % len(v.images)
	}
}

// show shows an image, and returns how far the user moves on from it: 0 closes the viewer.
func (v *Viewer) show(out io.Writer, t terminal, at int, chunks <-chan string) (move int, err error) {
	img := v.images[at]
	title := fmt.Sprintf("%d of %d · %s", at+1, len(v.images), strings.TrimSuffix(img.Name+" · "+img.Alt, " · "))
	keys := "esc close"
	if len(v.images) > 1 {
		keys = "→ next · ← previous · esc close"
	}
	page := func(body string) error {
		text := t.forget() + ansi.EraseEntireScreen + ansi.CursorHomePosition + t.line(title) + ansi.CursorPosition(1, t.screen.height) + t.line(keys) + ansi.CursorPosition(1, 3) + body
		_, err := io.WriteString(out, text)
		return err
	}
	if err := page(t.line("Loading…")); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	loaded := make(chan string, 1) // the page; the load ends with the context
	go func() {
		body, err := v.body(ctx, t, img.URL)
		if err != nil {
			body = t.line(phrase.Sentence(err.Error()))
		}
		loaded <- body
	}()
	for {
		select {
		case body := <-loaded:
			if err := page(body); err != nil {
				return 0, err
			}
		case chunk, ok := <-chunks:
			if !ok {
				return 0, nil
			}
			if move, known := moves(chunk, len(v.images)); known {
				return move, nil
			}
		}
	}
}

// moves returns what a key does.
func moves(key string, images int) (move int, known bool) {
	switch key {
	case "\x1b", "q", "\x03", "\r":
		return 0, true
	case "\x1b[C", "\x1bOC", "\x1b[B", "\x1bOB", "l", "j", "n", " ", "\t":
		return 1, images > 1
	case "\x1b[D", "\x1bOD", "\x1b[A", "\x1bOA", "h", "k", "p":
		return -1, images > 1
	}
	return 0, false
}

// body returns what draws an image.
func (v *Viewer) body(ctx context.Context, t terminal, address string) (string, error) {
	data, err := v.load(ctx, address)
	if err != nil {
		return "", err
	}
	img, err := decode(data)
	if err != nil {
		return "", err
	}
	return t.draw(img)
}

// mostPixels limits the memory that an image takes, which is four bytes for each.
const mostPixels = 40_000_000

func decode(data []byte) (image.Image, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errors.New("this is not a PNG, JPEG, GIF or WebP image, which are the kinds that can be shown here")
	case err != nil:
		return nil, fmt.Errorf("the image is damaged: %w", err)
	case c.Width < 1 || c.Height < 1 || c.Width > mostPixels/c.Height:
		return nil, fmt.Errorf("the image has %d × %d pixels, which is too large to show here", c.Width, c.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the image is damaged: %w", err)
	}
	return img, nil
}

const loadTime = 10 * time.Second

// load downloads an image, or takes it from a data URL. Addresses in private networks are refused.
func load(ctx context.Context, address string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		kind, data, _ := strings.Cut(rest, ",")
		if strings.HasSuffix(kind, ";base64") {
			b, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				return nil, fmt.Errorf("the image is damaged: %w", err)
			}
			return b, nil
		}
		text, err := url.PathUnescape(data)
		if err != nil {
			return nil, fmt.Errorf("the image is damaged: %w", err)
		}
		return []byte(text), nil
	}
	a, err := (&delivery.Fetcher{What: "image", Timeout: loadTime}).Fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

// size is a width and a height.
type size struct{ width, height int }

// terminal describes the terminal: how it draws images, and its sizes.
type terminal struct {
	kitty, sixels bool
	cell          size // pixels of a character
	screen        size // in characters
}

const (
	// kittyImage is the number of the image in the terminal's memory, of which there is one.
	kittyImage = 1
	cellSize   = 16              // the question for the size of a character in pixels (XTWINOPS)
	patience   = 2 * time.Second // for the terminal's answers, which may come over ssh
)

// ask asks the terminal for the protocols that it knows. Each terminal answers the last question, for its attributes (DA1).
func ask(out io.Writer, chunks <-chan string) (terminal, error) {
	question := ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") + ansi.WindowOp(cellSize) + ansi.RequestPrimaryDeviceAttributes
	if _, err := io.WriteString(out, question); err != nil {
		return terminal{}, err
	}
	t := terminal{cell: size{10, 20}}
	late := time.NewTimer(patience)
	defer late.Stop()
	for text := ""; ; {
		select {
		case <-late.C:
			return t, ErrUnsupported
		case chunk, ok := <-chunks:
			if !ok {
				return t, ErrUnsupported
			}
			text += chunk
			if t.answered(text) {
				if !t.kitty && !t.sixels {
					return t, ErrUnsupported
				}
				return t, nil
			}
		}
	}
}

// answered reads the terminal's answers, and reports whether the last one has come.
func (t *terminal) answered(text string) bool {
	p := ansi.NewParser()
	for state := byte(0); len(text) > 0; {
		seq, _, n, next := ansi.DecodeSequence(text, state, p)
		text, state = text[n:], next
		switch {
		case strings.HasPrefix(seq, "\x1b_G") && strings.Contains(seq, "i=31") && strings.Contains(seq, ";OK"):
			t.kitty = true
		case strings.HasPrefix(seq, "\x1b[6;") && strings.HasSuffix(seq, "t"):
			h, _ := p.Param(1, 0)
			w, _ := p.Param(2, 0)
			if w > 0 && h > 0 {
				t.cell = size{w, h}
			}
		case strings.HasPrefix(seq, "\x1b[?") && strings.HasSuffix(seq, "c"):
			for i := range p.Params() {
				if attribute, _ := p.Param(i, 0); attribute == 4 {
					t.sixels = true
				}
			}
			return true
		}
	}
	return false
}

// line returns a line of text that fits the screen.
func (t terminal) line(text string) string {
	return ansi.Truncate(widget.Clean(text), max(t.screen.width-1, 1), "…")
}

// forget returns what removes the images that are shown. Sixels are erased with the characters that they are drawn on.
func (t terminal) forget() string {
	if !t.kitty {
		return ""
	}
	return ansi.KittyGraphics(nil, "a=d", "d=A", "q=2")
}

// draw returns what draws an image at the cursor, scaled down to the screen below the title and above the keys.
func (t terminal) draw(img image.Image) (string, error) {
	img = t.fit(img)
	var b bytes.Buffer
	if t.kitty {
		err := kitty.EncodeGraphics(&b, img, &kitty.Options{Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, ID: kittyImage, Quiet: 2, Chunk: true})
		return b.String(), err
	}
	err := (&sixel.Encoder{}).Encode(&b, img)
	return ansi.SixelGraphics(0, 1, 0, b.Bytes()), err
}

// fit scales an image down to the screen.
func (t terminal) fit(img image.Image) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	scale := min(1, float64(t.screen.width*t.cell.width)/float64(w), float64(max(t.screen.height-4, 1)*t.cell.height)/float64(h))
	if scale == 1 {
		return img
	}
	out := image.NewNRGBA(image.Rect(0, 0, max(int(float64(w)*scale), 1), max(int(float64(h)*scale), 1)))
	draw.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}
