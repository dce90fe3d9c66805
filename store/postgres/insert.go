package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// insertion is how rows are added to a table. Its arguments are arrays, one for each column.
type insertion struct {
	order int // groups insert into tables in this order, so that they do not wait for each other in a circle
	sql   string
	key   int // columns that the rows of a group are sorted by, for the same reason
}

var (
	addRequestID = insertion{0, `INSERT INTO request_id (workspace, operation, id, expires_at)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])`, 3}
	addCampaign = insertion{1, `INSERT INTO campaign (workspace, id, revision, etag, name, status, channel, delivery_type, team, tags, created_by, updated_by, created_at, updated_at, starts_at, ends_at, summary, checksum)
		SELECT w, i, r, e, n, s, c, d, t, g::text[], cb, ub, ca, ua, sa, ea, m, x FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
		$11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::bytea[], $18::bigint[]) AS a (w, i, r, e, n, s, c, d, t, g, cb, ub, ca, ua, sa, ea, m, x)`, 2}
	addRevision = insertion{2, `INSERT INTO revision (workspace, campaign, n, at, author, status, meta, meta_sum, head, body, checksum)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::bytea[], $8::bigint[], $9::bytea[], $10::bytea[], $11::bigint[])`, 2}
	addIdempotent = insertion{3, `INSERT INTO idempotency (workspace, operation, key, fingerprint, running, lease, at, expires_at, answer, checksum)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::bytea[], $10::bigint[])`, 3}
	addChange = insertion{4, `INSERT INTO change (workspace, kind, id, origin, commit_id)
		SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[])`, 0}
)

// row is a row that a transaction adds.
type row struct {
	*insertion
	values []any
}

// arrays turns rows of one table into its arrays.
func arrays(rows []row) []any {
	out := make([]any, len(rows[0].values))
	for c, first := range rows[0].values {
		switch first.(type) {
		case string:
			out[c] = column[string](rows, c)
		case bool:
			out[c] = column[bool](rows, c)
		case int64:
			out[c] = column[int64](rows, c)
		case []byte:
			out[c] = column[[]byte](rows, c)
		case time.Time:
			out[c] = column[time.Time](rows, c)
		case *time.Time:
			out[c] = column[*time.Time](rows, c)
		case pgtype.UUID:
			out[c] = column[pgtype.UUID](rows, c)
		default:
			panic("a column of an unknown type")
		}
	}
	return out
}

func column[T any](rows []row, c int) pgtype.FlatArray[T] {
	out := make(pgtype.FlatArray[T], len(rows))
	for i, r := range rows {
		out[i] = r.values[c].(T)
	}
	return out
}

// size is about how long a row is, in bytes.
func (r row) size() (n int) {
	for _, v := range r.values {
		switch v := v.(type) {
		case []byte:
			n += len(v)
		case string:
			n += len(v)
		}
	}
	return n
}

// add queues the insertion of a row.
func (t *tx) add(in *insertion, values ...any) error {
	r := row{in, values}
	if !t.open {
		t.rows = append(t.rows, r)
	}
	return t.exec(in.sql, arrays([]row{r})...)
}
