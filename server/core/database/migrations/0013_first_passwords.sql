-- 1: the password was made by the site and must be changed before anything else is answered.
ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0;
