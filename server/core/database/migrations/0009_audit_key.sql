-- HMAC-SHA256 over the entry's hash, under a key that is not in the database; NULL: written before there was one.
ALTER TABLE audit ADD COLUMN mac TEXT;
