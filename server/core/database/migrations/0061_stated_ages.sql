-- Age that the images state (Patient's Age), whole years. It is kept apart from the shown age: after
-- an edit of birth date or study date both are compared again.
ALTER TABLE patients ADD COLUMN stated_age INTEGER;
-- Earlier versions kept only the shown age. It is the stated one if the dates do not yield it.
UPDATE patients SET stated_age = patient_age
WHERE patient_age IS NOT NULL AND (
  patient_birthdate IS NULL OR study_date IS NULL OR patient_birthdate > study_date
  OR abs(
    CAST(substr(study_date, 1, 4) AS INTEGER) - CAST(substr(patient_birthdate, 1, 4) AS INTEGER)
      - CASE WHEN substr(study_date, 6) < substr(patient_birthdate, 6) THEN 1 ELSE 0 END
      - patient_age
  ) > 1
);
