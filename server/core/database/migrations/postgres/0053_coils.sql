-- Receive coil in the header of the series; NULL: not read yet, '': the header has none.
ALTER TABLE series ADD COLUMN coil TEXT COLLATE "C";

-- Control charts of one scanner, protocol, coil and version of the engine. Charts from before mix
-- coils: they keep an empty one.
ALTER TABLE drift_groups ADD COLUMN coil TEXT COLLATE "C" NOT NULL DEFAULT '';
-- JSON: the newest sums of each chart, for the metrics
ALTER TABLE drift_groups ADD COLUMN sums TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE drift_groups DROP CONSTRAINT drift_groups_scanner_protocol_engine_version_key;
ALTER TABLE drift_groups ADD UNIQUE (scanner, protocol, coil, engine_version);
