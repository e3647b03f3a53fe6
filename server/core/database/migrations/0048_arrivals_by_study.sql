-- A series number alone does not name a series: copies of a study, and some anonymised ones, have the
-- series numbers of the original. The second study was then never taken out of the inbox.
CREATE TABLE arrivals_by_study (
  study_uid       TEXT NOT NULL,
  series_uid      TEXT NOT NULL,
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
  pid             INTEGER,
  PRIMARY KEY (study_uid, series_uid)
) STRICT;
INSERT INTO arrivals_by_study (study_uid, series_uid, inbox, sender, description, instances, first_at,
    last_ms, state, reason, pid)
  SELECT study_uid, series_uid, inbox, sender, description, instances, first_at, last_ms, state, reason,
    pid FROM arrivals;
DROP TABLE arrivals;
ALTER TABLE arrivals_by_study RENAME TO arrivals;
CREATE INDEX arrivals_state ON arrivals (state, last_ms);
