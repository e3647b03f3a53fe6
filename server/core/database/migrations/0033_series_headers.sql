-- Attributes of stored series as the images say them: searches answer from here and read no file. Values of several are divided
-- by backslashes; empty where there is none.
CREATE TABLE series_headers (
  series_id           INTEGER NOT NULL PRIMARY KEY REFERENCES series (id) ON DELETE CASCADE,
  pid                 INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  patient_id          TEXT NOT NULL,
  patient_name        TEXT NOT NULL,
  birth_date          TEXT NOT NULL,
  sex                 TEXT NOT NULL,
  -- YYYYMMDD
  study_date          TEXT NOT NULL,
  study_time          TEXT NOT NULL,
  accession_number    TEXT NOT NULL,
  referring_physician TEXT NOT NULL,
  study_description   TEXT NOT NULL,
  study_id            TEXT NOT NULL,
  modality            TEXT NOT NULL,
  series_number       TEXT NOT NULL,
  body_part           TEXT NOT NULL,
  -- DICOM JSON of the first image without pixels; NULL: its file cannot be read, see unreadable_files
  attributes          TEXT
) STRICT;
CREATE INDEX series_headers_pid ON series_headers (pid);
CREATE INDEX series_headers_patient ON series_headers (patient_id);
CREATE INDEX series_headers_accession ON series_headers (accession_number);
CREATE INDEX series_headers_date ON series_headers (study_date);

-- Attributes in which the images of a series may differ. sop_class is NULL until they are read, and empty where they cannot be.
ALTER TABLE instances ADD COLUMN sop_class TEXT;
ALTER TABLE instances ADD COLUMN instance_number INTEGER;
ALTER TABLE instances ADD COLUMN pixel_rows INTEGER;
ALTER TABLE instances ADD COLUMN pixel_columns INTEGER;
ALTER TABLE instances ADD COLUMN frames INTEGER;
CREATE INDEX instances_unread ON instances (id) WHERE sop_class IS NULL;
CREATE INDEX instances_sop ON instances (sop_uid);
CREATE INDEX series_uid ON series (series_uid);

-- Stored files that cannot be read: set aside, so that they are not read again and again.
CREATE TABLE unreadable_files (
  blob       TEXT NOT NULL PRIMARY KEY,
  pid        INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  sop_uid    TEXT NOT NULL,
  reason     TEXT NOT NULL,
  noted_at   TEXT NOT NULL
) STRICT;
CREATE INDEX unreadable_files_pid ON unreadable_files (pid);
