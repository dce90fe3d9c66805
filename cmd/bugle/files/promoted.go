package files

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/files"
)

// promotedFile has, in a folder with campaign files, the ids that their campaigns have in other workspaces, by the id in the
// file. So a campaign that was promoted is found there also after it was renamed.
const promotedFile = ".bugle-promoted.json"

// promotedIn returns the content of the file in a folder. Without it, campaigns are found by their names. One that cannot be
// read stays as it is.
func (p *planner) promotedIn(dir string) map[string][]string {
	if ids, ok := p.promoted[dir]; ok || dir == "" {
		return ids
	}
	ids := map[string][]string{}
	if b, err := files.Read(filepath.Join(dir, promotedFile), cli.MaxInput); err == nil {
		if err := json.Unmarshal(b, &ids); err != nil {
			fmt.Fprintln(p.f.Err, cli.Line(fmt.Sprintf("bugle: warning: %s is damaged: %v; campaigns are found by their names", filepath.Join(dir, promotedFile), err)))
			ids = nil
		}
	}
	p.promoted[dir] = ids
	return ids
}

// notePromoted writes the ids of the campaigns that were created or updated from files of another workspace.
func (p *planner) notePromoted() {
	changed := map[string]map[string][]string{}
	for _, s := range p.steps {
		from, dir := engine.ParseRecord(s.held.Body).ID, s.held.Folder()
		if ids := p.promotedIn(dir); ids != nil && from != "" && !s.ours && s.Result != "" && !slices.Contains(ids[from], s.ID) {
			ids[from] = append(ids[from], s.ID)
			changed[dir] = ids
		}
	}
	for dir, ids := range changed {
		b, err := json.MarshalIndent(ids, "", "  ")
		if err == nil {
			_, err = files.Write(dir, promotedFile, append(b, '\n'))
		}
		if err != nil {
			fmt.Fprintln(p.f.Err, cli.Line(fmt.Sprintf("bugle: warning: cannot write %s: %v; campaigns are found by their names the next time", filepath.Join(dir, promotedFile), cli.Cause(err))))
		}
	}
}
