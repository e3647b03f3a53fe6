-- When strokes last changed the results of an analysis: made, taken back or brought back. None: nobody has, or only before there
-- was this column.
ALTER TABLE analyses ADD COLUMN corrected_at TEXT;
