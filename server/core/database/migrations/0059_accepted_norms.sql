-- Norms of the tested results, JSON: name of the published norms, and numbers of the local norms (null: published ones alone).
-- NULL: a test of an earlier version, which holds for norms that were accepted before it began.
ALTER TABLE acceptances ADD COLUMN norms TEXT;
