-- Pictures of acceptance tests that were sent to a user: only these can be judged right or wrong.
CREATE TABLE picture_deliveries (
  acceptance_id  INTEGER NOT NULL,
  place          INTEGER NOT NULL,
  user_id        INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  delivered_at   TEXT NOT NULL,
  PRIMARY KEY (acceptance_id, place, user_id),
  FOREIGN KEY (acceptance_id, place) REFERENCES acceptance_pictures (acceptance_id, place) ON DELETE CASCADE
) STRICT;
