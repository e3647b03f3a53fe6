-- What changed in the rows of the worklist, in order: whoever keeps them in memory reads on from where it was.
CREATE TABLE worklist_changes (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  pid           INTEGER NOT NULL
) STRICT;

CREATE TRIGGER worklist_insert AFTER INSERT ON patients BEGIN
  INSERT INTO worklist_changes (pid) VALUES (new.pid);
END;
CREATE TRIGGER worklist_update AFTER UPDATE ON patients BEGIN
  INSERT INTO worklist_changes (pid) VALUES (new.pid);
END;
CREATE TRIGGER worklist_delete AFTER DELETE ON patients BEGIN
  INSERT INTO worklist_changes (pid) VALUES (old.pid);
END;
CREATE TRIGGER worklist_analysis AFTER UPDATE OF status, finished_at ON analyses
WHEN new.status = 'completed' OR old.status = 'completed' BEGIN
  INSERT INTO worklist_changes (pid) VALUES (new.pid);
END;
CREATE TRIGGER worklist_label_add AFTER INSERT ON patient_labels BEGIN
  INSERT INTO worklist_changes (pid) VALUES (new.pid);
END;
CREATE TRIGGER worklist_label_remove AFTER DELETE ON patient_labels BEGIN
  INSERT INTO worklist_changes (pid) VALUES (old.pid);
END;
CREATE TRIGGER worklist_label_rename AFTER UPDATE OF label_name ON labels BEGIN
  INSERT INTO worklist_changes (pid) SELECT pid FROM patient_labels WHERE label_id = new.id;
END;

-- JSON: who the images say the patient is, kept when somebody edits it
ALTER TABLE patients ADD COLUMN received_identity TEXT;

-- Who edits a record, until when.
CREATE TABLE edit_claims (
  pid           INTEGER PRIMARY KEY REFERENCES patients (pid) ON DELETE CASCADE,
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_ms    INTEGER NOT NULL
) STRICT;
