-- When the results of a study last changed without another analysis, by the cause. The instants are part of the names of sent objects.
CREATE TABLE result_changes (
  pid         INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- verdicts, grade, patient or norms
  cause       TEXT NOT NULL,
  changed_at  TEXT NOT NULL,
  -- 1: the results are still to be queued, which a change of many studies does a few at a time
  is_pending  INTEGER NOT NULL DEFAULT 0,
  -- ms since the epoch, when they were queued so
  queued_ms   INTEGER,
  PRIMARY KEY (pid, cause)
) STRICT;
CREATE INDEX result_changes_pending ON result_changes (is_pending, queued_ms);
