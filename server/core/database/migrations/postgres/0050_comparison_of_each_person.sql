-- Several people may be recorded with one patient ID: a comparison for each of them. first_pid is the
-- earliest compared study; a study is one person's.
ALTER TABLE longitudinal ADD COLUMN first_pid BIGINT;
UPDATE longitudinal SET first_pid = substring(visits FROM '^\[\{"pid":([0-9]{1,15}),')::bigint;
-- a row without a readable study is made again
DELETE FROM longitudinal WHERE first_pid IS NULL;
ALTER TABLE longitudinal ALTER COLUMN first_pid SET NOT NULL;
ALTER TABLE longitudinal DROP CONSTRAINT longitudinal_pkey;
ALTER TABLE longitudinal ADD PRIMARY KEY (patient_id, first_pid);
