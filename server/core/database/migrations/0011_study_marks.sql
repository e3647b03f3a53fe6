-- Which results each user has opened, and when.
CREATE TABLE study_views (
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  seen_at       TEXT NOT NULL,
  PRIMARY KEY (user_id, pid)
) STRICT, WITHOUT ROWID;
CREATE INDEX study_views_pid ON study_views (pid);

-- Studies whose report was printed or saved, and when last.
CREATE TABLE study_reports (
  pid           INTEGER PRIMARY KEY REFERENCES patients (pid) ON DELETE CASCADE,
  reported_at   TEXT NOT NULL
) STRICT;
