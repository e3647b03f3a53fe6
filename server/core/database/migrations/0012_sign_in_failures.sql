DROP TABLE login_failures;

-- Wrong passwords, one row for each place that they are counted at; forgiven one by one as time goes by.
CREATE TABLE sign_in_failures (
  -- SHA-256 of kind, account and place: what somebody types for an e-mail address may be a password
  id              TEXT PRIMARY KEY,
  -- an account at one device or address; an account from everywhere; an address for every account
  kind            TEXT NOT NULL CHECK (kind IN ('place', 'account', 'address')),
  -- none: there is no such account
  user_id         INTEGER REFERENCES users (id) ON DELETE CASCADE,
  address         TEXT,
  failures        INTEGER NOT NULL,
  last_ms         INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_failures_user ON sign_in_failures (user_id);

-- Devices and addresses that an account was signed in from: failures of others elsewhere do not delay it there.
CREATE TABLE known_places (
  user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- SHA-256 of 'device:' and its secret, or of 'address:' and it
  place           TEXT NOT NULL,
  used_ms         INTEGER NOT NULL,
  PRIMARY KEY (user_id, place)
) STRICT;
