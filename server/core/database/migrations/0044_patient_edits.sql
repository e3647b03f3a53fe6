-- When a user last changed the patient's identity in the record; the values are then no longer
-- those of the hospital's system.
ALTER TABLE patients ADD COLUMN edited_at TEXT;
