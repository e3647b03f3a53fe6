-- Uploads in several requests: a server that has started again, or another one, goes on with them.
CREATE TABLE uploads (
  id              INTEGER PRIMARY KEY,
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- made up by the sender
  name            TEXT NOT NULL,
  touched_ms      INTEGER NOT NULL,
  -- JSON of the outcome; its files are gone then
  answer          TEXT,
  UNIQUE (user_id, name)
) STRICT;

CREATE TABLE upload_files (
  upload          INTEGER NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  file_name       TEXT NOT NULL,
  -- none: it was refused
  blob            TEXT REFERENCES blobs (hash),
  -- JSON of what is wrong with it
  failure         TEXT,
  PRIMARY KEY (upload, file_name)
) STRICT;
CREATE INDEX upload_files_blob ON upload_files (blob);
