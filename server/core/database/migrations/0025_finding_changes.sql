-- Findings of earlier versions name the change since the patient's first study, not since the one before: those of patients
-- with several studies are read anew after the start.
UPDATE patients SET finding = NULL WHERE patient_id <> '' AND patient_id IN (
  SELECT patient_id FROM patients GROUP BY patient_id HAVING COUNT(*) > 1
);
