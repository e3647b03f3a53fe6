-- What a user is at the site; who kept the maintenance permission is an administrator, everybody else a physician.
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'physician';
UPDATE users SET role = 'administrator' WHERE permissions LIKE '%"maintenance"%';
ALTER TABLE users DROP COLUMN permissions;
-- 'local': a password of the site; 'oidc', 'ldap': the hospital's sign-in
ALTER TABLE users ADD COLUMN source TEXT NOT NULL DEFAULT 'local';
-- what the hospital's sign-in knows the person by: issuer and subject, or the directory's own number
ALTER TABLE users ADD COLUMN subject TEXT;
CREATE UNIQUE INDEX users_subject ON users (source, subject);

-- One-time codes of an authenticator. Not confirmed: its user has not shown a code yet, and needs none.
CREATE TABLE second_factors (
  user_id       INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- sealed with a key outside of the database where there is a data folder
  secret        TEXT NOT NULL,
  confirmed_at  TEXT,
  -- time step of the last code that was taken: none is taken twice
  last_step     INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Codes for somebody without the authenticator, each good for once.
CREATE TABLE recovery_codes (
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- SHA-256 of 80 random bits
  hash          TEXT NOT NULL,
  used_ms       INTEGER,
  PRIMARY KEY (user_id, hash)
) STRICT;

-- Sign-ins at the hospital's provider that have begun.
CREATE TABLE oidc_flows (
  -- SHA-256 of the secret that the browser keeps
  hash          TEXT PRIMARY KEY,
  -- JSON: verifier, state, nonce, and where to go on
  data          TEXT NOT NULL,
  expires_ms    INTEGER NOT NULL
) STRICT;
-- What the provider is told at sign-out whose session ends.
ALTER TABLE sessions ADD COLUMN id_token TEXT;

-- Deleted studies until they are gone for good: every row of them as it was.
CREATE TABLE bin (
  pid           INTEGER PRIMARY KEY,
  study_uid     TEXT NOT NULL,
  patient_id    TEXT NOT NULL,
  patient_name  TEXT NOT NULL,
  study_date    TEXT,
  deleted_at    TEXT NOT NULL,
  deleted_by    INTEGER,
  reason        TEXT,
  -- JSON: rows by table
  content       TEXT NOT NULL
) STRICT;
CREATE TABLE bin_blobs (
  pid           INTEGER NOT NULL REFERENCES bin (pid) ON DELETE CASCADE,
  blob          TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (pid, blob)
) STRICT;
CREATE INDEX bin_blobs_blob ON bin_blobs (blob);
