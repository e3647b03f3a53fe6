-- Several people may be recorded with one patient ID: a comparison for each of them. first_pid is the
-- earliest compared study; a study is one person's.
CREATE TABLE longitudinal_of_persons (
  patient_id      TEXT NOT NULL,
  first_pid       INTEGER NOT NULL,
  -- JSON: pid, analysis and date of each study it was made from
  visits          TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
  engine_version  TEXT,
  -- JSON
  results         TEXT,
  error_code      TEXT,
  finished_at     TEXT NOT NULL,
  PRIMARY KEY (patient_id, first_pid)
) STRICT;
-- a row without a readable study is made again
INSERT INTO longitudinal_of_persons
  SELECT patient_id, json_extract(visits, '$[0].pid'), visits, status, engine_version, results,
    error_code, finished_at
  FROM longitudinal
  WHERE CASE WHEN json_valid(visits) THEN json_type(visits, '$[0].pid') = 'integer' ELSE 0 END;
DROP TABLE longitudinal;
ALTER TABLE longitudinal_of_persons RENAME TO longitudinal;
