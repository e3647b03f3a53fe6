-- Instants that travel on the wire are ISO-8601 UTC text; the others are milliseconds since the epoch (…_ms).

CREATE TABLE users (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  email         TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name          TEXT,
  -- pbkdf2-sha256$iterations$salt$hash, base64url
  password_hash TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('active', 'suspended', 'waiting', 'device')),
  -- JSON array of text
  permissions   TEXT NOT NULL DEFAULT '[]',
  created_at    TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  sid           TEXT PRIMARY KEY,
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_ms    INTEGER NOT NULL,
  last_used_ms  INTEGER NOT NULL,
  revoked_ms    INTEGER
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id) WHERE revoked_ms IS NULL;

-- Only SHA-256 hashes: whoever reads the file cannot sign in with it.
CREATE TABLE tokens (
  hash          TEXT PRIMARY KEY,
  sid           TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
  kind          TEXT NOT NULL CHECK (kind IN ('access', 'refresh', 'ticket')),
  expires_ms    INTEGER NOT NULL,
  used_ms       INTEGER
) STRICT;
CREATE INDEX tokens_sid ON tokens (sid);

CREATE TABLE login_failures (
  id            INTEGER PRIMARY KEY,
  -- 'account:' or 'address:' and its SHA-256
  subject       TEXT NOT NULL,
  failed_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX login_failures_subject ON login_failures (subject, failed_ms);

CREATE TABLE blobs (
  -- SHA-256, hexadecimal
  hash          TEXT PRIMARY KEY,
  size_bytes    INTEGER NOT NULL,
  created_at    TEXT NOT NULL
) STRICT;

-- One study is one row of the worklist.
CREATE TABLE patients (
  pid               INTEGER PRIMARY KEY AUTOINCREMENT,
  study_uid         TEXT NOT NULL UNIQUE,
  patient_id        TEXT NOT NULL,
  patient_name      TEXT NOT NULL,
  patient_birthdate TEXT,
  patient_sex       TEXT CHECK (patient_sex IN ('male', 'female')),
  -- whole years at the study date
  patient_age       INTEGER,
  study_date        TEXT,
  created_at        TEXT NOT NULL,
  created_by        INTEGER REFERENCES users (id) ON DELETE SET NULL,
  -- the series that is analysed and its latest analysis
  t1_series_id      INTEGER REFERENCES series (id) ON DELETE SET NULL,
  t2_series_id      INTEGER REFERENCES series (id) ON DELETE SET NULL,
  t1_analysis_id    INTEGER REFERENCES analyses (id) ON DELETE SET NULL,
  t2_analysis_id    INTEGER REFERENCES analyses (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX patients_patient_id ON patients (patient_id, study_date);
CREATE INDEX patients_patient_name ON patients (patient_name COLLATE NOCASE);
CREATE INDEX patients_study_date ON patients (study_date);
CREATE INDEX patients_t1_series ON patients (t1_series_id);
CREATE INDEX patients_t2_series ON patients (t2_series_id);
CREATE INDEX patients_t1_analysis ON patients (t1_analysis_id);
CREATE INDEX patients_t2_analysis ON patients (t2_analysis_id);

CREATE TABLE deleted_patients (
  pid           INTEGER PRIMARY KEY,
  deleted_at    TEXT NOT NULL,
  deleted_by    INTEGER
) STRICT;

CREATE TABLE series (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  series_uid    TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN ('t1', 't2')),
  description   TEXT NOT NULL,
  -- NIfTI-1, gzip
  volume_blob   TEXT NOT NULL REFERENCES blobs (hash),
  created_at    TEXT NOT NULL,
  UNIQUE (pid, series_uid, kind)
) STRICT;
CREATE INDEX series_volume ON series (volume_blob);

CREATE TABLE instances (
  id            INTEGER PRIMARY KEY,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  series_id     INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  sop_uid       TEXT NOT NULL,
  blob          TEXT NOT NULL REFERENCES blobs (hash),
  UNIQUE (pid, sop_uid)
) STRICT;
CREATE INDEX instances_series ON instances (series_id);
CREATE INDEX instances_blob ON instances (blob);

CREATE TABLE analyses (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  pid            INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  series_id      INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  kind           TEXT NOT NULL CHECK (kind IN ('t1', 't2')),
  status         TEXT NOT NULL CHECK (status IN ('waiting', 'processing', 'completed', 'failed')),
  percent        REAL NOT NULL DEFAULT 0,
  stage          TEXT,
  engine_version TEXT,
  -- JSON
  parameters     TEXT NOT NULL,
  input_hashes   TEXT NOT NULL,
  results        TEXT,
  stages         TEXT,
  error_code     TEXT,
  error_details  TEXT,
  requested_at   TEXT NOT NULL,
  requested_by   INTEGER REFERENCES users (id) ON DELETE SET NULL,
  started_at     TEXT,
  finished_at    TEXT
) STRICT;
CREATE INDEX analyses_pid ON analyses (pid, kind);
CREATE INDEX analyses_series ON analyses (series_id);

-- The same bytes twice: as they are, for ranges, and gzipped, as they usually travel.
CREATE TABLE analysis_files (
  analysis_id   INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
  field         TEXT NOT NULL,
  blob          TEXT NOT NULL REFERENCES blobs (hash),
  gzip_blob     TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (analysis_id, field)
) STRICT;
CREATE INDEX analysis_files_blob ON analysis_files (blob);
CREATE INDEX analysis_files_gzip ON analysis_files (gzip_blob);

CREATE TABLE jobs (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  kind            TEXT NOT NULL,
  -- JSON
  payload         TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'canceled')),
  percent         REAL NOT NULL DEFAULT 0,
  -- runs that ended by a crash of the worker
  crashes         INTEGER NOT NULL DEFAULT 0,
  -- runs that ended with the process
  interruptions   INTEGER NOT NULL DEFAULT 0,
  owner           TEXT,
  lease_ms        INTEGER,
  error_code      TEXT,
  error_details   TEXT,
  created_at      TEXT NOT NULL,
  finished_at     TEXT
) STRICT;
CREATE INDEX jobs_open ON jobs (id) WHERE status IN ('queued', 'running');

CREATE TABLE settings (
  -- 'group', or 'user:' and the user's id
  scope         TEXT NOT NULL,
  key           TEXT NOT NULL,
  -- JSON
  value         TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT;
