-- Receive coil in the header of the series; NULL: not read yet, '': the header has none.
ALTER TABLE series ADD COLUMN coil TEXT;

-- Control charts of one scanner, protocol, coil and version of the engine. Charts from before mix
-- coils: they keep an empty one.
CREATE TABLE drift_groups_of_coils (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner         TEXT NOT NULL,
  protocol        TEXT NOT NULL,
  engine_version  TEXT NOT NULL,
  computed_at     TEXT NOT NULL,
  studies         INTEGER NOT NULL,
  is_moved        INTEGER NOT NULL,
  moved           TEXT NOT NULL,
  charts          TEXT NOT NULL,
  after_analysis  INTEGER NOT NULL DEFAULT 0,
  restarted_at    TEXT,
  restarted_by    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  coil            TEXT NOT NULL DEFAULT '',
  -- JSON: the newest sums of each chart, for the metrics
  sums            TEXT NOT NULL DEFAULT '[]',
  UNIQUE (scanner, protocol, coil, engine_version)
) STRICT;
INSERT INTO drift_groups_of_coils
  (id, scanner, protocol, engine_version, computed_at, studies, is_moved, moved, charts,
   after_analysis, restarted_at, restarted_by)
  SELECT id, scanner, protocol, engine_version, computed_at, studies, is_moved, moved, charts,
    after_analysis, restarted_at, restarted_by
  FROM drift_groups;
DROP TABLE drift_groups;
ALTER TABLE drift_groups_of_coils RENAME TO drift_groups;
