-- Results are appended to control charts and not judged again. Charts of earlier versions were
-- computed from the newest 2,000 results of the site each time: they are made from the first result
-- on at the next computation; changes that they had signalled stay.
-- JSON: baseline and sums of each chart
ALTER TABLE drift_groups ADD COLUMN state TEXT NOT NULL DEFAULT '[]';
-- studies in the baseline, up to the number after which changes are found
ALTER TABLE drift_groups ADD COLUMN learnt INTEGER NOT NULL DEFAULT 0;
-- a restart that waits for a second person
ALTER TABLE drift_groups ADD COLUMN restart_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE drift_groups ADD COLUMN restart_proposed_at TEXT;
ALTER TABLE drift_groups ADD COLUMN restart_proposed_by INTEGER REFERENCES users (id) ON DELETE SET NULL;
UPDATE drift_groups SET studies = 0, charts = '[]', sums = '[]';
ALTER TABLE drift_state DROP COLUMN last_analysis;

-- Analyses that have been appended to charts, or left out of them for good (no group).
CREATE TABLE charted_results (
  analysis_id   INTEGER PRIMARY KEY,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  group_id      INTEGER REFERENCES drift_groups (id) ON DELETE CASCADE,
  is_completed  INTEGER NOT NULL CHECK (is_completed IN (0, 1))
) STRICT;
CREATE INDEX charted_results_by_study ON charted_results (pid, group_id);

-- Restarts of control charts, for the sheet of an acceptance test.
CREATE TABLE chart_restarts (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  scanner         TEXT NOT NULL,
  protocol        TEXT NOT NULL,
  coil            TEXT NOT NULL,
  engine_version  TEXT NOT NULL,
  studies         INTEGER NOT NULL,
  -- JSON: charts that had signalled a change
  moved           TEXT NOT NULL,
  reason          TEXT NOT NULL,
  restarted_at    TEXT NOT NULL,
  restarted_by    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- second person; none: charts without a change, of a scanner that was never accepted
  agreed_by       INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;

-- Last instant at which the moved charts of a stop, or its first date, changed.
ALTER TABLE scanner_stops ADD COLUMN charts_changed_at TEXT NOT NULL DEFAULT '';
UPDATE scanner_stops SET charts_changed_at = changed_at;

-- Number of results of which the studies of a test were chosen by hand; none: the first ones.
ALTER TABLE acceptances ADD COLUMN chosen_of INTEGER;
