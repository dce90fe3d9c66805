package main

import (
	"os"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// A mistyped URL of a database is no folder, whose name would have the password, and is not printed.
func TestMistypedURL(t *testing.T) {
	for _, data := range []string{
		" postgres://ann:hunter2@db.example.com/bugle", "postgers://ann:hunter2@db.example.com/bugle", "\tpostgresql://ann@db/x?password=hunter2", "postgres:/ann:hunter2@db/bugle",
		"postgres//ann:hunter2@db/bugle", "ann:hunter2@db.example.com:5432/bugle", "host=db user=ann password=hunter2", "host=db Password = 'hunter2'", "jdbc:postgresql://db/bugle?user=ann&password=hunter2",
		"mysql://ann:hunter2@db/bugle", "./postgres://ann:hunter2@db/bugle", "'postgres://ann:hunter2@db/bugle'",
	} {
		for _, args := range [][]string{{"init"}, {"search"}, {"doctor"}, {"serve"}, {"backup", "x.backup"}, {}} {
			for _, flag := range []bool{false, true} {
				t.Chdir(t.TempDir())
				b := newBugle(t)
				if b.env[cli.EnvData] = data; flag {
					b.env[cli.EnvData], args = "", append([]string{"--data", data}, args...)
				}
				out, errs := b.run(cli.ExitMisused, "", args...)
				if strings.Contains(out+errs, "hunter2") || !strings.Contains(errs, "postgres://USER@HOST/DATABASE") {
					t.Errorf("%q: %s printed %s%s", data, args, out, errs)
				}
				if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
					t.Errorf("%q: %s made %v (%v)", data, args, made, err)
				}
			}
		}
	}
	b := newBugle(t)
	for _, data := range []string{"a:b", "name@host", "c = d", "my postgres", "postgres/data", "passwords"} {
		t.Chdir(t.TempDir())
		b.env[cli.EnvData] = data
		b.run(cli.ExitDone, "", "init")
	}
}
