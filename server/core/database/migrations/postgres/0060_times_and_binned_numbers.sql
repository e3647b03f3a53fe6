-- As migrations/0060_times_and_binned_numbers.sql.
ALTER TABLE hl7_messages ADD COLUMN is_time_confirmed BIGINT NOT NULL DEFAULT 0;
-- earlier versions applied such messages as of their arrival
UPDATE hl7_messages SET is_time_confirmed = 1;

CREATE TABLE bin_accessions (
  pid               BIGINT NOT NULL REFERENCES bin (pid) ON DELETE CASCADE DEFERRABLE,
  accession_number  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (pid, accession_number)
);
CREATE INDEX bin_accessions_number ON bin_accessions (accession_number);
INSERT INTO bin_accessions (pid, accession_number)
SELECT bin.pid, one ->> 'accession_number'
FROM bin, jsonb_array_elements(bin.content::jsonb -> 'patients') AS one
WHERE coalesce(one ->> 'accession_number', '') <> ''
UNION
SELECT bin.pid, one ->> 'accession_number'
FROM bin, jsonb_array_elements(bin.content::jsonb -> 'series_headers') AS one
WHERE coalesce(one ->> 'accession_number', '') <> '';
