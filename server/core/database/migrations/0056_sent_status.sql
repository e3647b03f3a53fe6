-- Whether a system got signed results by HL7 or FHIR: later results replace them as a correction.
-- Earlier versions sent all results as final, whether or not they were signed.
ALTER TABLE outbox ADD COLUMN is_final INTEGER NOT NULL DEFAULT 0 CHECK (is_final IN (0, 1));
UPDATE outbox SET is_final = 1 WHERE kind IN ('hl7', 'fhir') AND sent_at IS NOT NULL;
