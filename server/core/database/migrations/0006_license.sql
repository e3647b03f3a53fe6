-- What the site may do: one row. Without a limit and dates everything is allowed, as on a demonstration.
CREATE TABLE license (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  holder          TEXT,
  cert_type       TEXT NOT NULL DEFAULT 'DEMO',
  -- JSON list; 'use_limit' in it turns the counting of credits on
  limits          TEXT NOT NULL DEFAULT '[]',
  -- first and last day of use, YYYY-MM-DD in the site's time zone
  start_date      TEXT,
  expire_date     TEXT,
  credits         INTEGER NOT NULL DEFAULT 0 CHECK (credits >= 0),
  -- PEM of whoever signs licence files; from then on nothing else is taken
  provider_key    TEXT,
  -- grows with every change
  revision        INTEGER NOT NULL DEFAULT 0,
  updated_at      TEXT
) STRICT;
INSERT INTO license (id) VALUES (1);

-- Signed files that have been taken: each gives its credits once.
CREATE TABLE license_files (
  serial          TEXT PRIMARY KEY,
  applied_at      TEXT NOT NULL
) STRICT;

-- Every change of the credits, oldest first. Outlives the studies it names.
CREATE TABLE credit_log (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at      TEXT NOT NULL,
  -- day in the site's time zone, YYYY-MM-DD
  local_date      TEXT NOT NULL,
  kind            TEXT NOT NULL CHECK (kind IN ('grant', 'use', 'rollback')),
  amount          INTEGER NOT NULL,
  -- after the change
  balance         INTEGER NOT NULL,
  pid             INTEGER,
  user_id         INTEGER,
  -- first analysis of the run that was paid for
  analysis_id     INTEGER,
  -- a run is paid for once and given back at most once
  UNIQUE (kind, analysis_id)
) STRICT;
CREATE INDEX credit_log_date ON credit_log (local_date, id);
