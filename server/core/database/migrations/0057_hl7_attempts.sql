-- Attempts to apply a message, each counted before it begins: the message may end the process.
ALTER TABLE hl7_messages ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
-- JSON: name, birth date and sex as they were applied, since the character set in the settings may change.
-- NULL: no patient data were applied, or an earlier version applied them.
ALTER TABLE hl7_messages ADD COLUMN identity TEXT;
-- 1: an administrator says that the message is about the person whose birth date or sex it contradicts.
ALTER TABLE hl7_messages ADD COLUMN is_person_confirmed INTEGER NOT NULL DEFAULT 0;
