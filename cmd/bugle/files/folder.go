package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
)

// writeFolder writes a campaign as a folder in e.dir, and removes files that an earlier export wrote there and that the
// campaign does not have anymore. Other files stay.
func (e *export) writeFolder(out *exportedFile, c engine.Campaign) (changed bool, err error) {
	folder := e.name(c)
	main, parts := files.Split(c)
	name, text := files.MainNames[0], []byte(nil)
	if text, err = yamldoc.Encode(main); err != nil { // not every text can be written as YAML
		name, text = files.MainNames[len(files.MainNames)-1], append(main.Indent(), '\n')
	}
	if err := files.MakeFolder(e.dir, folder); err != nil {
		return false, err
	}
	var old []string
	if before, isFormer := campaignfile.Found(e.dir, out.File).Main(); isFormer {
		v, ok := exportOf(before, c.ID)
		if !ok {
			return false, fmt.Errorf("%s has another campaign; move it, or export to another folder", out.File)
		}
		old = append(files.Made(v), filepath.Base(before.Name))
	}
	kept := []string{name}
	for _, p := range append(parts, files.Part{Name: name, Text: string(text)}) { // the main file last, which names the others
		kept = append(kept, p.Name)
		wrote, err := files.Write(e.dir, filepath.Join(folder, p.Name), []byte(p.Text))
		if changed = changed || wrote; err != nil {
			return changed, err
		}
	}
	old = slices.DeleteFunc(old, func(name string) bool { return slices.Contains(kept, name) })
	removed, err := removeIn(e.dir, folder, old)
	out.Replaces = append(out.Replaces, removed...)
	return changed, err
}

// removeIn removes files of a folder in dir, and returns their paths.
func removeIn(dir, folder string, names []string) (gone []string, err error) {
	for _, name := range names {
		removed, err := files.Remove(dir, filepath.Join(folder, name))
		if err != nil {
			return gone, err
		}
		if removed {
			gone = append(gone, filepath.Join(dir, folder, name))
		}
	}
	return gone, nil
}

// exportOf returns the document of a file, and whether it is an export of a campaign: it has its id.
func exportOf(file campaignfile.File, id string) (doc.Value, bool) {
	if !campaignfile.IsCampaignFile(file.Name) {
		return doc.Value{}, false
	}
	b, err := file.Text(cli.MaxInput)
	if err != nil {
		return doc.Value{}, false
	}
	h := campaignfile.Parse(file.Name, b)
	return h.Body, h.Err == nil && strings.EqualFold(engine.ParseRecord(h.Body).ID, id)
}
