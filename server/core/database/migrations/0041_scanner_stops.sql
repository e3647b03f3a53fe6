-- Scanners and protocols whose percentiles are withheld because their control charts have moved.
CREATE TABLE scanner_stops (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner      TEXT NOT NULL,
  protocol     TEXT NOT NULL,
  -- first study date with withheld percentiles; none: every study
  since        TEXT,
  -- JSON: charts that had moved, with direction and date
  charts       TEXT NOT NULL,
  stopped_at   TEXT NOT NULL,
  -- release or confirm; in force once a second person has decided
  decision     TEXT,
  reason       TEXT NOT NULL DEFAULT '',
  proposed_at  TEXT,
  proposed_by  INTEGER REFERENCES users (id) ON DELETE SET NULL,
  decided_at   TEXT,
  decided_by   INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- last instant at which percentiles were withheld or given again
  changed_at   TEXT NOT NULL
) STRICT;
