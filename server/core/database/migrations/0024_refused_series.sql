-- Series that were sent with a study and not taken, and why. One that goes in later is no longer refused.
CREATE TABLE refused_series (
  pid          INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  series_uid   TEXT NOT NULL,
  description  TEXT NOT NULL,
  files        INTEGER NOT NULL,
  -- of model/text/worklist/upload.ts, with what fills its text as JSON
  reason       TEXT NOT NULL,
  details      TEXT NOT NULL,
  refused_at   TEXT NOT NULL,
  PRIMARY KEY (pid, series_uid)
) STRICT;
