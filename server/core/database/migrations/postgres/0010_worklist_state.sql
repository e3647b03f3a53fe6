-- The worklist shows and sorts by what state a study is in, and how good its result is.
ALTER TABLE analyses ADD COLUMN grade TEXT COLLATE "C" CHECK (grade IN ('A', 'B', 'C'));
UPDATE analyses SET grade = coalesce(results::jsonb #>> '{quality,grade}', results::jsonb ->> 'grade')
WHERE status = 'completed' AND results IS NOT NULL
  AND coalesce(results::jsonb #>> '{quality,grade}', results::jsonb ->> 'grade') IN ('A', 'B', 'C');

DROP TRIGGER worklist_analysis ON analyses;
CREATE TRIGGER worklist_analysis AFTER UPDATE OF status, finished_at ON analyses
  FOR EACH ROW WHEN (new.status <> old.status OR new.finished_at IS DISTINCT FROM old.finished_at)
  EXECUTE FUNCTION worklist_changed();
