-- What a reading of a reading study showed: results and images of a case can change between readings.
-- Digests of the images, and of the results in the arm with results, as of the reading's opening.
ALTER TABLE reading_study_readings ADD COLUMN images_digest TEXT;
ALTER TABLE reading_study_readings ADD COLUMN results_digest TEXT;
-- of the results that the case had then
ALTER TABLE reading_study_readings ADD COLUMN engine_version TEXT;
-- 1: other images or results were shown, or had replaced them, before the answer
ALTER TABLE reading_study_readings ADD COLUMN is_changed INTEGER NOT NULL DEFAULT 0;
