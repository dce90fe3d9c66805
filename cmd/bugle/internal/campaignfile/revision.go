package campaignfile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
)

// NoteRevision writes the id and the revision of a changed campaign into the file that it was read from, if the file has a
// revision, so that the next change goes on from there. It prints a warning if it cannot, also if the campaign does not have
// the entity tag of the change anymore, if that is known.
func (h Held) NoteRevision(ctx context.Context, s cli.Streams, svc engine.Service, up engine.Updated) {
	if h.Revision == "" || h.Source.file.Name == cli.Stdin {
		return
	}
	if err := h.noteRevision(ctx, svc, up); err != nil {
		fmt.Fprintln(s.Err, "bugle: "+cli.Line(fmt.Sprintf("warning: the new revision could not be written into %s: %v; get or export the campaign again before you change it next", h.Source.file.Name, cli.Cause(err))))
	}
}

func (h Held) noteRevision(ctx context.Context, svc engine.Service, up engine.Updated) error {
	now, err := svc.Get(ctx, up.ID)
	if err != nil {
		return err
	}
	if up.ETag != "" && now.Tag() != up.ETag {
		return errors.New("somebody else has changed the campaign since")
	}
	revision := now.StateRevision()
	if IsExport(h.Body) {
		revision = now.ContentRevision()
	}
	at := h.Source.file
	if at.in == "" { // the user may have named a link
		if at.Name, err = filepath.EvalSymlinks(at.Name); err != nil {
			return err
		}
		at.in = filepath.Dir(at.Name)
	}
	name, err := filepath.Rel(at.in, at.Name)
	if err != nil {
		return err
	}
	b, err := files.Read(at.Name, cli.MaxInput)
	if err != nil {
		return err
	}
	text := string(b)
	if !files.IsText(text) {
		return errors.New("it is not UTF-8 text")
	}
	for _, f := range [][3]string{{"id", h.Body.Get("id").Text(), up.ID}, {engine.FieldRevision, h.Revision, revision}} {
		if f[1] == "" || f[1] == f[2] {
			continue
		}
		from := h.Source.At(doc.P(f[0])).offset(text)
		i := strings.Index(text[from:], f[1])
		if i < 0 || strings.ContainsAny(text[from:from+i], ",\n") {
			return errors.New("the file was changed")
		}
		text = text[:from+i] + f[2] + text[from+i+len(f[1]):]
	}
	_, err = files.Write(at.in, name, []byte(text))
	return err
}
