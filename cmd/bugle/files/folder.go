package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/files"
)

// writeFolder writes a campaign as a folder, and removes files that an earlier export wrote there and that the campaign
// does not have anymore. Other files stay.
func writeFolder(out *exportedFile, c engine.Campaign) (changed bool, err error) {
	dir := out.File
	main, parts := files.Split(c)
	name, text := files.MainNames[0], []byte(nil)
	if text, err = yamldoc.Encode(main); err != nil { // not every text can be written as YAML
		name, text = files.MainNames[len(files.MainNames)-1], append(main.Indent(), '\n')
	}
	before, isFormer := cli.MainFile(dir)
	var old []string
	if isFormer {
		if !exportOf(dir, c.ID) {
			return false, fmt.Errorf("%s has another campaign; move it, or export to another folder", dir)
		}
		old = append(partNames(before), filepath.Base(before))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, fmt.Errorf("cannot create %s: %w", dir, cli.Cause(err))
	}
	kept := []string{name}
	for _, p := range parts { // before the main file, which names them
		kept = append(kept, p.Name)
		wrote, err := files.Write(filepath.Join(dir, p.Name), []byte(p.Text))
		if changed = changed || wrote; err != nil {
			return changed, err
		}
	}
	wrote, err := files.Write(filepath.Join(dir, name), text)
	if changed = changed || wrote; err != nil {
		return changed, err
	}
	old = slices.DeleteFunc(old, func(name string) bool { return slices.Contains(kept, name) })
	removed, err := removeIn(dir, old)
	out.Replaces = append(out.Replaces, removed...)
	return changed, err
}

// partNames returns the files that a main file of a folder refers to.
func partNames(main string) (names []string) {
	b, err := os.ReadFile(main)
	if err != nil {
		return nil
	}
	held, err := cli.ParseCampaigns(main, b)
	if err != nil || len(held) != 1 {
		return nil
	}
	_, _, _ = files.Join(held[0].Body, func(name string) (string, error) { // the names up to an error
		names = append(names, filepath.FromSlash(name))
		return "", nil
	})
	return names
}

// removeFolder removes an exported folder: its main file, the files that it refers to, and the folder if nothing else
// is in it.
func removeFolder(dir string) (removed []string, err error) {
	main, ok := cli.MainFile(dir)
	if !ok {
		return nil, nil
	}
	removed, err = removeIn(dir, append(partNames(main), filepath.Base(main)))
	if err == nil {
		_ = os.Remove(dir) // it may have files of other programs
	}
	return removed, err
}

// removeIn removes files in a folder, and returns their names. Links do not lead out of it.
func removeIn(dir string, names []string) (removed []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder %s: %w", dir, cli.Cause(err))
	}
	defer func() { _ = root.Close() }()
	for _, name := range names {
		if err := root.Remove(name); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return removed, fmt.Errorf("cannot remove the old file %s: %w", filepath.Join(dir, name), cli.Cause(err))
		}
		removed = append(removed, filepath.Join(dir, name))
	}
	return removed, nil
}
