-- Norms that an administrator imported: their title, and the table as JSON. NULL: norms from controls
-- or routine studies. The source of such rows is "table"; their engine version is empty where
-- FreeSurfer measured the sample.
ALTER TABLE local_norms ADD COLUMN title TEXT;
ALTER TABLE local_norms ADD COLUMN content TEXT;
