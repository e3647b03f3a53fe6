-- When the hospital's sign-in last said of a session's person what groups it has, and when it was asked.
ALTER TABLE sessions ADD COLUMN checked_ms INTEGER;
ALTER TABLE sessions ADD COLUMN tried_ms INTEGER;
-- what it is asked by: the name of the person in the directory, or the provider's refresh token, sealed
ALTER TABLE sessions ADD COLUMN provider_ref TEXT;
-- Random, of each recovery code; those of earlier versions have none.
ALTER TABLE recovery_codes ADD COLUMN salt TEXT;
