// Package files implements the commands that move campaigns between a workspace and files: export, apply, update, edit,
// watch, diff, history and lint.
package files

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// export holds the flags of export.
type export struct {
	ids                 []string
	all, archived, yaml bool
	folders             bool
	dir                 string
	versions            map[string][]string // id of the current version → ids of all versions
}

// NewExport returns the command bugle export.
func NewExport(f *cli.Factory) *cobra.Command {
	var e export
	cmd := &cobra.Command{
		Use:   "export [ID...]",
		Short: "Export campaigns to files",
		Long: "Writes one file per campaign, to keep in version control and pass to `bugle apply`. The files have no\n" +
			"state and no times, so the file of an unchanged campaign stays the same. They are named after the\n" +
			"campaign and its id; after a campaign is renamed, its old file is replaced. Without --dir, one campaign\n" +
			"is printed.\n\n" +
			"With --folders, each campaign is a folder: campaign.yaml, and beside it the long texts, such as email.html, which\n" +
			"campaign.yaml names. Other commands take the folder where they take a file.\n\n" +
			"The file DIR/.gitattributes keeps git from changing line ends; one of your own stays.",
		Example: "  bugle export 65f0a1b2c3d4e5f60718293a > campaign.json\n" +
			"  bugle export --all --dir campaigns --yaml\n" +
			"  bugle export --all --dir campaigns --folders",
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.ids = args
			if err := e.check(f); err != nil {
				return err
			}
			return e.run(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVarP(&e.all, "all", "a", false, "export the current version of every push and email campaign that is not archived")
	fl.BoolVar(&e.archived, "archived", false, "with --all, include archived campaigns")
	fl.StringVar(&e.dir, "dir", "", "`folder` for the files; it is created if needed")
	fl.BoolVar(&e.yaml, "yaml", false, "write YAML instead of JSON")
	fl.BoolVar(&e.folders, "folders", false, "write a folder per campaign, with long texts in files of their own")
	return cmd
}

func (e *export) check(f *cli.Factory) error {
	switch {
	case e.all && len(e.ids) > 0:
		return cli.Misused("--all cannot be combined with ids")
	case e.archived && !e.all:
		return cli.Misused("--archived needs --all; with an id, archived campaigns are exported too")
	case !e.all && len(e.ids) == 0:
		return cli.Misused("nothing to export; use the IDs of campaigns, or --all")
	case e.folders && e.dir == "":
		return cli.Misused("--folders needs a folder to write to; set it with --dir")
	case e.dir == "" && (e.all || len(e.ids) > 1):
		return cli.Misused("several campaigns need a folder; set it with --dir")
	case e.dir == "" && e.yaml && f.JSON:
		return cli.Misused("--json and --yaml cannot be combined")
	}
	return nil
}

func (e *export) run(ctx context.Context, f *cli.Factory) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	if e.all {
		if e.ids, err = e.listed(ctx, svc, f.Err); err != nil {
			return err
		}
	}
	find := cli.NewFinder(svc)
	for i, name := range e.ids {
		if e.ids[i], err = find.ID(ctx, name); err != nil {
			return err
		}
	}
	if e.dir == "" {
		c, err := svc.Get(ctx, e.ids[0])
		if err != nil {
			return err
		}
		text, err := e.encode(c)
		if err != nil {
			return err
		}
		return f.WriteJSON(string(text))
	}
	if err := os.MkdirAll(e.dir, 0o755); err != nil {
		return fmt.Errorf("cannot create %s: %w", e.dir, cli.Cause(err))
	}
	if e.folders && !cli.Exists(filepath.Join(e.dir, gitAttributes)) {
		if _, err := files.Write(e.dir, gitAttributes, []byte(keptLineEnds)); err != nil {
			return err
		}
	}
	written := make([]exportedFile, 0, len(e.ids))
	for _, id := range e.ids {
		file, err := e.file(ctx, svc, id)
		if err != nil {
			return err
		}
		written = append(written, file)
	}
	return printExported(&f.Printer, written, e.dir)
}

// The file that tells git to leave the lines of exported folders, whose names end with an id, as they are.
const (
	gitAttributes = ".gitattributes"
	keptLineEnds  = "# The texts of campaigns keep their line ends on each system.\n*-????????????????????????/* -text\n"
)

// listed returns the ids of the current versions of all campaigns that can be created, sorted.
func (e *export) listed(ctx context.Context, svc engine.Service, note io.Writer) (ids []string, err error) {
	rows, err := engine.List(ctx, svc, engine.ListQuery{Archived: e.archived})
	e.versions = map[string][]string{}
	readOnly := 0
	for _, versions := range byCampaign(rows) {
		if !versions[0].Channel.Writable() {
			readOnly++
			continue
		}
		id := versions[0].ID
		ids = append(ids, id)
		for _, s := range versions {
			e.versions[id] = append(e.versions[id], s.ID)
		}
	}
	if readOnly > 0 {
		fmt.Fprintf(note, "Left out %s of channels that can only be read.\n", phrase.Count(readOnly, "campaign"))
	}
	slices.Sort(ids)
	return ids, err
}

// byCampaign returns the versions of each campaign, the current one first.
func byCampaign(rows []engine.Summary) map[string][]engine.Summary {
	out := map[string][]engine.Summary{}
	for _, s := range rows {
		key := cmp.Or(s.CampaignID, s.ID)
		out[key] = append(out[key], s)
	}
	for _, versions := range out {
		slices.SortFunc(versions, func(a, b engine.Summary) int { return cmp.Compare(b.Version, a.Version) })
	}
	return out
}

func (e *export) encode(c engine.Campaign) ([]byte, error) {
	if !e.yaml {
		return files.JSON(c), nil
	}
	text, err := yamldoc.Encode(files.Document(c))
	if err != nil {
		return nil, fmt.Errorf("campaign %s: %w; export it as JSON instead", c.ID, err)
	}
	return text, nil
}

// exportedFile is the result for one campaign.
type exportedFile struct {
	ID       string   `json:"id"`
	File     string   `json:"file"`
	State    string   `json:"state"` // written or unchanged
	Replaces []string `json:"replaces,omitempty"`
}

func (e *export) file(ctx context.Context, svc engine.Service, id string) (exportedFile, error) {
	c, err := svc.Get(ctx, id)
	if err != nil {
		return exportedFile{}, err
	}
	out := exportedFile{ID: c.ID, File: filepath.Join(e.dir, e.name(c)), State: "unchanged"}
	var changed bool
	if e.folders {
		changed, err = e.writeFolder(&out, c)
	} else {
		var text []byte
		if text, err = e.encode(c); err == nil {
			changed, err = files.Write(e.dir, e.name(c), text)
		}
	}
	if err != nil {
		return out, err
	}
	if changed {
		out.State = "written"
	}
	ids := e.versions[c.ID]
	if len(ids) == 0 {
		ids = []string{c.ID}
	}
	for _, id := range ids {
		removed, err := e.removeFormer(e.name(c), id)
		if out.Replaces = append(out.Replaces, removed...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// name returns the name of the file or folder of a campaign.
func (e *export) name(c engine.Campaign) string {
	switch {
	case e.folders:
		return files.Name(c, "")
	case e.yaml:
		return files.Name(c, ".yaml")
	}
	return files.Name(c, ".json")
}

// removeFormer removes files and folders that an earlier export wrote when the campaign had another name or in another
// format, and returns their paths. What is not of an export stays, and so do links.
func (e *export) removeFormer(name, id string) (removed []string, err error) {
	if !schema.ObjectID.Matches(id) {
		return nil, nil
	}
	entries, err := os.ReadDir(e.dir)
	if err != nil {
		return nil, fmt.Errorf("cannot look for old files of campaign %s: %w", id, cli.Cause(err))
	}
	for _, entry := range entries {
		// A copy that somebody named after an export is no export.
		lower := strings.ToLower(entry.Name())
		at := strings.LastIndex(lower, "-"+strings.ToLower(id))
		if at <= 0 || entry.Name() == name {
			continue
		}
		file, former := campaignfile.Found(e.dir, filepath.Join(e.dir, entry.Name())), []string{""}
		switch rest := lower[at+1+len(id):]; {
		case entry.IsDir() && rest == "":
			main, _ := file.Main()
			v, ok := exportOf(main, id)
			if !ok {
				continue
			}
			former = append(files.Made(v), filepath.Base(main.Name))
		case !entry.Type().IsRegular() || !strings.HasPrefix(rest, "."):
			continue
		default:
			if _, ok := exportOf(file, id); !ok {
				continue
			}
		}
		gone, err := removeIn(e.dir, entry.Name(), former)
		if removed = append(removed, gone...); err != nil {
			return removed, err
		}
		if entry.IsDir() {
			_, _ = files.Remove(e.dir, entry.Name()) // it may have files of other programs
		}
	}
	return removed, nil
}

func printExported(p *cli.Printer, all []exportedFile, dir string) error {
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": all})
	}
	written := 0
	for _, file := range all {
		if file.State != "unchanged" {
			written++
			fmt.Fprintln(p.Out, cli.Line("Wrote "+file.File))
		}
		for _, old := range file.Replaces {
			fmt.Fprintln(p.Out, cli.Line("Removed the old file "+old))
		}
	}
	fmt.Fprintln(p.Out, cli.Line(fmt.Sprintf("%s in %s: %d written, %d unchanged", phrase.Count(len(all), "campaign"), dir, written, len(all)-written)))
	return nil
}
