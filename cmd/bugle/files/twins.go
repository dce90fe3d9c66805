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

// twinsFile has, in a folder with campaign files, the ids that their campaigns have in other workspaces, by the id in the
// file. So a campaign that was promoted is found there also after it was renamed.
const twinsFile = ".bugle-promoted.json"

// twinsIn returns the content of the file in a folder. Without it, campaigns are found by their names.
func (p *planner) twinsIn(dir string) map[string][]string {
	if ids, ok := p.twins[dir]; ok || dir == "" {
		return ids
	}
	ids := map[string][]string{}
	if b, err := files.Read(filepath.Join(dir, twinsFile), cli.MaxInput); err == nil {
		_ = json.Unmarshal(b, &ids)
	}
	p.twins[dir] = ids
	return ids
}

// noteTwins writes the ids of the campaigns that were created or updated from files of another workspace.
func (p *planner) noteTwins() {
	changed := map[string]map[string][]string{}
	for _, s := range p.steps {
		from, dir := engine.ParseRecord(s.held.Body).ID, s.held.Folder()
		if ids := p.twinsIn(dir); ids != nil && from != "" && !s.ours && s.Result != "" && !slices.Contains(ids[from], s.ID) {
			ids[from] = append(ids[from], s.ID)
			changed[dir] = ids
		}
	}
	for dir, ids := range changed {
		b, err := json.MarshalIndent(ids, "", "  ")
		if err == nil {
			_, err = files.Write(dir, twinsFile, append(b, '\n'))
		}
		if err != nil {
			fmt.Fprintln(p.f.Err, cli.Line(fmt.Sprintf("bugle: warning: cannot write %s: %v; campaigns are found by their names the next time", filepath.Join(dir, twinsFile), cli.Cause(err))))
		}
	}
}
