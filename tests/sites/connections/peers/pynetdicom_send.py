"""Sends files by pynetdicom: pynetdicom_send.py PORT FOLDER; says the statuses of echo and stores, and what an abort left."""
import json
import sys
from pathlib import Path

from pydicom import dcmread
from pynetdicom import AE
from pynetdicom.sop_class import Verification

port, folder = int(sys.argv[1]), Path(sys.argv[2])
files = [dcmread(path) for path in sorted(folder.iterdir())]
ae = AE("PEER")
# small parts: every object is many PDUs
ae.maximum_pdu_size = 0
ae.add_requested_context(Verification)
for uid, syntax in {(one.SOPClassUID, one.file_meta.TransferSyntaxUID) for one in files}:
    ae.add_requested_context(uid, syntax)
association = ae.associate("127.0.0.1", port, ae_title="SULCUS", max_pdu=4096)
statuses = [association.send_c_echo().Status, *(association.send_c_store(one).Status for one in files)]
association.release()
aborted = ae.associate("127.0.0.1", port, ae_title="SULCUS")
aborted.abort()
stranger = AE("STRANGER")
stranger.add_requested_context(Verification)
refused = stranger.associate("127.0.0.1", port, ae_title="SULCUS")
print(json.dumps({"statuses": statuses, "refused": refused.is_rejected}), flush=True)
