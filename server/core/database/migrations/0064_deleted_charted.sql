-- Deleted studies with results in control charts: the same study, sent again, is not appended again.
CREATE TABLE deleted_charted (
  group_id      INTEGER NOT NULL REFERENCES drift_groups (id) ON DELETE CASCADE,
  -- keyed hash of the study UID: it does not reveal the study
  study_key     TEXT NOT NULL,
  is_completed  INTEGER NOT NULL CHECK (is_completed IN (0, 1)),
  PRIMARY KEY (group_id, study_key)
) STRICT;
-- secret key of these hashes, hexadecimal: one row
CREATE TABLE charts_key (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  secret  TEXT NOT NULL
) STRICT;
