-- The records of workspaces, see bugle/store.
--
-- Documents are stored byte for byte as bytea, because json refuses \u0000 and jsonb changes the spelling of numbers. The
-- view campaign_list is for queries of people and reports.

CREATE TABLE bugle_schema (
  version    int PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspace (
  workspace  text COLLATE "C" PRIMARY KEY CHECK (workspace <> ''),
  record     bytea NOT NULL, -- JSON, with segments and API keys, of which it has the SHA-256
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE campaign (
  workspace text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id        text COLLATE "C" NOT NULL CHECK (id <> ''),
  revision  bigint NOT NULL CHECK (revision > 0), -- the present one
  record    bytea NOT NULL, -- JSON: the row as lists show it
  PRIMARY KEY (workspace, id)
);

CREATE VIEW campaign_list AS
  SELECT workspace, id, revision, r ->> 'name' AS name, r ->> 'st' AS status, r ->> 'ch' AS channel, r ->> 'dt' AS delivery_type,
    r ->> 'team' AS team, r -> 'tags' AS tags, r ->> 'cby' AS created_by, r ->> 'uby' AS updated_by,
    (r ->> 'cat')::timestamptz AS created_at, (r ->> 'uat')::timestamptz AS updated_at,
    (r ->> 'start')::timestamptz AS starts_at, (r ->> 'end')::timestamptz AS ends_at
  FROM (SELECT workspace, id, revision, convert_from(record, 'UTF8')::json AS r FROM campaign) AS c;

CREATE TABLE revision (
  workspace text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  n         bigint NOT NULL CHECK (n > 0),
  record    bytea NOT NULL, -- JSON: time, author, note and size, and the state of the campaign
  PRIMARY KEY (workspace, campaign, n),
  FOREIGN KEY (workspace, campaign) REFERENCES campaign ON DELETE CASCADE
);

-- The campaign at each revision.
CREATE TABLE document (
  workspace text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  n         bigint NOT NULL CHECK (n > 0),
  record    bytea NOT NULL, -- JSON: state, times and people
  body      bytea NOT NULL, -- JSON: the components, as they came
  PRIMARY KEY (workspace, campaign, n),
  FOREIGN KEY (workspace, campaign) REFERENCES campaign ON DELETE CASCADE
);

CREATE TABLE working_copy (
  workspace text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  record    bytea NOT NULL, -- JSON: what the edits are based on
  body      bytea NOT NULL, -- JSON
  PRIMARY KEY (workspace, campaign),
  FOREIGN KEY (workspace, campaign) REFERENCES campaign ON DELETE CASCADE
);

-- The warnings of campaigns that somebody dismissed.
CREATE TABLE dismissal (
  workspace text COLLATE "C" NOT NULL,
  campaign  text COLLATE "C" NOT NULL,
  record    bytea NOT NULL, -- JSON: the warning, who dismissed it, when and why
  PRIMARY KEY (workspace, campaign),
  FOREIGN KEY (workspace, campaign) REFERENCES campaign ON DELETE CASCADE
);

CREATE TABLE app_user (
  workspace text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id        text COLLATE "C" NOT NULL CHECK (id <> ''),
  record    bytea NOT NULL, -- JSON
  PRIMARY KEY (workspace, id)
);

-- Identifiers of users. The index has SHA-256 hashes, because push tokens can be longer than an index row.
CREATE TABLE user_identifier (
  workspace text COLLATE "C" NOT NULL,
  kind      text NOT NULL,
  digest    bytea NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, kind, digest, user_id),
  FOREIGN KEY (workspace, user_id) REFERENCES app_user (workspace, id) ON DELETE CASCADE
);
CREATE INDEX user_identifier_user ON user_identifier (workspace, user_id);

CREATE TABLE content (
  workspace text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  kind      text NOT NULL,
  name      text COLLATE "C" NOT NULL CHECK (name <> ''),
  version   bigint NOT NULL, -- of a template; 0 for other kinds
  record    bytea NOT NULL, -- JSON
  body      bytea NOT NULL DEFAULT '', -- JSON: the content of a template
  PRIMARY KEY (workspace, kind, name, version)
);

CREATE TABLE outbox (
  workspace text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  id        text COLLATE "C" NOT NULL CHECK (id <> ''), -- sorts by time
  record    bytea NOT NULL, -- JSON
  body      bytea NOT NULL, -- JSON: the payload of a push notification
  PRIMARY KEY (workspace, id)
);

CREATE TABLE test_send (
  workspace text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  at        timestamptz NOT NULL,
  n         bigint NOT NULL, -- tells those of the same microsecond apart, in the order in which they are stored
  record    bytea NOT NULL, -- JSON: the result
  body      bytea NOT NULL, -- JSON: the request
  PRIMARY KEY (workspace, at, n)
);

CREATE TABLE idempotency (
  workspace  text COLLATE "C" NOT NULL REFERENCES workspace ON DELETE CASCADE,
  operation  text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL,
  record     bytea NOT NULL, -- JSON: the request's fingerprint, who works on it, and the response
  PRIMARY KEY (workspace, operation, key)
);
CREATE INDEX idempotency_expiry ON idempotency (workspace, expires_at);

-- The feed of changes. Sequence numbers are assigned before commits end, so readers start again at the oldest transaction
-- that was still running. Rows are kept for a day.
CREATE TABLE change (
  xid        xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq        bigint GENERATED ALWAYS AS IDENTITY,
  workspace  text COLLATE "C" NOT NULL,
  kind       text NOT NULL, -- campaign, settings, user, outbox, or empty where nothing that others keep has changed
  id         text NOT NULL,
  origin     uuid NOT NULL, -- the process that made it
  commit_id  uuid UNIQUE,   -- in the first row of a transaction: tells whether it has been committed
  at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (xid, seq)
);

-- Leases of running processes: see store.DB.Lease.
CREATE TABLE lease (
  id         text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

-- When requests of the API were admitted, per API key and operation, in order of time.
CREATE TABLE rate (
  workspace text COLLATE "C" NOT NULL,
  name      text NOT NULL,
  admitted  timestamptz[] NOT NULL,
  PRIMARY KEY (workspace, name)
);

-- Renews a lease, or takes it if it is new. It fails with BG001 if the lease has expired, because another process may have
-- taken over the work that was marked with it.
CREATE FUNCTION bugle_hold(lease_id text, life interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lease AS l (id, expires_at) VALUES (lease_id, clock_timestamp() + life)
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE l.expires_at > clock_timestamp();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'BG001';
  END IF;
END $$;

-- Locks the settings of a workspace. It fails as a conflict if they are no longer those that were seen.
CREATE FUNCTION bugle_unchanged(in_workspace text, seen bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM workspace WHERE workspace = in_workspace AND record = seen FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the settings have changed' USING ERRCODE = 'serialization_failure';
  END IF;
END $$;

-- Counts one request if all windows allow it: at most counts[i] within periods[i]. Otherwise it returns how long to wait,
-- and the number of the full window, from 1. Its commit does not wait for the disk or a standby.
CREATE FUNCTION bugle_take(in_workspace text, in_name text, counts int[], periods interval[], OUT taken timestamptz, OUT wait interval, OUT full_window int)
LANGUAGE plpgsql AS $$
DECLARE
  a timestamptz[];
  n int;
  most int := 0;
  d interval;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO rate (workspace, name, admitted) VALUES (in_workspace, in_name, '{}') ON CONFLICT DO NOTHING;
  SELECT admitted INTO a FROM rate WHERE workspace = in_workspace AND name = in_name FOR UPDATE;
  taken := clock_timestamp();
  n := cardinality(a);
  IF n > 0 AND a[n] > taken THEN
    taken := a[n]; -- the clock was set back
  END IF;
  FOR i IN 1 .. cardinality(counts) LOOP
    most := greatest(most, counts[i]);
    IF n >= counts[i] THEN
      d := CASE WHEN counts[i] = 0 THEN periods[i] ELSE a[n - counts[i] + 1] + periods[i] - taken END;
      IF d > interval '0' AND (wait IS NULL OR d > wait) THEN
        wait := d;
        full_window := i;
      END IF;
    END IF;
  END LOOP;
  IF wait IS NULL THEN
    UPDATE rate SET admitted = a[greatest(1, n - most + 2) : n] || taken WHERE workspace = in_workspace AND name = in_name;
  END IF;
END $$;
