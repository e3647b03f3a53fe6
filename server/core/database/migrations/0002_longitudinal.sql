-- The studies of one patient measured together. It holds while `visits` are still what the patient has.
CREATE TABLE longitudinal (
  patient_id      TEXT PRIMARY KEY,
  -- JSON: pid, analysis and date of each study it was made from
  visits          TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
  engine_version  TEXT,
  -- JSON
  results         TEXT,
  error_code      TEXT,
  finished_at     TEXT NOT NULL
) STRICT;
