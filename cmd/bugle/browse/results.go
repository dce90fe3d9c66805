package browse

import (
	"fmt"
	"math"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// window is the part of all results that a user has asked for.
type window struct{ limit, page int }

// everything is the window of --all.
var everything = window{math.MaxInt, 1}

// skip returns the number of results before the window.
func (w window) skip() int {
	if w.page-1 > math.MaxInt/w.limit {
		return math.MaxInt
	}
	return (w.page - 1) * w.limit
}

// results are the campaigns in a window.
type results struct {
	window
	rows  [][]string  // of the table
	docs  []doc.Value // for JSON
	total int         // of all results; negative if it is not known
	more  bool        // there are results after the window
}

// print prints the results as a table, or as JSON.
func (r results) print(p *cli.Printer) error {
	if p.JSON {
		ms := []doc.Member{doc.M("campaigns", doc.NewArray(r.docs...))}
		if r.total >= 0 {
			ms = append(ms, doc.M("total", doc.NewInt(int64(r.total))))
		}
		return p.PrintDoc(doc.NewObject(append(ms, doc.M("more", doc.NewBool(r.more)))...))
	}
	switch {
	case len(r.rows) == 0 && r.page > 1:
		fmt.Fprintf(p.Err, "Page %d is empty.\n", r.page)
		return nil
	case len(r.rows) == 0:
		fmt.Fprintln(p.Err, "No campaigns found.")
		return nil
	}
	if err := p.Rows([]string{"ID", "STATUS", "CHANNEL", "TYPE", "NAME"}, r.rows); err != nil {
		return err
	}
	if r.more {
		from := "There are more"
		if r.total >= 0 {
			from = fmt.Sprintf("%s of %s", phrase.Thousands(len(r.rows)), phrase.Count(r.total, "campaign"))
		}
		fmt.Fprintf(p.Err, "%s; see --page %d, or --all.\n", from, r.page+1)
	}
	return nil
}
