-- Orders of the hospital's system (HL7 v2). No study: without images they are in no number, export or answer to others.
CREATE TABLE hospital_orders (
  -- never used again: the worklist has orders under the negative number
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  system            TEXT NOT NULL,
  accession_number  TEXT NOT NULL,
  patient_id        TEXT NOT NULL,
  patient_name      TEXT NOT NULL,
  birth_date        TEXT,
  sex               TEXT,
  -- time of the message that the patient's data are of, ms since the epoch
  event_ms          INTEGER NOT NULL,
  -- JSON: order numbers under this accession number, each with procedure, time and whether it is in force
  items             TEXT NOT NULL,
  referrer          TEXT NOT NULL,
  planned_on        TEXT,
  -- newest study when the order came: its place in the order of arrival
  after_pid         INTEGER NOT NULL,
  ordered_at        TEXT NOT NULL,
  expires_at        TEXT NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('ordered', 'arrived', 'cancelled')),
  -- study with its images, which may have been deleted since
  pid               INTEGER
) STRICT;
CREATE INDEX hospital_orders_accession ON hospital_orders (accession_number);
CREATE INDEX hospital_orders_patient ON hospital_orders (patient_id);
CREATE INDEX hospital_orders_expiry ON hospital_orders (expires_at);
ALTER TABLE patients ADD COLUMN ordered_procedure TEXT;
ALTER TABLE patients ADD COLUMN referring_physician TEXT;
-- JSON: orders that a merge moved, each with its patient before
ALTER TABLE patient_merges ADD COLUMN moved_orders TEXT NOT NULL DEFAULT '[]';
