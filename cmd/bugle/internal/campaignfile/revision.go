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

// NoteID writes the id of a campaign that was created from a file into it, unless it has one: that of another workspace. It
// prints a warning if it cannot.
func (h Held) NoteID(s cli.Streams, id string) {
	err := h.rewrite(func(text string, now Held) (string, error) {
		if now.Body.Get("id").Exists() {
			return text, nil
		}
		return now.withID(text, id), nil
	})
	if err != nil {
		warn(s, "the new id could not be written into %s: %w; it is found by its name the next time", h.Source.file.Name, err)
	}
}

// withID returns the text of the file with an id before the first field.
func (h Held) withID(text, id string) string {
	first, _ := h.Body.MemberAt(0)
	at := h.Source.At(doc.P(first)).Offset(text)
	before := strings.TrimRight(text[:at], " \t\r\n")
	end, space := " ", text[len(before):at]
	switch {
	case !strings.HasSuffix(before, "{"): // a block of YAML
		return text[:at] + `id: "` + id + "\"\n" + text[strings.LastIndexByte(text[:at], '\n')+1:]
	case strings.Contains(space, "\n"):
		end = space
	}
	return text[:at] + `"id": "` + id + `",` + end + text[at:]
}

// NoteRevision writes the id and the revision of a changed campaign into the file that it was read from, if the file has a
// revision, so that the next change goes on from there. It prints a warning if it cannot, also if the campaign does not have
// the entity tag of the change anymore, if that is known.
func (h Held) NoteRevision(ctx context.Context, s cli.Streams, svc engine.Service, up engine.Updated) {
	if h.Revision == "" || h.Source.file.Name == cli.Stdin {
		return
	}
	now, err := svc.Get(ctx, up.ID)
	if err == nil && up.ETag != "" && now.Tag() != up.ETag {
		err = errors.New("somebody else has changed the campaign since")
	}
	if err == nil {
		revision := now.StateRevision()
		if IsExport(h.Body) {
			revision = now.ContentRevision()
		}
		err = h.rewrite(func(text string, file Held) (string, error) {
			text, err := file.replace(text, engine.FieldRevision, h.Revision, revision)
			if err == nil { // it comes before the revision
				text, err = file.replace(text, "id", h.Body.Get("id").Text(), up.ID)
			}
			return text, err
		})
	}
	if err != nil {
		warn(s, "the new revision could not be written into %s: %w; get or export the campaign again before you change it next", h.Source.file.Name, err)
	}
}

func warn(s cli.Streams, format, file string, err error) {
	fmt.Fprintln(s.Err, "bugle: warning: "+cli.Line(fmt.Errorf(format, file, cli.Cause(err)).Error()))
}

// replace returns the text of the file with another value of a field on the line of its name.
func (h Held) replace(text, field, from, to string) (string, error) {
	if from == "" || from == to {
		return text, nil
	}
	at := h.Source.At(doc.P(field)).Offset(text)
	i := strings.Index(text[at:], from)
	if i < 0 || strings.ContainsAny(text[at:at+i], ",\n") {
		return text, errors.New("the file was changed")
	}
	return text[:at+i] + to + text[at+i+len(from):], nil
}

// rewrite changes the text of the file, which must still have the campaign.
func (h Held) rewrite(edit func(text string, now Held) (string, error)) (err error) {
	at := h.Source.file
	if at.Name == cli.Stdin {
		return nil
	}
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
	if !files.IsText(string(b)) {
		return errors.New("it is not UTF-8 text")
	}
	now := Parse(at.Name, b)
	switch {
	case now.Err != nil:
		return now.Err
	case engine.CampaignName(now.Body) != engine.CampaignName(h.Body):
		return errors.New("the file was changed")
	}
	text, err := edit(string(b), now)
	if err != nil {
		return err
	}
	_, err = files.Write(at.in, name, []byte(text))
	return err
}
