-- In which order jobs are taken: a person's (0) before automatic ones (1) before those of a catch-up (2).
ALTER TABLE jobs ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
-- Names the work of a queued job that is not to be queued twice; NULL once it runs, and where jobs may repeat.
ALTER TABLE jobs ADD COLUMN job_key TEXT COLLATE "C";

UPDATE jobs SET priority = 2 WHERE status = 'queued' AND kind IN ('longitudinal', 'flair_change');
-- of several for one patient the oldest gets the name
UPDATE jobs SET job_key = payload::json ->> 'patientId'
  WHERE id IN (
    SELECT min(id) FROM jobs
    WHERE status = 'queued' AND kind IN ('longitudinal', 'flair_change')
    GROUP BY kind, payload::json ->> 'patientId'
  );

CREATE UNIQUE INDEX jobs_key ON jobs (kind, job_key) WHERE status = 'queued' AND job_key IS NOT NULL;
CREATE INDEX jobs_queue ON jobs (priority, id, kind) WHERE status = 'queued';
CREATE INDEX jobs_running ON jobs (owner) WHERE status = 'running';
