// Page about the limits, generated from the constants that the program enforces.
import { MAX_LOGO_BYTES, MAX_NAME_LENGTH } from "@/model/schema/accounts/my_page.ts";
import { MAX_PULLS } from "@/model/schema/connections/pacs.ts";
import {
  KEY_IMAGES_IN_REPORT,
  MAX_KEY_IMAGE_BYTES,
  MAX_KEY_IMAGES,
} from "@/model/schema/reading/key_images.ts";
import { MAX_MEASUREMENTS } from "@/model/schema/reading/measurements.ts";
import { MAX_STROKES } from "@/model/schema/reading/strokes.ts";
import { MAX_REPORT_TEXT, MAX_REPORT_TEXT_LINES } from "@/model/schema/report/report_text.ts";
import { MAX_LABEL_LENGTH } from "@/model/schema/worklist/labels.ts";
import { ACCESS_MS, IDLE_MS, TICKET_MS } from "@/server/core/accounts/service/auth.ts";
import {
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_HEADER_BYTES,
} from "@/server/core/dicom/limits/bounded_parser.ts";
import { MAX_VISITS, MIN_VISITS } from "@/server/core/engine/longitudinal.ts";
import { STAGE_LIMITS } from "@/server/core/engine/worker/stage_limit.ts";
import { EXPORT_HOURS } from "@/server/core/exports/service/exports.ts";
import { MAX_STOW_OBJECTS } from "@/server/core/connections/service/web/stow.ts";
import { CALLS_PER_MINUTE } from "@/server/core/site/service/call_limit.ts";
import { BIN_DAYS } from "@/server/core/studies/service/bin.ts";
import { MAX_FILES } from "@/server/core/studies/service/receive.ts";
import { UPLOAD_HOURS } from "@/server/core/studies/service/upload_session.ts";
import { CONNECTION_LIMITS } from "@/server/edge/web/http_server.ts";
import { MAX_OBJECT_BYTES } from "@/server/gate/link/tasks.ts";
import { MAX_CONNECTIONS } from "@/server/gate/receive/places.ts";

const grouped = (value: number) => value.toLocaleString("en");
const seconds = (ms: number) => ms < 120_000 ? `${ms / 1000} s` : `${ms / 60_000} min`;
const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;

/** Name and value of each limit, in the order of the page. */
const LIMITS: readonly (readonly [group: string, rows: readonly (readonly [string, string])[]])[] =
  [
    ["Uploads and images", [
      ["files of an upload", grouped(MAX_FILES)],
      ["objects of a STOW-RS request", grouped(MAX_STOW_OBJECTS)],
      ["a DICOM object over the network", mebibytes(MAX_OBJECT_BYTES)],
      ["header of a DICOM file", mebibytes(MAX_HEADER_BYTES)],
      ["elements of a DICOM file, images", grouped(MAX_ELEMENTS)],
      ["levels of sequences in a DICOM file", grouped(MAX_DEPTH)],
      ["studies asked of archives at once", grouped(MAX_PULLS)],
      ["processor time of a stage of an analysis", `${STAGE_LIMITS.cpuS / 60} min`],
      ["visits of one comparison", `${MIN_VISITS} to ${MAX_VISITS}`],
    ]],
    ["Kept", [
      ["deleted studies in the bin (`SULCUS_BIN_DAYS`)", `${BIN_DAYS} days`],
      ["finished exports (`SULCUS_EXPORT_HOURS`)", `${EXPORT_HOURS} h`],
      ["unfinished uploads (`SULCUS_UPLOAD_HOURS`)", `${UPLOAD_HOURS} h`],
    ]],
    ["Sessions and calls", [
      ["a token", seconds(ACCESS_MS)],
      ["a session without use", seconds(IDLE_MS)],
      ["a ticket of a socket", seconds(TICKET_MS)],
      [
        "costly calls of a user in a minute (`SULCUS_CALLS_PER_MINUTE`)",
        grouped(CALLS_PER_MINUTE),
      ],
      ["connections of the site", grouped(CONNECTION_LIMITS.connections)],
      ["until the headers of a request are there", seconds(CONNECTION_LIMITS.headersMs)],
      ["a body or an answer that does not move", seconds(CONNECTION_LIMITS.stallMs)],
      ["a connection without a request", seconds(CONNECTION_LIMITS.idleMs)],
      ["connections of the DICOM gate", grouped(MAX_CONNECTIONS)],
    ]],
    ["Reading and report", [
      [
        "key images of a study, and those in the report",
        `${MAX_KEY_IMAGES}, ${KEY_IMAGES_IN_REPORT}`,
      ],
      ["a key image", mebibytes(MAX_KEY_IMAGE_BYTES)],
      ["measurements of a study", grouped(MAX_MEASUREMENTS)],
      ["strokes of a correction that can be taken back", grouped(MAX_STROKES)],
      [
        "text of a report",
        `${grouped(MAX_REPORT_TEXT)} characters, ${MAX_REPORT_TEXT_LINES} lines`,
      ],
      ["a label", `${MAX_LABEL_LENGTH} characters`],
      ["a user's name", `${MAX_NAME_LENGTH} characters`],
      ["a logo", mebibytes(MAX_LOGO_BYTES)],
    ]],
  ];

/** Page about the limits as Markdown. */
export function limitsPage(): string {
  const groups = LIMITS.map(([title, rows]) =>
    `## ${title}\n\n| Limit | Value |\n| --- | --- |\n${
      rows.map(([limit, value]) => `| ${limit} | ${value} |`).join("\n")
    }`
  );
  return `# Limits

Values of the program's own constants. Those of floods, bodies and sockets, and what happens beyond them:
[security](../security.md#limits).

${groups.join("\n\n")}
`;
}
