-- Rules by which the stored finding was made (model/findings/finding_rules.ts); none: those of an earlier version.
ALTER TABLE patients ADD COLUMN finding_rules TEXT;
