package mjml

import (
	"context"
	"crypto/sha256"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// The comment of a compiled body is no proof: anybody can write one that shows harmless MJML beside other HTML. Only
// compiling the source again tells.

// ErrDiffers reports HTML that is not what mjml makes of its source: somebody wrote it, or another version of mjml.
var ErrDiffers = errors.New("the HTML is not what mjml makes of its MJML")

// Verify returns nil if HTML has no source, or is what mjml makes of it. Otherwise it returns [ErrDiffers], or why it cannot
// be verified, which is one of the errors of [Compile].
func Verify(ctx context.Context, html string) error {
	source, ok := Source(html)
	if !ok {
		return nil
	}
	program, err := exec.LookPath("mjml")
	if err != nil {
		return ErrNotInstalled
	}
	key := sha256.Sum256([]byte(program + "\x00" + html))
	verified.Lock()
	differs, known := verified.differs[key]
	verified.Unlock()
	if !known {
		page, err := Compile(ctx, source)
		if err != nil {
			return err
		}
		differs = withoutIDs(page, source) != withoutIDs(Without(html), source)
		verified.Lock()
		if len(verified.differs) >= maxVerified {
			clear(verified.differs)
		}
		verified.differs[key] = differs
		verified.Unlock()
	}
	if differs {
		return ErrDiffers
	}
	return nil
}

// randomID matches what mjml numbers menus and carousels with, anew in each run.
var randomID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9a-f]{16}`) })

// withoutIDs returns HTML for comparing: without random ids, which are not in the source.
func withoutIDs(html, source string) string {
	return randomID().ReplaceAllStringFunc(trimmed(html), func(id string) string {
		if strings.Contains(source, id) {
			return id
		}
		return "id"
	})
}

// maxVerified is how many results are kept: the checks of a campaign ask again and again.
const maxVerified = 1024

var verified = struct {
	sync.Mutex
	differs map[[sha256.Size]byte]bool
}{differs: map[[sha256.Size]byte]bool{}}

// Doubt is a field of which nobody knows whether its HTML is what its MJML describes.
type Doubt struct {
	Path doc.Path
	Err  error // of [Verify]
}

// String returns the path, and the doubt as a clause.
func (d Doubt) String() string { return d.Path.String() + ": " + Reason(d.Err) }

// Reason returns an error of [Verify] as a clause.
func Reason(err error) string {
	if errors.Is(err, ErrDiffers) {
		return err.Error() + ", which is compiled again when it is saved"
	}
	return "not verified that the HTML is what its MJML describes: " + err.Error()
}

// Doubts returns the doubts about the HTML fields of a document that differ from those of before, which may be absent. Its
// error is that of ctx.
func Doubts(ctx context.Context, table *schema.Schema, before, after doc.Value) (list []Doubt, err error) {
	replaced(table, after, func(p doc.Path, _ *schema.Node, text string) string {
		if text == before.Lookup(p).Text() || ctx.Err() != nil {
			return text
		}
		if err := Verify(ctx, text); err != nil {
			list = append(list, Doubt{p, err})
		}
		return text
	})
	return list, ctx.Err()
}
