-- Studies of healthy volunteers, whose values show how far the norms are those of this site's scanners.
CREATE TABLE controls (
  pid             INTEGER PRIMARY KEY REFERENCES patients (pid) ON DELETE CASCADE,
  marked_at       TEXT NOT NULL,
  marked_by       INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;

-- Offsets and scales made from controls. Rows are never changed but for who accepted and who revoked them.
CREATE TABLE local_norms (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  -- manufacturer, model and serial number; none: every scanner of the site
  scanner         TEXT,
  engine_version  TEXT NOT NULL,
  -- how many they are made from
  controls        INTEGER NOT NULL,
  -- JSON: {"volume:19": {"offset": 0.4, "scale": 0.9, "offsetSd": 0.2, "n": 24}}
  norms           TEXT NOT NULL,
  proposed_at     TEXT NOT NULL,
  proposed_by     INTEGER REFERENCES users (id) ON DELETE SET NULL,
  accepted_at     TEXT,
  accepted_by     INTEGER REFERENCES users (id) ON DELETE SET NULL,
  revoked_at      TEXT,
  revoked_by      INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;

-- The local norms that a result is read with, as long as they are in force, and since when.
ALTER TABLE analyses ADD COLUMN local_norm_id INTEGER REFERENCES local_norms (id) ON DELETE SET NULL;
ALTER TABLE analyses ADD COLUMN local_norm_at TEXT;
-- What the headers say; empty: nothing; NULL: not read yet.
ALTER TABLE series ADD COLUMN scanner TEXT;
