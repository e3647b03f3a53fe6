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
