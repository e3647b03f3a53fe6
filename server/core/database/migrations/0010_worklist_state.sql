-- The worklist shows and sorts by what state a study is in, and how good its result is.
ALTER TABLE analyses ADD COLUMN grade TEXT CHECK (grade IN ('A', 'B', 'C'));
UPDATE analyses SET grade = coalesce(json_extract(results, '$.quality.grade'), json_extract(results, '$.grade'))
WHERE status = 'completed' AND results IS NOT NULL
  AND coalesce(json_extract(results, '$.quality.grade'), json_extract(results, '$.grade')) IN ('A', 'B', 'C');

DROP TRIGGER worklist_analysis;
CREATE TRIGGER worklist_analysis AFTER UPDATE OF status, finished_at ON analyses
WHEN new.status <> old.status OR new.finished_at IS NOT old.finished_at BEGIN
  INSERT INTO worklist_changes (pid) VALUES (new.pid);
END;
