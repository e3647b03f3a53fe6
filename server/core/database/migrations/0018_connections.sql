-- Other systems: who may send to us, whom results go to, whom we search.
CREATE TABLE peers (
  id              INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE,
  kind            TEXT NOT NULL CHECK (kind IN ('dicom', 'dicomweb', 'hl7', 'fhir')),
  -- JSON, see model/schema/connections/connections.ts
  config          TEXT NOT NULL,
  -- password or token; never answered
  secret          TEXT,
  -- what it failed with last, and until when nothing is sent
  failures        INTEGER NOT NULL DEFAULT 0,
  not_before_ms   INTEGER NOT NULL DEFAULT 0,
  last_error      TEXT,
  last_ok_at      TEXT,
  created_at      TEXT NOT NULL
) STRICT;

-- Series that came over the network, whether or not they were stored.
CREATE TABLE arrivals (
  series_uid      TEXT PRIMARY KEY,
  study_uid       TEXT NOT NULL,
  -- the machine whose inbox holds the files
  inbox           TEXT NOT NULL,
  sender          TEXT NOT NULL,
  description     TEXT NOT NULL,
  instances       INTEGER NOT NULL,
  first_at        TEXT NOT NULL,
  last_ms         INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('arriving', 'waiting', 'stored', 'refused')),
  -- code of the error that it waits for or was refused with, and its reason
  reason          TEXT,
  pid             INTEGER
) STRICT;
CREATE INDEX arrivals_study ON arrivals (study_uid);
CREATE INDEX arrivals_state ON arrivals (state, last_ms);

-- What peers did and what we did at peers, newest last; old entries go.
CREATE TABLE connection_log (
  id              INTEGER PRIMARY KEY,
  at              TEXT NOT NULL,
  peer            TEXT NOT NULL,
  address         TEXT NOT NULL,
  event           TEXT NOT NULL,
  is_error        INTEGER NOT NULL,
  details         TEXT NOT NULL
) STRICT;

-- Results on their way to other systems. Written in the transaction that completes the analysis.
CREATE TABLE outbox (
  id              INTEGER PRIMARY KEY,
  peer_id         INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  pid             INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- the analyses that it holds the results of, as 'id,id'
  run             TEXT NOT NULL,
  kind            TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed', 'nothing')),
  attempts        INTEGER NOT NULL DEFAULT 0,
  -- who sends it, and until when it is left to them
  owner           TEXT,
  lease_ms        INTEGER,
  last_error      TEXT,
  -- JSON: class and UID of what was sent
  instances       TEXT NOT NULL DEFAULT '[]',
  -- of storage commitment
  transaction_uid TEXT,
  committed_at    TEXT,
  created_at      TEXT NOT NULL,
  sent_at         TEXT,
  UNIQUE (peer_id, pid, run, kind)
) STRICT;
CREATE INDEX outbox_state ON outbox (state, peer_id, id);
CREATE INDEX outbox_pid ON outbox (pid);
CREATE INDEX outbox_transaction ON outbox (transaction_uid);

-- Requests of peers to commit to what they have sent; answered when it is stored or will not be.
CREATE TABLE commitments (
  transaction_uid TEXT PRIMARY KEY,
  peer            TEXT NOT NULL,
  instances       TEXT NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  not_before_ms   INTEGER NOT NULL DEFAULT 0,
  created_ms      INTEGER NOT NULL
) STRICT;
