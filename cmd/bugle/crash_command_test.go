//go:build linux || darwin || freebsd

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/backup"
)

// crashCommands runs one short command after another, as a script would.
type crashCommands struct {
	s     *crashSite
	rnd   *rand.Rand
	n     int
	names []string // of its campaigns
	ids   []string
	body  map[string]doc.Value
}

// run runs commands until ctx ends.
func (c *crashCommands) run(ctx context.Context) {
	c.body = map[string]doc.Value{}
	for ctx.Err() == nil && c.s.open(ctx) {
		c.n++
		switch n := c.rnd.IntN(10); {
		case n < 4 || len(c.ids) == 0:
			c.create(ctx)
		case n < 6:
			c.update(ctx)
		case n < 7:
			c.test(ctx)
		case n < 8:
			c.get(ctx)
		case n < 9:
			if args := []string{"backup", "--json"}; c.rnd.IntN(2) == 0 {
				c.job(ctx, args...)
			} else {
				c.job(ctx, append(args, filepath.Join(c.s.aside, fmt.Sprintf("%d.buglebackup", c.n)))...)
			}
		default:
			c.job(ctx, "doctor", "--json")
		}
	}
}

// write runs a command that writes, and notes what became of it.
func (c *crashCommands) write(ctx context.Context, l crashLine, in string, args ...string) (string, bool) {
	l.What = "try"
	c.s.output(l)
	r := c.s.command(ctx, in, args...)
	if l.What, l.Err = "done", r.why(); r.code != cli.ExitDone {
		l.What = "lost"
	}
	if r.code == cli.ExitRefused || r.code == cli.ExitInvalid || r.code == cli.ExitMisused {
		l.What = "no"
	}
	var said struct{ ID string }
	if l.Op == "create" && l.What == "done" {
		if err := json.Unmarshal([]byte(r.out), &said); err != nil {
			c.s.model.report("bugle %s wrote %q", strings.Join(args, " "), r.out)
		}
		l.ID = said.ID
	}
	if l.Op == "test" && l.What == "done" {
		v, err := doc.Parse([]byte(r.out))
		if err != nil {
			c.s.model.report("bugle %s wrote %q", strings.Join(args, " "), r.out)
		}
		l.Sent = crashSent(engine.ParseTestResult(v))
	}
	c.s.output(l)
	return said.ID, l.What == "done"
}

func (c *crashCommands) create(ctx context.Context) {
	name := fmt.Sprintf("command-%d", c.n)
	body := doc.NewObject(crashBasics(name, "begun"), crashConnector(), crashContent(name, c.rnd))
	id, ok := c.write(ctx, crashLine{Op: "create", Name: name, Sum: sumOf(body), State: catalog.Draft},
		string(engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body).Encode()), "create", "-", "--json")
	if ok {
		c.names, c.ids, c.body[name] = append(c.names, name), append(c.ids, id), body
	}
}

// any returns one of its campaigns.
func (c *crashCommands) any() (name, id string, i int) {
	i = c.rnd.IntN(len(c.ids))
	return c.names[i], c.ids[i], i
}

func (c *crashCommands) update(ctx context.Context) {
	name, id, i := c.any()
	m := crashContent(name, c.rnd)
	body := crashWith(c.body[name], m)
	_, ok := c.write(ctx, crashLine{Op: "update", Name: name, ID: id, Sum: sumOf(body)}, string(doc.NewObject(m).Encode()), "update", id, "-", "--json")
	if c.body[name] = body; !ok { // what it holds is not known any more: it is left alone
		c.names, c.ids = append(c.names[:i:i], c.names[i+1:]...), append(c.ids[:i:i], c.ids[i+1:]...)
	}
}

func (c *crashCommands) test(ctx context.Context) {
	name, id, _ := c.any()
	l := crashLine{Op: "test", Name: name, ID: id}
	args := []string{"test", id, "--json"}
	for i := range 1 + c.rnd.IntN(4) {
		l.To = append(l.To, fmt.Sprintf("command-%d-%d@example.com", c.n, i))
		args = append(args, "--to", l.To[i])
	}
	c.write(ctx, l, "", args...)
}

func (c *crashCommands) get(ctx context.Context) {
	name, id, _ := c.any()
	r := c.s.command(ctx, "", "get", id, "--json")
	if r.code != cli.ExitDone {
		c.failed("get", r)
		return
	}
	v, err := doc.Parse([]byte(r.out))
	rec := engine.ParseRecord(v)
	if err != nil || rec.ID != id || engine.CampaignName(rec.Body) != name {
		c.s.model.report("bugle get %s wrote %q (%v)", id, r.out, err)
	}
}

// job runs a command that reads the whole store.
func (c *crashCommands) job(ctx context.Context, args ...string) {
	r := c.s.command(ctx, "", args...)
	switch {
	case r.code != cli.ExitDone:
		c.failed(args[0], r)
	case args[0] == "backup":
		var info backup.Info
		if err := json.Unmarshal([]byte(r.out), &info); err != nil {
			c.s.model.report("bugle backup wrote %s (%v)", r.out, err)
		}
		c.s.backedUp(info.File)
	default:
		var found struct {
			Sound    bool
			Findings []store.Finding
		}
		if err := json.Unmarshal([]byte(r.out), &found); err != nil || !found.Sound || len(found.Findings) > 0 {
			c.s.model.report("bugle doctor, while others wrote, wrote %s (%v)", r.out, err)
		}
	}
}

// failed records a command that did nothing and printed a reason, or was killed.
func (c *crashCommands) failed(name string, r commandRun) {
	if r.code == cli.ExitFailed && r.out != "" {
		c.s.model.report("bugle %s wrote %s", name, r.out)
	}
	c.s.model.heard(crashLine{What: "lost", Op: name, Err: r.why()})
}

var pathLike = regexp.MustCompile(`/\S+`)

// why returns why a command did nothing, in a form that does not depend on the file.
func (r commandRun) why() string {
	var said struct{ Error cli.Failure }
	if json.Unmarshal([]byte(r.errs), &said) == nil && said.Error.Message != "" {
		return pathLike.ReplaceAllString(said.Error.Message, "FILE")
	}
	return strings.Join(strings.Fields(r.errs), " ")
}
