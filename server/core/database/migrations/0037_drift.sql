-- Control charts of one scanner, protocol and version of the engine.
CREATE TABLE drift_groups (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner         TEXT NOT NULL,
  protocol        TEXT NOT NULL,
  engine_version  TEXT NOT NULL,
  computed_at     TEXT NOT NULL,
  studies         INTEGER NOT NULL,
  -- 1: some chart has moved since the charts were last started
  is_moved        INTEGER NOT NULL,
  -- JSON: charts that have moved, with direction and date
  moved           TEXT NOT NULL,
  -- JSON: every chart, study by study
  charts          TEXT NOT NULL,
  -- only results after this analysis count: the newest one when the charts were started again
  after_analysis  INTEGER NOT NULL DEFAULT 0,
  restarted_at    TEXT,
  restarted_by    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  UNIQUE (scanner, protocol, engine_version)
) STRICT;

-- One row: the newest result that the charts know, and when they were last computed.
CREATE TABLE drift_state (
  id              INTEGER PRIMARY KEY,
  last_analysis   INTEGER NOT NULL,
  computed_at     TEXT
) STRICT;
