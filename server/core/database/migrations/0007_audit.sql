-- Who did what, when, from where. Rows are only ever added; each carries a hash over itself and the one before.
CREATE TABLE audit (
  -- 1, 2, 3 …, without a gap
  seq             INTEGER PRIMARY KEY,
  at              TEXT NOT NULL,
  -- no reference: an entry outlives whom and what it names
  user_id         INTEGER,
  address         TEXT,
  event           TEXT NOT NULL,
  pid             INTEGER,
  -- 'ok' or the code of the error
  outcome         TEXT NOT NULL,
  -- JSON, without patient data
  details         TEXT NOT NULL,
  request_id      TEXT,
  -- SHA-256, hexadecimal
  hash            TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_pid ON audit (pid, seq);
CREATE INDEX audit_user ON audit (user_id, seq);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- Where the next row follows; writers queue up on it.
CREATE TABLE audit_head (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  seq             INTEGER NOT NULL,
  hash            TEXT NOT NULL
) STRICT;
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '');

-- Networks that people may sign in from; none: from anywhere.
CREATE TABLE allowed_networks (
  -- '10.1.0.0/16', '2001:db8::/32' or a single address
  network         TEXT PRIMARY KEY,
  note            TEXT,
  created_at      TEXT NOT NULL
) STRICT;

-- A removed account cannot sign in or be used; what it did keeps its number.
ALTER TABLE users ADD COLUMN removed_at TEXT;
