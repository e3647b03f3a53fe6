-- SHA-256 of the key by which a system reads from us; none: it may not.
ALTER TABLE peers ADD COLUMN key_hash TEXT;
CREATE UNIQUE INDEX peers_key ON peers (key_hash);

-- Number of the order that a study belongs to, as its images or the modality worklist have it: empty when neither has one,
-- NULL until it was looked for.
ALTER TABLE patients ADD COLUMN accession_number TEXT;
CREATE INDEX patients_accession ON patients (accession_number);
