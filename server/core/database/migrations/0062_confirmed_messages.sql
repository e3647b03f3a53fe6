-- Digest of the records that an administrator saw when confirming the message. If they have changed
-- before it is applied, the confirmation does not count. NULL: not confirmed.
ALTER TABLE hl7_messages ADD COLUMN confirmed_state TEXT;
