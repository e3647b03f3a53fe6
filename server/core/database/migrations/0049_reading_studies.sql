-- Reading studies: cases read by readers with and without results. Apart from clinical data, which no row here changes.
CREATE TABLE reading_studies (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  title            TEXT NOT NULL,
  question         TEXT NOT NULL,
  -- five, hundred or none
  scale            TEXT NOT NULL,
  asks_decision    INTEGER NOT NULL,
  asks_region      INTEGER NOT NULL,
  -- JSON: without, with
  arms             TEXT NOT NULL,
  washout_days     INTEGER NOT NULL,
  -- of the plan
  seed             INTEGER NOT NULL,
  created_at       TEXT NOT NULL,
  -- no reference: a study outlives accounts
  created_by       INTEGER NOT NULL
) STRICT;

CREATE TABLE reading_study_cases (
  reading_study_id INTEGER NOT NULL REFERENCES reading_studies (id) ON DELETE CASCADE,
  -- from 1
  number           INTEGER NOT NULL,
  -- of a study that may have been deleted since
  pid              INTEGER NOT NULL,
  -- 1 positive, 0 negative, NULL unknown
  reference        INTEGER,
  PRIMARY KEY (reading_study_id, number)
) STRICT;

CREATE TABLE reading_study_readers (
  reading_study_id INTEGER NOT NULL REFERENCES reading_studies (id) ON DELETE CASCADE,
  -- from 1
  number           INTEGER NOT NULL,
  user_id          INTEGER NOT NULL,
  PRIMARY KEY (reading_study_id, number)
) STRICT;
CREATE INDEX reading_study_readers_user ON reading_study_readers (user_id);

-- The plan; a row changes once, when its reading is first opened.
CREATE TABLE reading_study_readings (
  reading_study_id INTEGER NOT NULL REFERENCES reading_studies (id) ON DELETE CASCADE,
  reader           INTEGER NOT NULL,
  -- from 0, in the order of the reader
  place            INTEGER NOT NULL,
  session          INTEGER NOT NULL,
  case_number      INTEGER NOT NULL,
  arm              TEXT NOT NULL,
  opened_at        TEXT,
  PRIMARY KEY (reading_study_id, reader, place)
) STRICT;

-- No reference: rows are only ever added, and a study with answers is never removed.
CREATE TABLE reading_study_answers (
  reading_study_id INTEGER NOT NULL,
  reader           INTEGER NOT NULL,
  place            INTEGER NOT NULL,
  rating           INTEGER,
  decision         INTEGER,
  region           TEXT,
  visible_ms       INTEGER NOT NULL,
  elapsed_ms       INTEGER NOT NULL,
  pauses           INTEGER NOT NULL,
  answered_at      TEXT NOT NULL,
  -- of the results that the study had then
  engine_version   TEXT,
  PRIMARY KEY (reading_study_id, reader, place)
) STRICT;
CREATE TRIGGER reading_study_answers_no_update BEFORE UPDATE ON reading_study_answers BEGIN
  SELECT RAISE(ABORT, 'answers of reading studies are append-only');
END;
CREATE TRIGGER reading_study_answers_no_delete BEFORE DELETE ON reading_study_answers BEGIN
  SELECT RAISE(ABORT, 'answers of reading studies are append-only');
END;
