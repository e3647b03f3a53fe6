-- What changed between the FLAIR series of a study and of the patient's study before it. It holds while both analyses are
-- the studies'.
CREATE TABLE flair_changes (
  pid                INTEGER PRIMARY KEY REFERENCES patients (pid) ON DELETE CASCADE,
  prior_pid          INTEGER NOT NULL,
  analysis_id        INTEGER NOT NULL,
  prior_analysis_id  INTEGER NOT NULL,
  -- JSON; NULL: they could not be compared
  results            TEXT,
  error_code         TEXT,
  finished_at        TEXT NOT NULL
) STRICT;

-- What readers say of the lesions that changed. `lesion` counts from 0 in the order of the results.
CREATE TABLE lesion_verdicts (
  pid                INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  lesion             INTEGER NOT NULL,
  is_confirmed       INTEGER NOT NULL,
  decided_at         TEXT NOT NULL,
  decided_by         INTEGER REFERENCES users (id) ON DELETE SET NULL,
  PRIMARY KEY (pid, lesion)
) STRICT;
