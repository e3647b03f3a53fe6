-- Timing and voxel size of the acquisition in one line; empty: the headers do not say; NULL: not read yet.
ALTER TABLE series ADD COLUMN protocol TEXT;

-- NULL: every protocol of the scanner.
ALTER TABLE local_norms ADD COLUMN protocol TEXT;
-- controls, or routine: the healthy part of routine studies. The column controls counts the studies then.
ALTER TABLE local_norms ADD COLUMN source TEXT NOT NULL DEFAULT 'controls';
-- Sites whose routine studies they are made from.
ALTER TABLE local_norms ADD COLUMN sites INTEGER NOT NULL DEFAULT 1;

-- Newest estimate from the routine studies of one scanner and protocol: counts of residuals, and offsets and scales.
CREATE TABLE routine_norms (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner         TEXT NOT NULL,
  protocol        TEXT NOT NULL,
  engine_version  TEXT NOT NULL,
  computed_at     TEXT NOT NULL,
  -- of this site alone
  studies         INTEGER NOT NULL,
  -- measures whose offset has left the interval of the norms in force
  moved           INTEGER NOT NULL,
  -- 1: so many measures have moved that it is an alarm
  is_alarm        INTEGER NOT NULL,
  -- JSON: counts by measure and age band
  counts          TEXT NOT NULL,
  -- JSON: estimates by measure
  estimates       TEXT NOT NULL,
  UNIQUE (scanner, protocol)
) STRICT;

-- Counts of other sites, pooled with those of a scanner and protocol of this site.
CREATE TABLE routine_pools (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  routine_id      INTEGER NOT NULL REFERENCES routine_norms (id) ON DELETE CASCADE,
  -- random name of the other site's file series: a newer file replaces the older one
  site            TEXT NOT NULL,
  studies         INTEGER NOT NULL,
  -- JSON: the file
  content         TEXT NOT NULL,
  imported_at     TEXT NOT NULL,
  imported_by     INTEGER REFERENCES users (id) ON DELETE SET NULL,
  UNIQUE (routine_id, site)
) STRICT;

-- One row: the random name that this site's files carry, and when the estimates were last computed.
CREATE TABLE routine_state (
  id              INTEGER PRIMARY KEY,
  site            TEXT NOT NULL,
  computed_at     TEXT
) STRICT;
