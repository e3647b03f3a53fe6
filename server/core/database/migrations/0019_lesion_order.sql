-- Where the lesions of a study stand in the order of findings, on the scale of patients.deviation; NULL without a FLAIR result.
ALTER TABLE patients ADD COLUMN lesion_order REAL;
-- findings with lesions are read anew after the start: they name the grade that the load corresponds to
UPDATE patients SET finding = NULL WHERE finding NOT LIKE '%"wmh":null%';
