"""Sends messages of patient administration that hl7apy makes and validates: `PORT`. Says each acknowledgement, as hl7apy reads it."""

import json
import socket
import sys

from hl7apy.consts import VALIDATION_LEVEL
from hl7apy.core import Message
from hl7apy.parser import parse_message


def message(event, structure, control, characters):
    made = Message(structure, version="2.5", validation_level=VALIDATION_LEVEL.STRICT)
    made.msh.msh_3, made.msh.msh_4 = "HIS", "HOSP"
    made.msh.msh_7 = "20260301120000"
    made.msh.msh_9 = f"ADT^{event}^{structure}"
    made.msh.msh_10, made.msh.msh_11 = control, "P"
    made.msh.msh_18 = characters
    made.evn.evn_2 = "20260301120000"
    return made


def patient(pid, number, name):
    pid.pid_3 = f"{number}^^^HOSP^MR"
    pid.pid_5 = name
    pid.pid_7, pid.pid_8 = "19600520", "M"


def messages():
    update = message("A08", "ADT_A01", "A1", "KS X 1001")
    patient(update.pid, "P-1", "김^민수^^^^^L")
    update.pv1.pv1_2 = "I"
    yield update, "euc-kr"
    merge = message("A40", "ADT_A39", "A2", "UNICODE UTF-8")
    group = merge.add_group("ADT_A39_PATIENT")
    patient(group.add_segment("PID"), "P-3", "Müller^Jane")
    group.add_segment("MRG").mrg_1 = "P-1^^^HOSP^MR"
    yield merge, "utf-8"
    change = message("A47", "ADT_A30", "A3", "8859/1")
    patient(change.pid, "P-5", "Müller^Jane")
    change.mrg.mrg_1 = "P-3^^^HOSP^MR"
    yield change, "latin-1"


print(json.dumps({"port": 0}), flush=True)
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    for made, encoding in messages():
        made.validate()
        connection.sendall(b"\x0b" + made.to_er7().encode(encoding) + b"\r\x1c\r")
        answer = b""
        while not answer.endswith(b"\x1c\r"):
            answer += connection.recv(4096)
        read = parse_message(answer[1:-2].decode("ascii"), validation_level=VALIDATION_LEVEL.STRICT)
        read.validate()
        print(json.dumps([read.name, read.msa.msa_1.value, read.msa.msa_2.value]), flush=True)
# until the test ends it
sys.stdin.read()
