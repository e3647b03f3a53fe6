-- Findings of earlier versions name no side, lobe or asymmetry first: all of them are computed again after the start.
UPDATE patients SET finding = NULL WHERE finding IS NOT NULL;
