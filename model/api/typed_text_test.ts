// covers: S-105
// Every string of every request is either cleaned of hidden characters, or cannot contain any, or
// has been reviewed: it is a key that is only compared, a secret, or read by a parser.
import assert from "node:assert/strict";
import type * as z from "zod/mini";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { myPagePut } from "@/model/schema/accounts/my_page.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Reviewed strings by schema and field, with the reason why they are not cleaned. */
const REVIEWED: Readonly<Record<string, string>> = {
  "loginRequest.email": "compared",
  "loginRequest.password": "secret",
  "loginRequest.code": "compared",
  "oidcStart.next": "address, checked by the sign-in",
  "oidcCompletion.flow": "sealed",
  "oidcCompletion.query": "parsed",
  "factorRequest.password": "secret",
  "factorCode.code": "compared",
  "launchRequest.accession_numbers[]": "compared",
  "launchRequest.patient_id": "compared: without its hidden characters it would be another ID",
  "followRequest.event_id": "compared",
  "refusalRequest.event_id": "compared",
  "viewerFileQuery.v": "compared",
  "surfaceFileQuery.pid": "parsed as a number",
  "surfaceFileQuery.v": "compared",
  "storedStudiesRequest.studies[].study_uid": "compared",
  "storedStudiesRequest.studies[].patient_id": "compared",
  "storedStudiesRequest.studies[].instances[]": "compared",
  "seriesVolumeQuery.v": "compared",
  "readingAnswer.region": "of the list of regions",
  "reportImageQuery.v": "compared",
  "signaturePost.results": "compared",
  "excelJobRequest.columns.parts[]": "of the list of regions",
  "exportSets.sets[].columns.parts[]": "of the list of regions",
  "scannerQuery.scanner": "compared",
  "normPost.scanner": "compared",
  "normTablePost.content": "parsed; its reader refuses hidden characters",
  "acceptancePost.scanner": "compared",
  "acceptancePost.protocol": "compared",
  "stopAgreement.proposed_at": "compared",
  "stopAgreement.changed_at": "compared",
  "restartAgreement.proposed_at": "compared",
  "peerPut.config.addresses[]": "parsed as networks",
  "peerPut.config.certificate": "parsed as PEM",
  "peerPut.secret": "secret",
  "settingsPut.individual.general.brain_part_list[]": "of the list of regions",
  "settingsPut.individual.general.expanded_part_list[]": "of the list of regions",
  "documentQuery.path": "of the list of documents",
  "auditQuery.event": "compared",
  "auditExportQuery.event": "compared",
  "patientQuery.after": "cursor, parsed",
  "patientQuery.before": "cursor, parsed",
  "passwordPut.current_password": "secret",
  "passwordPut.new_password": "secret",
};

/** The parts of a schema's definition that the walk reads. */
interface Definition {
  type: string;
  checks?: readonly { _zod: { def: { pattern?: RegExp; format?: string } } }[];
  shape?: Record<string, Schema>;
  catchall?: Schema;
  element?: Schema;
  innerType?: Schema;
  options?: readonly Schema[];
  items?: readonly Schema[];
  keyType?: Schema;
  valueType?: Schema;
  in?: Schema;
  out?: Schema;
}
interface Schema {
  _zod: { def: Definition };
}

/** Whether a whole pattern names its characters, and so accepts no others. */
const namesCharacters = ({ source }: RegExp): boolean =>
  source.startsWith("^") && source.endsWith("$") &&
  !/\[\^|\\[DSWP]|(?<!\\)\.(?![^[]*\])/.test(source);

/** Whether a string may contain hidden characters after its checks. */
const isOpen = ({ checks = [] }: Definition): boolean =>
  !checks.some((check) => (check as unknown) === typedText) &&
  !checks.some(({ _zod: { def } }) => def.pattern && namesCharacters(def.pattern));

/** Adds the path of every open string of a schema. @throws Error for an unknown kind of schema. */
function walk({ _zod: { def } }: Schema, path: string, open: Set<string>): void {
  const into = (schema: Schema, name = "") => walk(schema, path + name, open);
  switch (def.type) {
    case "string":
      if (isOpen(def)) open.add(path);
      return;
    case "object":
      for (const [key, schema] of Object.entries(def.shape!)) into(schema, `.${key}`);
      if (def.catchall) into(def.catchall, ".*");
      return;
    case "array":
      return into(def.element!, "[]");
    case "union":
      return def.options!.forEach((schema) => into(schema));
    case "tuple":
      return def.items!.forEach((schema) => into(schema));
    case "record":
      into(def.keyType!, "{key}");
      return into(def.valueType!, "{}");
    case "pipe": {
      // only changed by code: judged by the form before or after
      if (def.in!._zod.def.type === "transform") return into(def.out!);
      if (def.out!._zod.def.type === "transform") return into(def.in!);
      const before = new Set<string>(), after = new Set<string>();
      walk(def.in!, path, before);
      walk(def.out!, path, after);
      for (const each of before.intersection(after)) open.add(each);
      return;
    }
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
    case "catch":
      return into(def.innerType!);
    default:
      assert.ok(
        ["number", "int", "boolean", "enum", "literal", "null", "never", "transform"]
          .includes(def.type),
        `${path}: ${def.type}`,
      );
  }
}

Deno.test("no request carries hidden characters into a printed text", () => {
  const open = new Set<string>(), schemas: [string, z.ZodMiniType][] = [["myPagePut", myPagePut]];
  for (const { query = {}, body = {} } of Object.values(ENDPOINTS)) {
    schemas.push(...Object.entries({ ...query, ...body }));
  }
  for (const [name, schema] of schemas) walk(schema as unknown as Schema, name, open);
  assert.deepEqual([...open].filter((path) => !(path in REVIEWED)).sort(), []);
  assert.deepEqual(Object.keys(REVIEWED).filter((path) => !open.has(path)), [], "no longer open");
});
