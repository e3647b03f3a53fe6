// Functions that process foreign text take linear time for any text: each exported function of the
// folders below with a parameter of text, bytes or a request has a row here, or a reason why not.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { webQuery } from "@/server/core/connections/service/web/search.ts";
import { renderingOf } from "@/server/core/dicom/worker/rendering_query.ts";
import { namesContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { isQuantity } from "@/server/core/dicom/choice/units.ts";
import * as boundedParser from "@/server/core/dicom/limits/bounded_parser.ts";
import { inflatedBody, withDeflated } from "@/server/core/dicom/limits/inflated_body.ts";
import { boundedText } from "@/server/core/dicom/limits/text_limits.ts";
import * as transferSyntax from "@/server/core/dicom/limits/transfer_syntax.ts";
import { decodeNifti, readNiftiGrid } from "@/server/core/dicom/read/nifti.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { isDecimal, validForm } from "@/server/core/dicom/read/value_forms.ts";
import * as app from "@/server/core/http/app.ts";
import { isAudited } from "@/server/core/http/audited.ts";
import { loginRequest } from "@/model/schema/accounts/auth.ts";
import { patientQuery } from "@/model/schema/studies/patients.ts";
import {
  classify,
  classifyByTags,
  DEFAULT_RULES,
  namedAttributes,
  namesAttribute,
} from "@/model/dicom/classify.ts";
import * as deviceLabel from "@/model/dicom/device_label.ts";
import * as charset from "@/model/dicom/dicom_charset.ts";
import { packedFormat } from "@/model/dicom/packed_file.ts";
import { withoutPadding } from "@/model/dicom/padding.ts";
import { matchesWildcard } from "@/model/dicom/wildcard.ts";
import { kindOf, patientIdOf, patientOf, readAdt } from "@/model/hl7/adt.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import * as hl7 from "@/model/hl7/message.ts";
import { isOrder, mayBeMri, readOrders } from "@/model/hl7/order.ts";
import { documentedFor, isUnrelated } from "@/model/launch/foreign_names.ts";
import { readHubMessage } from "@/model/launch/hub_message.ts";
import * as links from "@/model/launch/launch_link.ts";
import { readPatientId } from "@/model/launch/linked_patient_id.ts";
import { INVOKE_NAMES, nameReading, parameterReading } from "@/model/launch/link_names.ts";
import { normalForm } from "@/model/normal_form.ts";
import { cellsOf, numberIn, percentOf, printedText } from "@/model/norms/imported/cells.ts";
import { readNormTable } from "@/model/norms/imported/read_table.ts";
import { isPlaceholder } from "@/model/patient/shared_id.ts";
import { acquisitionOf, voxelEdgesMm } from "@/model/registry/acquisition.ts";
import { plainText, textProblem } from "@/model/registry/identity_search.ts";
import { hasUnexplainedNumber } from "@/model/registry/measured_numbers.ts";
import * as reportText from "@/model/schema/report/report_text.ts";
import { hasControlCharacter } from "@/model/schema/studies/patients.ts";
import { isCalendarDate } from "@/model/schema/studies/study.ts";
import { filterNameKey, isDateRange } from "@/model/schema/worklist/filters.ts";
import { labelKey, labelLength } from "@/model/schema/worklist/labels.ts";
import { networkOf } from "@/model/site/networks.ts";
import { withoutHidden } from "@/model/schema/typed_text.ts";
import { visibleText } from "@/model/visible_text.ts";
import { matchesSearch, searchableText, searchWords } from "@/model/worklist/search_text.ts";
import { escapeHtml } from "@/server/edge/pages/document.ts";
import { languageOf, preferredLanguage } from "@/server/edge/pages/language.ts";
import { themeOf } from "@/server/edge/pages/theme.ts";
import { bearerOf } from "@/server/edge/session/bearer.ts";
import { deviceOf, readCookie } from "@/server/edge/session/cookies.ts";
import { launchOf, openLink } from "@/server/edge/session/launch.ts";
import { goOnFromHere, safeNextPath } from "@/server/edge/session/same_site.ts";
import * as clientAddress from "@/server/edge/web/client_address.ts";
import { clientCertificate } from "@/server/edge/web/client_certificate.ts";
import { scrubMessage, scrubStack } from "@/server/edge/web/crashes.ts";
import * as security from "@/server/edge/web/security.ts";
import { openWebSocket } from "@/server/edge/web/web_socket.ts";
import { readCommand } from "@/server/gate/dimse/command.ts";
import { collect, readElements } from "@/server/gate/dimse/elements.ts";
import { readAccept, readRequest } from "@/server/gate/dimse/pdu.ts";
import { EXPLICIT_LE, isStorageClass, isUid } from "@/server/gate/dimse/uids.ts";
import { headBytesOf, readMeta } from "@/server/gate/receive/part10.ts";
import { BodyBudget, readBody } from "@/server/wire/body.ts";
import { jsonForScript } from "@/server/wire/json_text.ts";
import { boundaryOf, readMultipart } from "@/server/wire/multipart.ts";
import { type Reader, slowShape } from "@/tests/linear/linear_time.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = [
  "model/dicom",
  "model/hl7",
  "model/launch",
  "model/norms/imported",
  "model/registry",
  "model/schema",
  "server/core/dicom/limits",
  "server/core/http",
  "server/edge/pages",
  "server/edge/session",
  "server/edge/web",
  "server/gate/dimse",
  "server/gate/receive",
  "server/wire",
];
/** Types of parameters that contain data from outside. */
const FOREIGN =
  /"(?:string|unknown|AsyncIterable|CallerContext|Context|ContrastHeader|DicomJson|Headers|Hl7Header|Hl7Message|IncomingMessage|ReadableStream|Request|SiteContext|URLSearchParams|Uint8Array)"/;

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text);
const streamOf = (text: string) => ReadableStream.from([bytesOf(text)]);
async function* piecesOf(text: string) {
  yield bytesOf(text);
}
async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of pieces);
}

/** Headers that all have the same value. */
const headersOf = (text: string) => ({ get: () => text, has: () => true });
const requestOf = (text: string) =>
  ({ url: "http://site/", headers: headersOf(text), method: "GET" }) as unknown as Request;
const contextOf = (text: string) =>
  ({
    env: { remoteAddr: { transport: "tcp", hostname: "10.0.0.1", port: 1 } },
    req: {
      url: `http://site/viewer?${new URLSearchParams({ study: text })}`,
      header: () => text,
      param: () => ({}),
      raw: requestOf(text),
    },
    var: {
      site: {
        isTrustedProxy: () => true,
        defaultLanguage: "en",
        sessions: { secretOf: () => null },
      },
    },
    html: () => new Response(),
  }) as never;

const HEAD = "MSH|^~\\&|A|F|B|F|20260101||ADT^A08|1|P|2.5\r";
const ORDER = "MSH|^~\\&|A|F|B|F|20260101||ORM^O01|1|P|2.5\r";
const messageOf = (text: string) => hl7.readMessage(bytesOf(text));
const readBoth = (text: string) => {
  const message = messageOf(text);
  return readHospitalMessage(message, hl7.headerOf(message));
};
/** Maximum length of a query whose parameters are compared, characters. */
const MAX_LINK = 4000;
const identity = { names: ["Hong^Gildong"], identifiers: ["A-123"], phrases: ["Hospital"] };
const headerOf = (text: string) => ({
  scanningSequence: [boundedText(text, "CS")],
  texts: { SeriesDescription: boundedText(text, "LO"), ProtocolName: boundedText(text, "LO") },
});
const part10 = (text: string) => bytesOf(`${"\0".repeat(128)}DICM${text}`);
const form = 'multipart/form-data; boundary="b"';
async function readParts(text: string): Promise<void> {
  for await (const part of readMultipart(streamOf(text), form)) await readAll(part.body);
}

/** Functions by file and name; several readers for a function with several text parameters. */
const READERS: Readonly<Record<string, Reader | Reader[]>> = {
  "model/dicom/classify.ts namedAttributes": namedAttributes,
  "model/dicom/classify.ts namesAttribute": namesAttribute,
  "model/dicom/classify.ts classify": (text) => classify(headerOf(text) as never, DEFAULT_RULES),
  "model/dicom/classify.ts classifyByTags": (text) =>
    classifyByTags(headerOf(text) as never, DEFAULT_RULES),
  "model/dicom/device_label.ts isLabelRevision": deviceLabel.isLabelRevision,
  "model/dicom/device_label.ts shownLink": deviceLabel.shownLink,
  "model/dicom/dicom_charset.ts decodeText": [
    (text) => charset.decodeText(bytesOf(text), []),
    (text) => charset.decodeText(bytesOf(text), ["ISO_IR 100", "ISO 2022 IR 87"], undefined, true),
  ],
  "model/dicom/dicom_charset.ts characterSetTerms": charset.characterSetTerms,
  "model/dicom/dicom_charset.ts readableName": charset.readableName,
  "model/dicom/packed_file.ts packedFormat": (text) => packedFormat(bytesOf(text)),
  "model/dicom/padding.ts withoutPadding": withoutPadding,
  "model/dicom/wildcard.ts matchesWildcard": [
    (text) => matchesWildcard(text, "a".repeat(64)),
    (text) => matchesWildcard("*a*b?", text),
  ],
  "model/hl7/adt.ts patientOf": (text) => patientOf(messageOf(`${HEAD}PID|1||1||${text}`)),
  "model/hl7/adt.ts readAdt": (text) => {
    const message = messageOf(`${HEAD}PID|1||${text}|||${text}`);
    return readAdt(message, hl7.headerOf(message), "Asia/Seoul");
  },
  "model/hl7/adt.ts kindOf": (text) => kindOf({ type: text, event: text } as hl7.Hl7Header),
  "model/hl7/adt.ts patientIdOf": (text) =>
    patientIdOf([{ id: text, authority: text, type: text }], text),
  "model/hl7/hospital_message.ts readHospitalMessage": [
    readBoth,
    (text) => readBoth(`${HEAD}PID|1||1||${text}||${text}`),
    (text) => readBoth(`${ORDER}PID|1||1||A^B||19600101|F\rORC|NW|${text}\rOBR|1|${text}`),
  ],
  "model/hl7/message.ts readMessage": [
    messageOf,
    (text) => messageOf(HEAD + text),
    (text) => messageOf(`MSH|^~\\&|A|F|B|F|1||ADT^A08|1|P|2.5||||||${text}`),
  ],
  "model/hl7/message.ts segmentOf": (text) => hl7.segmentOf(messageOf(HEAD + text), "PID"),
  "model/hl7/message.ts repetitionsOf": (text) => {
    const message = messageOf(`${HEAD}PID|${text}`);
    return hl7.repetitionsOf(message, hl7.segmentOf(message, "PID"), 1);
  },
  "model/hl7/message.ts componentOf": (text) => {
    const message = messageOf(`${HEAD}PID|${text}`);
    return hl7.componentOf(message, hl7.segmentOf(message, "PID"), 1);
  },
  "model/hl7/message.ts headerOf": (text) =>
    hl7.headerOf(messageOf(`MSH|^~\\&|${text}|F|B|F|1||ADT^A08|1|P|2.5`)),
  "model/hl7/message.ts instantOf": hl7.instantOf,
  "model/hl7/message.ts acknowledgement": [
    (text) => hl7.acknowledgement(bytesOf(text), "1", null),
    (text) => hl7.acknowledgement(bytesOf(`MSH|^~\\&|${text}`), "1", null),
  ],
  "model/hl7/message.ts eventInstant": (text) =>
    hl7.eventInstant([text], { sentAt: text } as hl7.Hl7Header, "Asia/Seoul"),
  "model/hl7/order.ts isOrder": (text) => isOrder({ type: text, event: text } as hl7.Hl7Header),
  "model/hl7/order.ts mayBeMri": (text) => mayBeMri({ modality: text }),
  "model/hl7/order.ts readOrders": (text) => {
    const message = messageOf(`${ORDER}PID|1||1\rORC|NW|${text}\rOBR|1|${text}||${text}`);
    return readOrders(message, hl7.headerOf(message), "Asia/Seoul");
  },
  "model/launch/foreign_names.ts documentedFor": documentedFor,
  "model/launch/foreign_names.ts isUnrelated": isUnrelated,
  "model/launch/hub_message.ts readHubMessage": [
    readHubMessage,
    (text) => readHubMessage(JSON.stringify({ id: text, event: { "hub.topic": text } })),
  ],
  "model/launch/launch_link.ts readInvokeLink": (text) => links.readInvokeLink(`?${text}`),
  "model/launch/launch_link.ts readStudyLink": [
    (text) => links.readStudyLink(`?${text}`, "viewer"),
    (text) => links.readStudyLink(`?study=${text}`, "viewer"),
  ],
  "model/launch/launch_link.ts readNumberedLink": [
    (text) => links.readNumberedLink(`?${text}`, "1", "viewer"),
    (text) => links.readNumberedLink("?study=1", text, "viewer"),
  ],
  "model/launch/linked_patient_id.ts readPatientId": readPatientId,
  "model/launch/launch_link.ts withoutLink": (text) =>
    links.withoutLink(`?${text.slice(0, MAX_LINK)}`),
  "model/launch/link_names.ts nameReading": (text) =>
    nameReading(text.slice(0, MAX_LINK), INVOKE_NAMES),
  "model/launch/link_names.ts parameterReading": (text) =>
    parameterReading("study", text.slice(0, MAX_LINK), INVOKE_NAMES),
  "model/norms/imported/cells.ts percentOf": percentOf,
  "model/norms/imported/cells.ts cellsOf": [
    cellsOf,
    (text) => cellsOf(`# title: ${text}\n${text}`),
    (text) => cellsOf(`measure,region,sex,age\n"${text}`),
  ],
  "model/norms/imported/cells.ts printedText": (text) =>
    printedText(new Map([["title", text]]), "title", 1 << 20),
  "model/norms/imported/cells.ts numberIn": (text) =>
    numberIn({ row: 1, cells: new Map([["age", text]]) }, "age"),
  "model/norms/imported/read_table.ts readNormTable": readNormTable,
  "model/registry/acquisition.ts voxelEdgesMm": voxelEdgesMm,
  "model/registry/acquisition.ts acquisitionOf": (text) => acquisitionOf(text, text),
  "model/registry/identity_search.ts plainText": plainText,
  "model/registry/identity_search.ts textProblem": (text) => textProblem(text, identity),
  "model/registry/measured_numbers.ts hasUnexplainedNumber": hasUnexplainedNumber,
  "model/schema/report/report_text.ts storedText": reportText.storedText,
  "model/schema/report/report_text.ts textSize": reportText.textSize,
  "model/schema/report/report_text.ts isWithinLimits": reportText.isWithinLimits,
  "model/schema/studies/patients.ts hasControlCharacter": hasControlCharacter,
  "model/schema/studies/study.ts isCalendarDate": isCalendarDate,
  "model/schema/worklist/filters.ts filterNameKey": filterNameKey,
  "model/schema/worklist/filters.ts isDateRange": (text) => isDateRange(text, text),
  "model/schema/worklist/labels.ts labelKey": labelKey,
  "model/schema/worklist/labels.ts labelLength": labelLength,
  "server/core/dicom/limits/bounded_parser.ts readMeta": (text) =>
    boundedParser.readMeta(part10(text)),
  "server/core/dicom/limits/bounded_parser.ts parseBounded": (text) =>
    boundedParser.parseBounded(bytesOf(text), 0, EXPLICIT_LE, true),
  "server/core/dicom/limits/inflated_body.ts inflatedBody": (text) =>
    readAll(inflatedBody(piecesOf(text))),
  "server/core/dicom/limits/inflated_body.ts withDeflated": (text) =>
    readAll(withDeflated(piecesOf(text)) as unknown as AsyncIterable<Uint8Array>),
  "server/core/dicom/limits/text_limits.ts boundedText": (text) => boundedText(text, "PN", true),
  "server/core/dicom/limits/transfer_syntax.ts dataSetConflict": (text) =>
    transferSyntax.dataSetConflict(bytesOf(text), 0, EXPLICIT_LE),
  "server/core/dicom/limits/transfer_syntax.ts conflictOf": (text) =>
    transferSyntax.conflictOf(text, "compressed"),
  "server/core/dicom/limits/transfer_syntax.ts methodConflict": (text) =>
    transferSyntax.methodConflict(EXPLICIT_LE, bytesOf(text)),
  "server/core/http/app.ts bodyLimits": (text) => app.bodyLimits(requestOf(text), 1),
  "server/core/http/app.ts bearerOf": [
    (text) => app.bearerOf(requestOf(text)),
    (text) => app.bearerOf(requestOf(`Bearer ${text}`)),
  ],
  "server/core/http/app.ts addressOf": (text) => app.addressOf(requestOf(text)),
  "server/core/http/app.ts siteOf": (text) => app.siteOf(requestOf(text)),
  "server/core/http/app.ts originOf": (text) => app.originOf(requestOf(text)),
  "server/core/http/app.ts readJson": [(text) => {
    const headers = { "content-type": "application/json" };
    return app.readJson(
      new Request("http://site/", { method: "POST", body: text, headers }),
      loginRequest,
    );
  }, (text) => {
    const body = JSON.stringify({ email: text, password: text }),
      headers = { "content-type": "application/json" };
    return app.readJson(
      new Request("http://site/", { method: "POST", body, headers }),
      loginRequest,
    );
  }],
  "server/core/http/app.ts readQuery": (text) => {
    const query = new URLSearchParams({ search: text, label_id_list: text, birth_from: text });
    return app.readQuery(new Request(`http://site/?${query}`), patientQuery);
  },
  "server/core/http/app.ts pidOf": app.pidOf,
  "server/core/http/audited.ts isAudited": isAudited,
  "server/edge/pages/document.ts escapeHtml": escapeHtml,
  "server/edge/pages/language.ts preferredLanguage": preferredLanguage,
  "server/edge/pages/language.ts languageOf": (text) => languageOf(contextOf(text)),
  "server/edge/pages/theme.ts themeOf": (text) => themeOf(contextOf(text)),
  "server/edge/session/bearer.ts bearerOf": [
    (text) => bearerOf(requestOf(text)),
    (text) => bearerOf(requestOf(`Bearer ${text}`)),
  ],
  "server/edge/session/cookies.ts readCookie": (text) => readCookie(contextOf(text), "a"),
  "server/edge/session/cookies.ts deviceOf": (text) => deviceOf(contextOf(text)),
  "server/edge/session/launch.ts openLink": (text) => openLink("/viewer", text, 0),
  "server/edge/session/launch.ts launchOf": (text) =>
    launchOf(contextOf(text), {
      readLaunch: (search: string) => links.readStudyLink(search, "viewer"),
    } as never),
  "server/edge/session/same_site.ts safeNextPath": (text) => safeNextPath(`/${text}`),
  "server/edge/session/same_site.ts goOnFromHere": (text) =>
    goOnFromHere(contextOf(""), `/${text}`),
  "server/edge/web/client_address.ts clientAddress": (text) =>
    clientAddress.clientAddress(contextOf(text)),
  "server/edge/web/client_address.ts isOfTrustedProxy": (text) =>
    clientAddress.isOfTrustedProxy(contextOf(text)),
  "server/edge/web/client_address.ts requestIdOf": (text) =>
    clientAddress.requestIdOf(contextOf(text)),
  "server/edge/web/client_address.ts toldHost": (text) => clientAddress.toldHost(contextOf(text)),
  "server/edge/web/client_address.ts isHttps": (text) => clientAddress.isHttps(contextOf(text)),
  "server/edge/web/client_certificate.ts clientCertificate": [
    (text) => clientCertificate(contextOf(text)),
    (text) => clientCertificate(contextOf(`-----BEGIN CERTIFICATE-----${text}`)),
  ],
  "server/edge/web/crashes.ts scrubMessage": scrubMessage,
  "server/edge/web/crashes.ts scrubStack": scrubStack,
  "server/edge/web/security.ts hostOf": (text) => security.hostOf(requestOf(text)),
  "server/edge/web/security.ts isSameOrigin": (text) =>
    security.isSameOrigin(requestOf(`http://${text}`), false),
  "server/edge/web/security.ts isFromBrowser": (text) => security.isFromBrowser(requestOf(text)),
  "server/edge/web/web_socket.ts openWebSocket": (text) => {
    const headers = {
      upgrade: "websocket",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-version": "13",
      "sec-websocket-protocol": text,
    };
    const connection = { readable: true, writable: true };
    return openWebSocket(
      { method: "GET", headers } as never,
      connection as never,
      new Uint8Array(),
      {},
      () => {
        throw new TypeError("The handshake is whole");
      },
    );
  },
  "server/gate/dimse/command.ts readCommand": (text) => readCommand(bytesOf(text)),
  "server/gate/dimse/elements.ts readElements": [
    (text) => readElements(bytesOf(text), true),
    (text) => readElements(bytesOf(text), false),
  ],
  "server/gate/dimse/elements.ts collect": (text) => collect(piecesOf(text)),
  "server/gate/dimse/pdu.ts readRequest": [
    (text) => readRequest(bytesOf(text)),
    (text) => readRequest(bytesOf(`\0\x01\0\0${" ".repeat(64)}${text}`)),
  ],
  "server/gate/dimse/pdu.ts readAccept": (text) => readAccept(bytesOf(text)),
  "server/gate/dimse/uids.ts isStorageClass": isStorageClass,
  "server/gate/dimse/uids.ts isUid": isUid,
  "server/gate/receive/part10.ts headBytesOf": (text) => headBytesOf(part10(text)),
  "server/gate/receive/part10.ts readMeta": async (text) =>
    await readAll((await readMeta(piecesOf(text))).dataSet),
  "server/wire/body.ts readBody": (text) =>
    readBody(streamOf(text), { maxBytes: 1 << 20, budget: new BodyBudget(1 << 20) }),
  "server/wire/json_text.ts jsonForScript": jsonForScript,
  "server/wire/multipart.ts boundaryOf": [
    boundaryOf,
    (text) => boundaryOf(`multipart/form-data;${text}`),
    (text) => boundaryOf(`multipart/related; ${text}; boundary="${text}`),
  ],
  "server/wire/multipart.ts readMultipart": [
    readParts,
    (text) => readParts(`--b\r\nContent-Disposition: form-data; ${text.slice(0, 16_000)}\r\n\r\n`),
    (text) => readParts(`--b\r\n${text.slice(0, 16_000)}\r\n\r\n\r\n--b--`),
    (text) => readParts(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}`),
  ],
  // functions in other folders
  "model/normal_form.ts normalForm": (text) => normalForm(text, "NFKD"),
  "model/patient/shared_id.ts isPlaceholder": isPlaceholder,
  "model/site/networks.ts networkOf": [networkOf, (text) => networkOf(`::${text}`)],
  "model/schema/typed_text.ts withoutHidden": withoutHidden,
  "model/visible_text.ts visibleText": visibleText,
  "model/worklist/search_text.ts searchableText": searchableText,
  "model/worklist/search_text.ts searchWords": searchWords,
  "model/worklist/search_text.ts matchesSearch": [
    (text) => matchesSearch("*a*b? 홍길동", [text]),
    (text) => matchesSearch(text, ["Hong^Gildong=洪^吉洞=홍^길동"]),
  ],
  "server/core/connections/service/web/search.ts webQuery": [
    (text) => webQuery(new URLSearchParams(text), "studies"),
    (text) => webQuery(new URLSearchParams({ includefield: text, PatientName: text }), "studies"),
  ],
  "server/core/dicom/choice/contrast_agent.ts namesContrastAgent": (text) =>
    namesContrastAgent(boundedText(text, "LO")),
  "server/core/dicom/choice/units.ts isQuantity": (text) => isQuantity(boundedText(text, "LO")),
  "server/core/dicom/read/instance.ts readInstance": (text) => readInstance(part10(text), "x"),
  "server/core/dicom/read/nifti.ts decodeNifti": (text) => decodeNifti(bytesOf(text)),
  "server/core/dicom/read/nifti.ts readNiftiGrid": (text) => readNiftiGrid(bytesOf(text)),
  "server/core/dicom/read/value_forms.ts isDecimal": isDecimal,
  "server/core/dicom/read/value_forms.ts validForm": [
    (text) => validForm("PatientAge", text),
    (text) => validForm("StudyTime", text),
    (text) => validForm("StudyDate", text),
  ],
  "server/core/dicom/worker/rendering_query.ts renderingOf": (text) =>
    renderingOf(new URLSearchParams({ window: text, viewport: text }), 1),
};

/** Functions without foreign text, or with text only from a function above, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  "model/dicom/dicom_kinds.ts percentileMapOf": "kinds of this program",
  "model/hl7/adt.ts mayBeOfOneAuthority": "compares identifiers of two messages",
  "model/hl7/uncertain_ids.ts idDoubtOf": "compares identifiers of a message that has been read",
  "model/launch/hub_message.ts studyEvent": "writes a message",
  "model/launch/hub_message.ts refusalEvent": "writes a message",
  "model/norms/imported/cells.ts problem": "makes an error",
  "model/norms/imported/plotted.ts plottedOf": "draws a table that has been read",
  "model/schema/reading/comparables.ts differenceOf": "chooses among names of attributes",
  "server/core/dicom/limits/bounded_parser.ts headsIn": "reads eight bytes",
  "server/core/http/app.ts routeOf": "the router's own reading of an address",
  "server/edge/pages/render.tsx renderPage": "writes a page",
  "server/edge/session/cookies.ts keepDevice": "writes a cookie",
  "server/edge/session/cookies.ts removeCookie": "writes a cookie",
  "server/edge/session/cookies.ts writeCookie": "writes a cookie",
  "server/edge/session/launch.ts sealLink": "seals a link that has been read",
  "server/edge/web/cached_file.ts compressFile": "files of this program",
  "server/edge/web/crashes.ts reportCrash": "readBody(), scrubMessage() and scrubStack()",
  "server/edge/web/http_server.ts serveHttp": "requests are read by node:http, within 16 kB",
  "server/edge/web/router.ts byPrecision": "paths of this program",
  "server/edge/web/router.ts pathToPattern": "paths of this program",
  "server/edge/web/security.ts problemResponse": "writes an answer",
  "server/edge/web/security.ts textResponse": "writes an answer",
  "server/gate/dimse/association.ts oneOf": "gives one piece of bytes",
  "server/gate/dimse/elements.ts textOf": "one value of elements that have been read",
  "server/gate/dimse/elements.ts writeElements": "writes elements",
  "server/gate/dimse/pdu.ts concat": "joins bytes, with collect()",
  "server/gate/dimse/pdu.ts pduOf": "writes a message",
  "server/gate/receive/inbox_writer.ts isFull": "errors of the disk",
  "server/gate/receive/mllp_frames.ts framed": "writes a message",
  "server/gate/receive/part10.ts part10Head": "writes the head of a file",
  "server/wire/latency.ts observeAnswer": "routes of this program",
  "server/wire/line_socket.ts connectTo": "paths of this program",
  "server/wire/line_socket.ts serveLines": "messages of this program's own processes",
  "server/wire/line_socket.ts unhandledErrorsAt": "paths of this program",
  "server/wire/unhandled_errors.ts noteUnhandled": "errors of this program",
  "server/wire/worker_rights.ts rightsToFiles": "paths of this program",
  "server/wire/worker_rights.ts withReal": "paths of this program",
};

interface Documented {
  nodes: Record<string, {
    symbols: {
      name: string;
      declarations: { kind: string; declarationKind: string; def: { params?: unknown } }[];
    }[];
  }>;
}

function* sourceFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(name) && !/_(test|fixture|testing)\.tsx?$|\.d\.ts$/.test(name)) {
      yield path;
    }
  }
}

/** Exported functions with a parameter of a foreign type. */
async function foreignFunctions(paths: readonly string[]): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...paths],
    cwd: ROOT,
    stderr: "null",
  }).output();
  const { nodes }: Documented = JSON.parse(new TextDecoder().decode(stdout));
  return Object.entries(nodes).flatMap(([url, { symbols }]) =>
    symbols.filter(({ declarations }) =>
      declarations.some(({ kind, declarationKind, def }) =>
        kind === "function" && declarationKind === "export" &&
        FOREIGN.test(JSON.stringify(def.params))
      )
    ).map(({ name }) => `${fileURLToPath(url).slice(ROOT.length)} ${name}`)
  );
}

Deno.test("each reader of foreign text in the table exists, and none is missing", async () => {
  const listed = [...Object.keys(READERS), ...Object.keys(OTHERS)];
  const inFolders = FOLDERS.flatMap((folder) => [...sourceFiles(folder)]);
  const missing = (await foreignFunctions(inFolders)).filter((name) => !listed.includes(name));
  assert.deepEqual(missing, [], "add each to READERS, or to OTHERS with a reason");
  assert.deepEqual(listed.filter((name, at) => listed.indexOf(name) !== at), []);
  const paths = [...new Set(listed.map((name) => name.split(" ")[0]!))];
  const existing = await foreignFunctions(paths);
  assert.deepEqual(
    listed.filter((name) => !existing.includes(name)),
    [],
  );
  for (const [name, reason] of Object.entries(OTHERS)) assert.ok(reason.length > 10, name);
});

for (const [name, readers] of Object.entries(READERS)) {
  Deno.test(`${name}() takes linear time on any text`, async () => {
    for (const read of [readers].flat()) assert.equal(await slowShape(read), null);
  });
}
