-- Which date stands in for an empty Study Date (0008,0020): 'series' or 'acquisition'. None: it is the study's own, or a
-- physician's.
ALTER TABLE patients ADD COLUMN study_date_source TEXT;
