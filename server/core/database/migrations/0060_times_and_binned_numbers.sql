-- 1: an administrator applies a message with an impossible time as of its arrival.
ALTER TABLE hl7_messages ADD COLUMN is_time_confirmed INTEGER NOT NULL DEFAULT 0;
-- earlier versions applied such messages as of their arrival
UPDATE hl7_messages SET is_time_confirmed = 1;

-- Accession numbers of studies in the bin, by which links of other systems name them.
CREATE TABLE bin_accessions (
  pid               INTEGER NOT NULL REFERENCES bin (pid) ON DELETE CASCADE,
  accession_number  TEXT NOT NULL,
  PRIMARY KEY (pid, accession_number)
) STRICT;
CREATE INDEX bin_accessions_number ON bin_accessions (accession_number);
INSERT INTO bin_accessions (pid, accession_number)
SELECT DISTINCT bin.pid, json_extract(one.value, '$.accession_number')
FROM bin, json_each(bin.content, '$.patients') AS one
WHERE coalesce(json_extract(one.value, '$.accession_number'), '') <> ''
UNION
SELECT DISTINCT bin.pid, json_extract(one.value, '$.accession_number')
FROM bin, json_each(bin.content, '$.series_headers') AS one
WHERE coalesce(json_extract(one.value, '$.accession_number'), '') <> '';
