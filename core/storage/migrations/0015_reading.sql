-- What readers measured on the images of a study.
CREATE TABLE measurements (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- JSON: kind, series, plane, places in RAS mm, and what came out
  measured      TEXT NOT NULL,
  note          TEXT NOT NULL,
  is_in_report  INTEGER NOT NULL,
  created_at    TEXT NOT NULL,
  created_by    INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX measurements_pid ON measurements (pid);

-- Views that a reader chose for the report.
CREATE TABLE key_images (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  -- PNG, without the patient's name
  picture       BLOB NOT NULL,
  note          TEXT NOT NULL,
  created_at    TEXT NOT NULL,
  created_by    INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX key_images_pid ON key_images (pid);

-- How the viewer's 8-bit values follow from those of the series, and the window that its headers name.
CREATE TABLE display_scales (
  analysis_id   INTEGER PRIMARY KEY REFERENCES analyses (id) ON DELETE CASCADE,
  -- JSON
  scale         TEXT NOT NULL
) STRICT;

-- Strokes of a correction of a label map. The map itself stays as it was; strokes that hold are laid over it.
CREATE TABLE label_strokes (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  analysis_id   INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
  -- JSON: [first voxel, count, first voxel, count …] and the value that they were given
  runs          TEXT NOT NULL,
  value         INTEGER NOT NULL,
  created_at    TEXT NOT NULL,
  created_by    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  undone_at     TEXT,
  undone_by     INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX label_strokes_analysis ON label_strokes (analysis_id);

-- Results of analyses as they were before somebody corrected them.
CREATE TABLE original_results (
  analysis_id   INTEGER PRIMARY KEY REFERENCES analyses (id) ON DELETE CASCADE,
  -- JSON
  results       TEXT NOT NULL
) STRICT;

-- Two studies of one patient laid over each other: the later one's place in the earlier one's, and what changed.
CREATE TABLE comparisons (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind          TEXT NOT NULL CHECK (kind IN ('t1', 't2')),
  -- of the analyses; it holds while both are still what the studies show
  earlier_id    INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
  later_id      INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
  engine_version TEXT,
  -- JSON; none when the comparison failed
  results       TEXT,
  error_code    TEXT,
  finished_at   TEXT NOT NULL,
  UNIQUE (kind, earlier_id, later_id)
) STRICT;

-- What a reader said of a lesion that a comparison found.
CREATE TABLE lesion_verdicts (
  comparison_id INTEGER NOT NULL REFERENCES comparisons (id) ON DELETE CASCADE,
  -- number of the lesion in the comparison's list
  lesion        INTEGER NOT NULL,
  verdict       TEXT NOT NULL CHECK (verdict IN ('confirmed', 'refused')),
  created_at    TEXT NOT NULL,
  created_by    INTEGER REFERENCES users (id) ON DELETE SET NULL,
  PRIMARY KEY (comparison_id, lesion)
) STRICT, WITHOUT ROWID;
