// Package files defines the file format of a campaign: its content, its file name, and how it is written. An
// unchanged campaign always results in the same bytes.
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

// Document returns the part of a campaign that a file contains: its identity, its content, and the revision of the
// content. It leaves out the state, people and times, which change by themselves.
func Document(c engine.Campaign) doc.Value {
	return engine.WithRevision(engine.Campaign{
		Head: engine.Head{ID: c.ID, Channel: c.Channel, DeliveryType: c.DeliveryType, CreatedBy: c.CreatedBy}, Body: c.Body,
	}.Record(), c.ContentRevision())
}

// JSON returns the content of a campaign's file.
func JSON(c engine.Campaign) []byte { return append(Document(c).Indent(), '\n') }

// Name returns the name of a campaign's file from the campaign's name, its id, and ext, such as ".json".
func Name(c engine.Campaign, ext string) string {
	return slug(engine.CampaignName(c.Body), "campaign") + "-" + slug(c.ID, "new") + ext
}

// maxSlug is the longest part of a file name that comes from the campaign's name.
const maxSlug = 48

// slug returns s reduced to letters and digits that are safe on every file system.
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

// Write replaces a file atomically, and reports whether its content changed. A file with the same content is
// not touched.
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

// Replace replaces a file atomically.
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

// createTemp creates a new file with the default permissions (umask).
func createTemp(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, ".bugle-"+rand.Text())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// cause returns the error without the file name, which the message already has.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
