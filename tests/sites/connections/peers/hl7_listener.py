"""A receiver of HL7 v2 over MLLP, by the packages hl7 and hl7apy: says its port, then each message as JSON.
hl7_listener.py ANSWER...

It answers its first messages with the given codes (MSA-1), all further ones with AA.
"""
import asyncio
import base64
import json
import re
import sys

import hl7
from hl7.mllp import start_hl7_server
from hl7apy.consts import VALIDATION_LEVEL
from hl7apy.parser import parse_message

answers = sys.argv[1:]


def say(value):
    print(json.dumps(value), flush=True)


def shortened(message, pdf):
    """The message as hl7apy can check it: no document beyond 64 KB, and, since it reads OBX-5 without looking at OBX-2,
    no text beyond the 199 characters of ST where TX and FT have 65,536."""
    text = str(message).replace(pdf, "JVBERi0=")
    return re.sub(r"(\rOBX\|\d+\|(?:TX|FT)\|[^|]*\|[^|]*\|)([^|]{199})[^|]*", r"\1\2", text)


async def serve(reader, writer):
    while not writer.is_closing():
        try:
            message = await reader.readmessage()
        except asyncio.IncompleteReadError:
            break
        code = answers.pop(0) if answers else "AA"
        observations = message.segments("OBX")
        document = next(obx for obx in observations if str(obx[2]) == "ED")
        pdf = str(document[5][0][4])
        say({
            "code": code,
            # against the structure of its message in HL7 2.5
            "valid": parse_message(shortened(message, pdf), VALIDATION_LEVEL.STRICT).validate(),
            "type": str(message.segment("MSH")[9]),
            "version": str(message.segment("MSH")[12]),
            "patient": str(message.segment("PID")[3]),
            "name": str(message.segment("PID")[5]),
            "accession": str(message.segment("OBR")[18]),
            "measures": {str(obx[3][0][0]): float(str(obx[5])) for obx in observations if str(obx[2]) == "NM"},
            "units": sorted({str(obx[6][0][0]) for obx in observations if str(obx[2]) == "NM"}),
            "document": [str(part) for part in document[5][0][1:4]],
            "pdf": base64.b64decode(pdf, validate=True)[:5].decode("latin1"),
        })
        writer.writemessage(message.create_ack(code))
        await writer.drain()
    writer.close()


async def main():
    server = await start_hl7_server(serve, host="127.0.0.1", port=0, encoding="utf-8", limit=1 << 26)
    say({"port": server.sockets[0].getsockname()[1]})
    async with server:
        await server.serve_forever()


asyncio.run(main())
