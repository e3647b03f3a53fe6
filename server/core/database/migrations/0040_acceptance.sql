-- Acceptance tests of one scanner, protocol and version of the engine. Rows change by signatures and undoing alone.
CREATE TABLE acceptances (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner          TEXT NOT NULL,
  protocol         TEXT NOT NULL,
  engine_version   TEXT NOT NULL,
  -- of the choice of pictures
  seed             INTEGER NOT NULL,
  -- JSON: numbers of the studies
  studies          TEXT NOT NULL,
  -- JSON: figures and criteria
  result           TEXT NOT NULL,
  started_at       TEXT NOT NULL,
  started_by       INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- percentiles, volumes or none
  decision         TEXT,
  remark           TEXT NOT NULL DEFAULT '',
  signed_at        TEXT,
  signed_by        INTEGER REFERENCES users (id) ON DELETE SET NULL,
  countersigned_at TEXT,
  countersigned_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
  revoked_at       TEXT,
  revoked_by       INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;

-- Studies whose pictures a reader checks, and the answers.
CREATE TABLE acceptance_pictures (
  acceptance_id    INTEGER NOT NULL REFERENCES acceptances (id) ON DELETE CASCADE,
  place            INTEGER NOT NULL,
  -- of a study that may have been deleted since
  pid              INTEGER NOT NULL,
  -- right, wrong or unclear
  answer           TEXT,
  answered_at      TEXT,
  answered_by      INTEGER REFERENCES users (id) ON DELETE SET NULL,
  PRIMARY KEY (acceptance_id, place)
) STRICT;
