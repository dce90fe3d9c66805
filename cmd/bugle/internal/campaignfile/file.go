package campaignfile

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/files"
)

// File is a file with a campaign, or a folder with the files of one. The user named it, unless it was found.
type File struct {
	Name string
	in   string // the folder that it was found in, which the user named; see [files.ReadIn]
}

// Found returns a file that was found in a folder that the user named.
func Found(in, name string) File { return File{name, in} }

// beside returns a file that this one refers to, by its name relative to the folder of this one.
func (f File) beside(name string) File {
	dir := filepath.Dir(f.Name)
	return Found(cmp.Or(f.in, dir), filepath.Join(dir, filepath.FromSlash(name)))
}

// Text returns the content of the file, of up to limit bytes. Its error does not have the name.
func (f File) Text(limit int) ([]byte, error) {
	if f.in == "" {
		return files.Read(f.Name, limit)
	}
	name, err := filepath.Rel(f.in, f.Name)
	if err != nil {
		return nil, err
	}
	return files.ReadIn(f.in, name, limit)
}

// Main returns the main file of a folder with a campaign, and false if the file is no such folder.
func (f File) Main() (File, bool) {
	stat := os.Stat
	if f.in != "" && f.Name != f.in {
		stat = os.Lstat // what was found is no link, while the user may have named one
	}
	if info, err := stat(f.Name); f.Name == cli.Stdin || err != nil || !info.IsDir() {
		return f, false
	}
	for _, main := range files.MainNames {
		name := filepath.Join(f.Name, main)
		if info, err := os.Lstat(name); err == nil && !info.IsDir() {
			return Found(cmp.Or(f.in, f.Name), name), true
		}
	}
	return f, false
}

// IsFolder reports whether an argument is a folder that is no campaign itself.
func IsFolder(arg string) bool {
	info, err := os.Stat(arg)
	_, ok := File{Name: arg}.Main()
	return err == nil && info.IsDir() && arg != cli.Stdin && !ok
}

// Files returns the campaign files in folders and their subfolders, in order and without hidden ones. It returns
// an argument that is not a folder unchanged.
func Files(args ...string) (out []File) {
	for _, arg := range args {
		var under []File
		if info, err := os.Stat(arg); arg != cli.Stdin && err == nil && info.IsDir() {
			under = Under(arg, arg)
		}
		if len(under) == 0 {
			under = []File{{Name: arg}} // reading a folder will report that it is one
		}
		out = append(out, under...)
	}
	return out
}

// Under returns the campaign files in a folder that was found in another one, or is the same. What has the name of
// one but is a link or no file, and folders that cannot be read, are among them: reading them will report why.
func Under(in, dir string) (out []File) {
	under, err := filepath.Rel(in, dir)
	if err == nil {
		err = files.Walk(in, under, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() && IsCampaignFile(path) {
				out = append(out, Found(in, path))
			}
			return nil
		})
	}
	if err != nil {
		return []File{Found(in, dir)}
	}
	return out
}

// File name extensions of campaign files.
const jsonEnd = ".json"

var yamlEnds = []string{".yaml", ".yml"}

// IsCampaignFile reports whether a file name has an extension of campaign files.
func IsCampaignFile(name string) bool {
	end := strings.ToLower(filepath.Ext(name))
	return end == jsonEnd || slices.Contains(yamlEnds, end)
}
