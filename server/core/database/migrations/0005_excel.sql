-- Exports of the worklist; the file of a finished one is exports/{excel_id} in the data folder.
CREATE TABLE excel_exports (
  excel_id        TEXT PRIMARY KEY,
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  job_id          INTEGER NOT NULL,
  -- JSON: what was asked for
  request         TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'canceled')),
  percent         REAL NOT NULL DEFAULT 0,
  -- JSON: pids without a row in the file
  failed_pids     TEXT NOT NULL DEFAULT '[]',
  created_at      TEXT NOT NULL
) STRICT;
