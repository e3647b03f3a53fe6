"""A storage provider by pynetdicom: says its port, then each object that it was sent, and commits to all it is asked for."""
import hashlib
import json
import threading

from pydicom.dataset import Dataset
from pynetdicom import AE, AllStoragePresentationContexts, ALL_TRANSFER_SYNTAXES, evt
from pynetdicom.sop_class import StorageCommitmentPushModel, Verification

ae = AE("PYNETDICOM")
ae.add_supported_context(Verification)
ae.add_supported_context(StorageCommitmentPushModel)
for context in AllStoragePresentationContexts:
    ae.add_supported_context(context.abstract_syntax, ALL_TRANSFER_SYNTAXES)


def say(value):
    print(json.dumps(value), flush=True)


def store(event):
    say({
        "stored": event.request.AffectedSOPInstanceUID,
        "syntax": event.context.transfer_syntax,
        "sha256": hashlib.sha256(event.request.DataSet.getvalue()).hexdigest(),
    })
    return 0x0000


def commit(event):
    asked = event.action_information

    def report():
        sender = AE("PYNETDICOM")
        sender.add_requested_context(StorageCommitmentPushModel)
        association = sender.associate("127.0.0.1", int(event.assoc.ae.us_port), ae_title="SULCUS")
        told = Dataset()
        told.TransactionUID = asked.TransactionUID
        told.ReferencedSOPSequence = asked.ReferencedSOPSequence
        status, _ = association.send_n_event_report(
            told, 1, StorageCommitmentPushModel, "1.2.840.10008.1.20.1.1"
        )
        say({"reported": status.Status})
        association.release()

    threading.Thread(target=report).start()
    return 0x0000, None


def main():
    import sys

    ae.us_port = sys.argv[1]
    server = ae.start_server(
        ("127.0.0.1", 0), block=False, evt_handlers=[(evt.EVT_C_STORE, store), (evt.EVT_N_ACTION, commit)]
    )
    say({"port": server.server_address[1]})
    sys.stdin.read()
    server.shutdown()


main()
