-- Persons whose pseudonym a study was exported with: the pseudonym stays when the patient ID changes.
CREATE TABLE pseudonyms (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  -- keyed digest of the person
  digest    TEXT NOT NULL,
  -- both empty after the person's last study was permanently deleted: the pseudonym stays reserved
  study_uid TEXT NOT NULL,
  person    TEXT NOT NULL,
  UNIQUE (digest, study_uid)
) STRICT;
CREATE INDEX pseudonyms_study ON pseudonyms (study_uid);
