-- What stands out in a study's results, as the worklist shows and sorts it. JSON; NULL: not read yet.
ALTER TABLE patients ADD COLUMN finding TEXT;
-- percentile of the part furthest from the usual, 0..100, counted from its conspicuous end
ALTER TABLE patients ADD COLUMN deviation REAL;
