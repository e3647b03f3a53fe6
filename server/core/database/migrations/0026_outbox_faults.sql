-- Tries that ended for a reason nobody foresaw; attempts counts those of an outage too.
ALTER TABLE outbox ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;
