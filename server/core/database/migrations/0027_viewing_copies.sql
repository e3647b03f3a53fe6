-- Of a series that was not taken, what can be looked at: its volume (NIfTI-1, gzip), and shape, place and window of it as JSON.
ALTER TABLE refused_series ADD COLUMN volume_blob TEXT REFERENCES blobs (hash);
ALTER TABLE refused_series ADD COLUMN volume TEXT;
CREATE INDEX refused_series_volume ON refused_series (volume_blob);
