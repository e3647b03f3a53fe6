-- Versions of the physician's text of a study's report. Rows are only added: an edit, a signature and its withdrawal are versions.
CREATE TABLE report_texts (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  pid         INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- 1 for the first of a study; two authors cannot both write the next one
  version     INTEGER NOT NULL,
  -- draft, signed or withdrawn
  state       TEXT NOT NULL,
  language    TEXT NOT NULL,
  text        TEXT NOT NULL,
  -- names the results that were current then
  results     TEXT NOT NULL,
  created_at  TEXT NOT NULL,
  created_by  INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- name of the author at that time, which outlives the account
  author      TEXT NOT NULL,
  UNIQUE (pid, version)
) STRICT;
