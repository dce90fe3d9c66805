-- Writing and the background work of the database take less time:
--
-- - Documents are compressed with LZ4 instead of the slower default. PostgreSQL 13 does not have it, and others can be built
--   without it.
-- - No statement compares documents and checksums, so there are no statistics of them. Those of the keys need few rows.
--   Statistics of campaigns stay as they are, for reports.
-- - No statement uses the index of the times of campaigns.

DO $$
DECLARE
  lz4 boolean := EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals));
  col record;
BEGIN
  FOR col IN
    SELECT c.oid::regclass AS tab, a.attname AS name, a.atttypid = 'bytea'::regtype AND a.attname <> 'digest' AS document,
        c.relname = 'campaign' AS reported, a.attname IN ('checksum', 'meta_sum', 'etag', 'fingerprint') AS checksum
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE a.attnum > 0 AND NOT a.attisdropped AND c.oid = ANY (ARRAY['workspace', 'segment', 'api_key', 'campaign', 'revision',
        'working_copy', 'app_user', 'content', 'outbox', 'test_send', 'idempotency', 'dismissal', 'user_identifier', 'request_id', 'change']::regclass[])
  LOOP
    IF col.document OR col.checksum THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', col.tab, col.name);
    ELSIF NOT col.reported THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 10', col.tab, col.name);
    END IF;
    IF col.document AND lz4 THEN
      EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET COMPRESSION lz4', col.tab, col.name);
    END IF;
  END LOOP;
END $$;

DROP INDEX campaign_updated;
