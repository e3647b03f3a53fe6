-- Labels belong to the organisation, saved filters to one user.
CREATE TABLE labels (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  label_name    TEXT NOT NULL,
  -- the name trimmed, in lower case: what must not repeat
  name_key      TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE patient_labels (
  pid           INTEGER NOT NULL REFERENCES patients (pid) ON DELETE CASCADE,
  label_id      INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (pid, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX patient_labels_label ON patient_labels (label_id);

CREATE TABLE filters (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  name_key      TEXT NOT NULL,
  -- JSON: the fields of a saved filter but its id, owner, name and labels
  query         TEXT NOT NULL,
  UNIQUE (user_id, name_key)
) STRICT;

CREATE TABLE filter_labels (
  filter_id     INTEGER NOT NULL REFERENCES filters (id) ON DELETE CASCADE,
  label_id      INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (filter_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX filter_labels_label ON filter_labels (label_id);
