import { AppError } from "@/model/errors.ts";
import {
  capabilityStatement,
  FHIR_TYPES,
  type FhirType,
  readFhir,
  searchFhir,
} from "@/server/core/connections/service/fhir.ts";
import { type Routes, siteOf } from "@/server/core/http/app.ts";

const ROOT = "/api/v1/fhir", TYPE = ":type{[A-Za-z]{4,20}}";

/** Checks a FHIR resource type. @throws {AppError} `entity.not_found` for an unsupported type. */
function typeOf(text: string): FhirType {
  const type = FHIR_TYPES.find((one) => one === text);
  if (type) return type;
  throw new AppError("entity.not_found", "Cannot answer: there are no resources of this type");
}

const answer = (resource: unknown) =>
  new Response(JSON.stringify(resource), {
    headers: { "content-type": "application/fhir+json", "cache-control": "no-store" },
  });

/** HTTP routes that read and search FHIR R4 resources. */
export const fhirRoutes: Routes = (api, services) => {
  api.get(`${ROOT}/metadata`, (context) => {
    // shows no study, although this path also matches the route below, which shows studies
    context.set("shown", []);
    return answer(capabilityStatement());
  });
  api.get(`${ROOT}/${TYPE}`, async (context) => {
    const { req } = context,
      query = new URL(req.url).searchParams,
      type = typeOf(req.param("type"));
    const text = (...names: string[]) =>
      names.map((name) => query.get(name) ?? "").find((value) =>
        value !== "" && value.length <= 200
      );
    const { bundle, pids } = await searchFhir(services, type, {
      identifier: type === "Patient" ? undefined : text("identifier"),
      patientIdentifier: text(
        "patient.identifier",
        "subject.identifier",
        ...type === "Patient" ? ["identifier"] : [],
      ),
      reference: text("patient", "subject", "imaging-study"),
    }, siteOf(req.raw) + req.url.slice(new URL(req.url).origin.length));
    context.set("audited", pids);
    return answer(bundle);
  });
  api.get(`${ROOT}/${TYPE}/:id{[0-9-]{1,20}}`, async (context) => {
    const type = typeOf(context.req.param("type"));
    const { resource, pid } = await readFhir(services, type, context.req.param("id"));
    context.set("audited", [pid]);
    return answer(resource);
  });
};
