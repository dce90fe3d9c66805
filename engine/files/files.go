// Package files says what a campaign is as a file: what of it a file holds, what the file is called, and
// how it is written. A campaign that did not change gives the same bytes.
package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// Document returns what a file holds of a campaign: what finds it again, and what makes it. The state, the
// people and times that change by themselves are left out.
func Document(c engine.Campaign) doc.Value {
	return engine.Campaign{
		Head: engine.Head{ID: c.ID, Channel: c.Channel, DeliveryType: c.DeliveryType, CreatedBy: c.CreatedBy}, Body: c.Body,
	}.Record()
}

// JSON returns the text of a campaign's file.
func JSON(c engine.Campaign) []byte { return append(Document(c).Indent(), '\n') }

// Name returns the name of a campaign's file: of its name and id, and ext, such as ".json".
func Name(c engine.Campaign, ext string) string {
	return slug(engine.CampaignName(c.Body), "campaign") + "-" + slug(c.ID, "new") + ext
}

// maxSlug is how long the part of a file's name is that comes from the campaign's name.
const maxSlug = 48

// slug returns the text in letters and digits that every file system takes the same.
func slug(s, empty string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	out := strings.Join(words, "-")
	if len(out) > maxSlug {
		out = strings.TrimRight(out[:maxSlug], "-")
	}
	if out == "" {
		return empty
	}
	return out
}

// Write writes the whole file or nothing, and says whether it changed anything: a file that holds the
// text already is left alone.
func Write(name string, text []byte) (changed bool, err error) {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	if err == nil && bytes.Equal(old, text) {
		return false, nil
	}
	return true, Replace(name, text)
}

// Replace writes the whole file or nothing.
func Replace(name string, text []byte) error {
	failed := func(err error) error { return fmt.Errorf("cannot write %s: %w", name, cause(err)) }
	tmp, err := createTemp(filepath.Dir(name))
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // once renamed, it is not there
	_, err = tmp.Write(text)
	if info, serr := os.Lstat(name); err == nil && serr == nil && info.Mode().IsRegular() {
		err = tmp.Chmod(info.Mode().Perm()) // who may read it is the person's to say
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// createTemp makes a file that was not there, with the mode that new files have here (umask).
func createTemp(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, ".bugle-"+rand.Text())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// cause returns what went wrong, without the name of the file, which the message says already.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
