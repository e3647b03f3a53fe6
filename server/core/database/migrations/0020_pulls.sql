-- Studies that are asked of archives, by somebody or by a rule; and priors of a study that are still to be looked up.
CREATE TABLE pulls (
  id              INTEGER PRIMARY KEY,
  peer_id         INTEGER NOT NULL REFERENCES peers (id) ON DELETE CASCADE,
  kind            TEXT NOT NULL CHECK (kind IN ('study', 'priors')),
  -- the study that is taken; with 'priors' the one whose patient is looked up
  study_uid       TEXT NOT NULL,
  -- what the archive says of it, without names
  description     TEXT NOT NULL,
  study_date      TEXT NOT NULL,
  -- instances that the archive says it has; 0 where it does not say
  expected        INTEGER NOT NULL DEFAULT 0,
  -- who asks; none: a rule
  uid             INTEGER,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  owner           TEXT,
  attempts        INTEGER NOT NULL DEFAULT 0,
  not_before_ms   INTEGER NOT NULL DEFAULT 0,
  completed       INTEGER NOT NULL DEFAULT 0,
  failed          INTEGER NOT NULL DEFAULT 0,
  last_error      TEXT,
  created_at      TEXT NOT NULL,
  ended_at        TEXT
) STRICT;
CREATE INDEX pulls_state ON pulls (state, peer_id, id);
CREATE INDEX pulls_study ON pulls (study_uid);
