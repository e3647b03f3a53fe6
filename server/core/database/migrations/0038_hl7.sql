-- Messages of the hospital's patient administration (HL7 v2), in the order in which they came.
CREATE TABLE hl7_messages (
  id             INTEGER PRIMARY KEY,
  -- name of the system, by its address
  system         TEXT NOT NULL,
  -- MSH-3 and MSH-4, for which MSH-10 is unique; of messages that differ, one may come after the number starts again
  sender         TEXT NOT NULL,
  control_id     TEXT NOT NULL,
  digest         TEXT NOT NULL,
  -- as ADT^A08
  event          TEXT NOT NULL,
  -- empty while it is not certain which identifier is the patient's
  patient_id     TEXT NOT NULL,
  -- of a merge: the ID that is no longer valid
  prior_id       TEXT NOT NULL,
  -- when it happened, ms since the epoch
  event_ms       INTEGER NOT NULL,
  received_at    TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('waiting', 'failed', 'applied', 'ignored', 'dropped')),
  reason         TEXT,
  not_before_ms  INTEGER NOT NULL DEFAULT 0,
  -- 1: an administrator repeats it, though newer messages have come
  is_forced      INTEGER NOT NULL DEFAULT 0,
  ended_at       TEXT,
  message        BLOB NOT NULL,
  UNIQUE (sender, control_id, digest)
) STRICT;
CREATE INDEX hl7_messages_state ON hl7_messages (state, id);
CREATE INDEX hl7_messages_patient ON hl7_messages (patient_id, state);
CREATE INDEX hl7_messages_prior ON hl7_messages (prior_id, state);

-- Patient IDs that the hospital has joined. They stay: images may come under the former ID years later.
CREATE TABLE patient_merges (
  id             INTEGER PRIMARY KEY,
  prior_id       TEXT NOT NULL,
  patient_id     TEXT NOT NULL,
  event_ms       INTEGER NOT NULL,
  merged_at      TEXT NOT NULL,
  system         TEXT NOT NULL,
  control_id     TEXT NOT NULL,
  -- superseded: the former ID is another patient's again, or was joined with a third one
  state          TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'undone')),
  -- JSON: studies that it moved, each with its identity before
  moved          TEXT NOT NULL,
  undone_at      TEXT,
  undone_by      INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX patient_merges_prior ON patient_merges (prior_id, state);
CREATE INDEX patient_merges_patient ON patient_merges (patient_id, state);

-- What the hospital's system changed in a study's record, and from what.
CREATE TABLE identity_changes (
  id             INTEGER PRIMARY KEY,
  pid            INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- update, merge, follow or undo
  cause          TEXT NOT NULL,
  changed_at     TEXT NOT NULL,
  -- JSON
  before         TEXT NOT NULL,
  after          TEXT NOT NULL
) STRICT;
CREATE INDEX identity_changes_pid ON identity_changes (pid, id);

-- When the hospital's system last changed the record.
ALTER TABLE patients ADD COLUMN hospital_at TEXT;
