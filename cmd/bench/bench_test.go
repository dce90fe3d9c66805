//go:build unix

// Package bench_test measures the program bugle on a store with many campaigns, from outside, as a user and a client see it:
// start and keys in a pseudo-terminal with a virtual screen, and requests over loopback, to a store in a folder and to the
// same store in PostgreSQL. What concerns one package alone is measured by the benchmarks beside it.
//
//	go test ./cmd/bench -bench . -benchtime 5s -timeout 1h -campaigns 100000
//
// The targets for 100,000 campaigns on two cores: Start 60 ms, and 480 ms until a campaign far down is found; Idle 100 MB;
// Keys p50 5 ms and p99 10 ms, of a search 8 ms; Requests to a folder 8,000 and 20,000 gets a second for one and 32 clients,
// 3,000 and 6,000 searches, 2,000 and 8,000 creates, with 300 MB of memory and 400 MB at its peak; to a database, a third of
// the gets and half of the creates; p99 100 ms until a change is found at the other server.
package bench_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index/indextest"
	"bugle/engine/service/local/sample"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

var (
	program   = flag.String("program", "", "`path` of the program to measure (default: built from this source)")
	campaigns = flag.Int("campaigns", 20_000, "`number` of campaigns in the store")
	data      = flag.String("data", "", "`URL` of an empty PostgreSQL database (default: a server of its own)")
	clients   = flag.Int("clients", 32, "`number` of clients at once; one alone is measured, too")
)

func TestMain(m *testing.M) {
	code := pgtest.Run(m)
	_ = os.RemoveAll(tmp)
	os.Exit(code)
}

// The two campaigns that are searched for by their unique names, which every column shows in full: the one changed
// last, and one that is older than nine tenths of the others.
const (
	firstName = "Kilimanjaro"
	farName   = "Zanzibar"
)

// filled is a filled store in a folder, which the benchmarks use up, and the program.
type filled struct {
	program, dir, key string
	ids               []string // of some of its campaigns
}

var (
	tmp  string // has all files
	once = sync.OnceValues(prepare)
)

func setup(b *testing.B) filled {
	b.Helper()
	f, err := once()
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func prepare() (f filled, err error) {
	if tmp, err = os.MkdirTemp("", "b"); err != nil { // short: sockets are made in it
		return f, err
	}
	f.dir = filepath.Join(tmp, "store")
	if f.program, err = filepath.Abs(*program); *program == "" {
		f.program = filepath.Join(tmp, "program") // bugle is a folder of the user
		if said, err := exec.Command("go", "build", "-o", f.program, "bugle/cmd/bugle").CombinedOutput(); err != nil {
			return f, fmt.Errorf("bugle cannot be built, name one with -program: %w\n%s", err, said)
		}
	}
	if err != nil {
		return f, err
	}
	db, err := badger.Open(context.Background(), badger.Options{Dir: f.dir})
	if err != nil {
		return f, err
	}
	if err := f.fill(db); err != nil {
		return f, err
	}
	return f, db.Close()
}

// fill fills a new store with campaigns as they accumulate over years, each with the components of one of the sample.
func (f *filled) fill(db store.DB) (err error) {
	const batch, largest = 200, 4700 // campaigns in a transaction; bytes of the components of one
	ctx, now := context.Background(), time.Now().UTC().Truncate(time.Second)
	if f.key, err = sample.Install(ctx, db, sample.Options{Now: now}); err != nil {
		return err
	}
	templates := map[engine.Channel][]engine.Campaign{}
	err = db.Read(ctx, func(tx store.Tx) error {
		workspace := tx.Workspace(sample.ID)
		return workspace.Summaries(func(s engine.Summary) error {
			c, err := workspace.Campaign(s.ID)
			if err == nil && len(c.Body.Encode()) <= largest {
				templates[c.Channel] = append(templates[c.Channel], c)
			}
			return err
		})
	})
	rng := rand.New(rand.NewPCG(1, 1))
	for rows := range slices.Chunk(indextest.Rows(*campaigns, 1), batch) {
		if err != nil {
			return err
		}
		err = db.Write(ctx, func(tx store.Tx) error {
			for _, row := range rows {
				of := templates[row.Channel]
				c := campaign(row, of[rng.IntN(len(of))], now)
				switch len(f.ids) {
				case 0:
					c.Status, c.UpdatedAt, c.Body = catalog.Draft, now, engine.WithName(c.Body, firstName)
				case *campaigns * 9 / 10:
					c.Status, c.Body = catalog.Stopped, engine.WithName(c.Body, farName)
				}
				f.ids = append(f.ids, c.ID)
				if err := tx.Workspace(sample.ID).AddCampaign(c, engine.Summarize(c), engine.Revision{At: c.UpdatedAt, By: c.UpdatedBy, Note: "created"}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}

// campaign returns the campaign of a row, with the components of a template. The times of the rows end now.
func campaign(row engine.Summary, template engine.Campaign, now time.Time) engine.Campaign {
	c := engine.Campaign{Head: row.Head, Body: engine.WithName(template.Body, row.Name)}
	c.DeliveryType, c.Revision = template.DeliveryType, 0
	for _, at := range []*time.Time{&c.CreatedAt, &c.UpdatedAt, &c.SentTime} {
		if !at.IsZero() {
			*at = at.Add(now.Sub(indextest.Now))
		}
	}
	c.ID = fmt.Sprintf("%08x%s", c.CreatedAt.Unix(), row.ID[8:])
	c.CampaignID = c.ID
	return c
}

// copyTo copies the store to a database, and returns its URL.
func (f filled) copyTo(b *testing.B) string {
	url := *data
	if url == "" {
		pgtest.Require(b)
		url = pgtest.URL(b)
	}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	from, err := badger.Open(b.Context(), badger.Options{Dir: f.dir})
	must(err)
	to, err := postgres.Open(b.Context(), postgres.Options{URL: url, Create: true})
	must(err)
	_, err = backup.Copy(b.Context(), from, to, nil)
	must(err)
	must(from.Close())
	must(to.Close())
	conn, err := pgx.Connect(b.Context(), url)
	must(err)
	_, err = conn.Exec(b.Context(), "VACUUM ANALYZE") // the database does this by itself some minutes after it was filled
	must(err)
	must(conn.Close(b.Context()))
	return url
}

// environment returns the environment of a user whose store is data, with all folders within that of the benchmarks.
func environment(data string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "BUGLE_") || slices.Contains([]string{"COLORFGBG", "NO_COLOR", "CI", "TMUX", "ACCESSIBLE"}, name)
	})
	env = append(env, "BUGLE_DATA="+data, "BUGLE_BACKUPS=off", "TERM=xterm-256color", "COLORTERM=truecolor", "TMPDIR="+tmp)
	for _, folder := range []string{"CONFIG_HOME", "STATE_HOME", "DATA_HOME", "CACHE_HOME", "RUNTIME_DIR"} {
		env = append(env, "XDG_"+folder+"="+tmp)
	}
	return env
}

// distribution reports the distribution of durations in place of their mean.
func distribution(b *testing.B, of string, took []time.Duration) {
	b.ReportMetric(0, "ns/op")
	if len(took) == 0 {
		b.Fatal("nothing was measured")
	}
	slices.Sort(took)
	for name, p := range map[string]float64{"p50": 0.5, "p99": 0.99} {
		at := took[int(math.Ceil(p*float64(len(took)-1)))]
		b.ReportMetric(float64(at)/float64(time.Millisecond), name+of+"-ms")
	}
}

// memory reports a memory figure of a process, such as VmRSS (proc_pid_status(5)), where the system has it in /proc.
func memory(b *testing.B, pid int, figure string) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == figure+":" {
			kib, _ := strconv.ParseFloat(words[1], 64)
			b.ReportMetric(kib*1024/1e6, figure+"-MB")
		}
	}
}
