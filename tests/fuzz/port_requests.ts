// Random bytes from a client of the site's port: requests (RFC 9112), WebSocket frames (RFC 6455),
// bodies in chunks and parts, each valid or with a fault.
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { pick } from "@/tests/fuzz/targets.ts";

const bytesOf = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0) & 255);
const upTo = (random: Random, n: number) => Math.floor(random.uniform() * n);
const isOne = (random: Random, among: number) => random.uniform() < 1 / among;

const METHODS = [
  "GET",
  "GET",
  "GET",
  "POST",
  "POST",
  "PUT",
  "HEAD",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "get",
  "G\tT",
  "",
];
const PATHS = [
  "/",
  "/login",
  "/health",
  "/ready",
  "/metrics",
  "/crashes",
  "/static/build/none.js",
  "/static/..%2f..%2fmain.ts",
  "/viewer/1",
  "/sign-in/oidc?next=/%E2%82%AC",
  "/sign-in/callback?code=a&state=b",
  "/.well-known/security.txt",
  "/api/v1/status",
  "/api/v1/auth/login",
  "/api/v1/auth/refresh",
  "/api/v1/auth/oidc",
  "/api/v1/user",
  "/api/v1/ws",
  "/api/v1/ws?token=ticket.x",
  "/api/v1/edge/events",
  "/api/v1/edge/tokens",
  "/api/v1/patients?page_idx=1&page_size=5&sort_key=pid",
  "/api/v1/patients",
  "/api/v1/patients/1/volume",
  "/api/v1/patients/9999999999999999999999",
  "/api/v1/patients/image/viewer/1?file=t1w_file",
  "/api/v1/uploads",
  "/api/v1/filters",
  "/api/v1/settings/mypage",
  "/api/v1/dicomweb/studies?PatientName=*",
  "/api/v1/dicomweb/studies",
  "/api/v1/dicomweb/studies/1.2.3/series/1.2/instances/1/frames/1,2",
  "/api/v1/dicomweb/studies/1.2.3/rendered?viewport=4096,4096",
  "/api/v1/fhir/Patient?identifier=a",
  "/vuuc/api/user",
  "/vuuc/api/auth/token",
  "//",
  "/\0",
  "/%",
  "/%00%ff",
  "/a b",
];
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/2.0",
  "HTTP/0.9",
  "HTP/1.1",
  "",
];
const TYPES = [
  "application/json",
  "application/dicom+json",
  "multipart/form-data; boundary=b",
  "multipart/form-data; boundary=",
  'multipart/related; type="application/dicom"; boundary=b',
  "multipart/related",
  "text/plain; charset=\xff",
];

/** A text in chunks (RFC 9112 §7.1), sometimes with an invalid size, end or extension. */
function chunked(random: Random, text: string): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    const size = 1 + upTo(random, text.length);
    const part = text.slice(at, at + size),
      head = isOne(random, 12)
        ? pick(random, [
          "-1",
          "ffffffffffffffffff",
          "0x3",
          "g",
          "",
          " 3",
          "3;a=b",
          "3;" + "x".repeat(2000),
        ])
        : part.length.toString(16);
    out += `${head}${pick(random, ["\r\n", "\r\n", "\r\n", "\n", ""])}${part}\r\n`;
    at += size;
  }
  return out + pick(random, ["0\r\n\r\n", "0\r\n\r\n", "0\r\nX: y\r\n\r\n", "0\r\n", ""]);
}

/** Parts of a form or a DICOMweb request, among them a file that begins like DICOM. */
function parts(random: Random): string {
  const dicom = "\0".repeat(128) + "DICM" + "\x02\0\x10\0UI\x14\0" + "1.2.840.10008.1.2.1\0" +
    "\xff".repeat(upTo(random, 60));
  const contents = ["", "a", "{}", dicom, "\r\n--b", "--b--"], lines: string[] = [];
  const share = random.uniform();
  for (let count = Math.floor(4 * share); count >= 0; count--) {
    const name = pick(random, ["dicom_files", "logo", "name", 'a"b', ""]);
    lines.push(
      `--b\r\nContent-Disposition: form-data; name="${name}"${
        isOne(random, 2) ? `; filename="${pick(random, ["a.dcm", "../../x", "\0", "한"])}"` : ""
      }\r\nContent-Type: application/dicom\r\n\r\n${pick(random, contents)}\r\n`,
    );
  }
  // one in fifty bodies has 1,200 parts
  return lines.join("").repeat(share > 0.98 ? 300 : 1) +
    pick(random, ["--b--\r\n", "--b--\r\n", "--b", ""]);
}

function body(random: Random): string {
  const json = [
    '{"email":"a@b","password":"c"}',
    '{"next":"/"}',
    "[]",
    "null",
    '"',
    "{".repeat(3000),
    "[1e999]",
  ];
  const kind = upTo(random, 4);
  return kind === 0
    ? ""
    : kind === 1
    ? parts(random)
    : kind === 2
    ? pick(random, json)
    : "\0\xff".repeat(upTo(random, 3000));
}

/** A frame of a client, valid or with a wrong mask, length, kind or fragmentation. */
function frame(random: Random): Uint8Array {
  const content = bytesOf(
    pick(random, [
      "",
      "{}",
      '{"event":"auth_token_update","token":""}',
      "\xff\xfe",
      "x".repeat(300),
    ]),
  );
  const kind = pick(random, [0, 1, 1, 1, 2, 3, 8, 9, 10, 15]),
    first = pick(random, [0x80, 0x80, 0x80, 0, 0x40, 0xf0]) | kind;
  const masked = isOne(random, 8) ? 0 : 0x80,
    announced = isOne(random, 8) ? pick(random, [0, 125, 126, 127]) : -1;
  const length = announced >= 0
    ? [announced]
    : content.length < 126
    ? [content.length]
    : [126, content.length >> 8, content.length & 255];
  if (announced === 127) length.push(...Array.from({ length: 8 }, () => random.bits() & 255));
  return Uint8Array.from([
    first,
    masked | length[0]!,
    ...length.slice(1),
    ...masked ? [0, 0, 0, 0] : [],
    ...content,
  ]);
}

type Headers = [string, string][];

/** Headers about the body. */
function bodyHeaders(random: Random, text: string): Headers {
  if (text === "" && !isOne(random, 6)) return [];
  const lengths = ["-1", "1", "99999999999999999999", "1e3", "0x5", "", "5, 5"];
  const length = isOne(random, 8) ? pick(random, lengths) : String(text.length);
  const codings = ["chunked", "chunked", "chunked", "gzip, chunked", "identity", "Chunked\t"];
  const headers: Headers = isOne(random, 2)
    ? [["content-length", length]]
    : [["transfer-encoding", pick(random, codings)]];
  if (isOne(random, 20)) headers.push(["content-length", pick(random, ["0", "7"])]);
  return headers;
}

/** Headers of a WebSocket upgrade. */
function socketHeaders(random: Random): Headers {
  const some = (share: number, name: string, ...values: string[]): Headers =>
    isOne(random, share) ? [] : [[name, pick(random, values)]];
  return [
    ["connection", "upgrade"],
    ["upgrade", pick(random, ["websocket", "websocket", "websocket", "h2c", "WebSocket, x"])],
    ...some(10, "sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==", "x"),
    ...some(10, "sec-websocket-version", "13", "13", "13", "8", "99"),
    ...some(1.1, "sec-websocket-protocol", "a", "a, a", ",", "\xff"),
    ...some(1.3, "sec-websocket-extensions", "permessage-deflate", "permessage-deflate; x=99", ";"),
  ];
}

/** Other headers, with the fraction of the requests that have them, and possible values. */
const OTHERS: [share: number, name: string, values: string[]][] = [
  [2, "content-type", TYPES],
  [3, "authorization", ["Bearer", "Basic Og==", "Bearer sulcus_key", "Bearer " + "x".repeat(3000)]],
  [6, "cookie", [
    "sulcus_session=x",
    "sulcus_flow=sealed.AAAA",
    ";=;=",
    "sulcus_session=" + "y".repeat(5000),
  ]],
  [6, "origin", ["null", "http://evil.test", "http://["]],
  [6, "accept-encoding", ["gzip", "br;q=0", "\xff"]],
  [10, "range", ["bytes=0-", "bytes=5-1", "bytes=-", "bytes=0-0,1-1"]],
  [10, "expect", ["100-continue", "200-ok"]],
  [10, "connection", ["close", "keep-alive", "x, host, content-length", "upgrade"]],
  [12, "x-forwarded-for", ["1.2.3.4", "::1", "'"]],
  [20, "host", ["b", ""]],
  [20, "accept", ["multipart/related; type=*/*; transfer-syntax=*", "x".repeat(3000)]],
  [20, "if-none-match", ["*", '"a"']],
  [40, "x\0y", ["z"]],
];

/** A valid request except for the body or frames, so that it reaches the code behind the port. */
function plainRequest(random: Random, host: string, token: string): Uint8Array {
  const isSocket = isOne(random, 3),
    path = isSocket ? "/api/v1/ws" : pick(random, PATHS.slice(0, -6));
  const lines = [`host: ${host}`];
  if (!isOne(random, 4)) lines.push(`authorization: Bearer ${token}`);
  if (isSocket) {
    lines.push("connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13");
    lines.push("sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==");
    const frames = Array.from({ length: 1 + upTo(random, 5) }, () => frame(random));
    return joined([bytesOf(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`), ...frames]);
  }
  const method = pick(random, ["GET", "GET", "POST", "PUT", "DELETE"]),
    text = method[0] === "P" ? body(random) : "";
  if (text !== "") {
    lines.push(`content-type: ${pick(random, TYPES)}`, `content-length: ${text.length}`);
  }
  return bytesOf(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
}

/** One request. @param host Host of the site. @param token Session token, in most requests. */
function request(random: Random, host: string, token: string): Uint8Array {
  const path = pick(random, PATHS), text = body(random), isUpgrade = isOne(random, 4);
  const odd = [`http://${host}${path}`, `https://other.example${path}`, "*", "a", host, "http://["];
  const target = isOne(random, 12) ? pick(random, [...odd, "/" + "x".repeat(40_000)]) : path;
  const headers: Headers = [["host", host], ...bodyHeaders(random, text)];
  if (!isOne(random, 3)) headers.push(["authorization", `Bearer ${token}`]);
  for (const [share, name, values] of OTHERS) {
    if (isOne(random, share)) headers.push([name, pick(random, values)]);
  }
  if (isUpgrade) headers.push(...socketHeaders(random));
  const end = isOne(random, 30) ? "\n" : "\r\n", spaces = [" ", " ", " ", "", "\t"];
  const lines = headers.map(([name, value]) => `${name}:${pick(random, spaces)}${value}${end}`)
    .join("");
  const isWhole = isUpgrade && !isOne(random, 6);
  const method = isWhole ? "GET" : pick(random, METHODS),
    version = isWhole ? "HTTP/1.1" : pick(random, VERSIONS);
  const isChunked = headers.some(([name]) => name === "transfer-encoding");
  const content = isUpgrade ? "" : isChunked ? chunked(random, text) : text;
  const frames = isUpgrade ? Array.from({ length: upTo(random, 5) }, () => frame(random)) : [];
  return joined([
    bytesOf(`${method} ${target} ${version}${end}${lines}${end}${content}`),
    ...frames,
  ]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** Bytes of a connection: up to three requests, valid or damaged, in pieces. */
export function portCase(random: Random, host: string, token: string): Uint8Array[] {
  const isPlain = isOne(random, 2), make = isPlain ? plainRequest : request;
  const requests = Array.from(
    { length: isOne(random, 6) ? 3 : 1 },
    () => make(random, host, token),
  );
  const whole = joined(requests), bytes = random.uniform() < 0.3 ? mutate(whole, random) : whole;
  const cut = isOne(random, 3) ? upTo(random, bytes.length) : bytes.length;
  return [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
}
