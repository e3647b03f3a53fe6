-- Who did what, when, from where. Rows are only ever added; each carries a hash over itself and the one before.
CREATE TABLE audit (
  -- 1, 2, 3 …, without a gap
  seq             BIGINT PRIMARY KEY,
  at              TEXT COLLATE "C" NOT NULL,
  -- no reference: an entry outlives whom and what it names
  user_id         BIGINT,
  address         TEXT COLLATE "C",
  event           TEXT COLLATE "C" NOT NULL,
  pid             BIGINT,
  -- 'ok' or the code of the error
  outcome         TEXT COLLATE "C" NOT NULL,
  -- JSON, without patient data
  details         TEXT COLLATE "C" NOT NULL,
  request_id      TEXT COLLATE "C",
  -- SHA-256, hexadecimal
  hash            TEXT COLLATE "C" NOT NULL
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_pid ON audit (pid, seq);
CREATE INDEX audit_user ON audit (user_id, seq);
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();

-- Where the next row follows; writers queue up on it.
CREATE TABLE audit_head (
  id              BIGINT PRIMARY KEY CHECK (id = 1),
  seq             BIGINT NOT NULL,
  hash            TEXT COLLATE "C" NOT NULL
);
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '');

-- Networks that people may sign in from; none: from anywhere.
CREATE TABLE allowed_networks (
  -- '10.1.0.0/16', '2001:db8::/32' or a single address
  network         TEXT COLLATE "C" PRIMARY KEY,
  note            TEXT COLLATE "C",
  created_at      TEXT COLLATE "C" NOT NULL
);

-- A removed account cannot sign in or be used; what it did keeps its number.
ALTER TABLE users ADD COLUMN removed_at TEXT COLLATE "C";
