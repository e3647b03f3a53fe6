// The API as an OpenAPI 3.1 document, made from the table of calls.
import * as z from "zod/mini";
import { ACTIONS, ROLES } from "@/model/accounts/roles.ts";
import type { Endpoint, NamedSchemas } from "@/model/api/endpoint.ts";
import { ENDPOINT_GROUPS, ENDPOINTS } from "@/model/api/endpoints.ts";

type Json = Record<string, unknown>;

const PROBLEM_TYPE = "application/problem+json";
/** RFC 9457 problem details, as every refused call answers. */
const PROBLEM: Json = {
  type: "object",
  required: ["type", "status", "title", "code", "request_id"],
  properties: {
    type: { type: "string" },
    status: { type: "integer" },
    title: { type: "string" },
    code: { type: "string", description: "What went wrong, as a stable code" },
    details: { type: "object" },
    request_id: { type: "string", description: "Found in the server's log" },
  },
};

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** A route of Hono as a path of OpenAPI, with the patterns of the route's parameters. */
export function openApiPath(route: string): { path: string; patterns: Map<string, string | null> } {
  const patterns = new Map<string, string | null>();
  // a parameter's pattern may contain one level of braces
  const path = route.replace(
    /:(\w+)(?:\{((?:[^{}]|\{[^{}]*\})*)\})?/g,
    (_, name: string, pattern: string | undefined) => {
      patterns.set(name, pattern ?? null);
      return `{${name}}`;
    },
  );
  return { path, patterns };
}

/** Name for generated clients: `GET /api/v1/patients/{pid}/report` → `get_patients_pid_report`. */
const operationIdOf = (method: string, path: string): string =>
  [method, ...path.replace(/^\/api\/v1|^\/api/, "").split(/[^A-Za-z0-9]+/)]
    .filter((part) => part !== "").join("_");

/** Collects schemas of requests and responses, by name. */
function schemasOf(all: readonly (NamedSchemas | undefined)[], io: "input" | "output"): Json {
  const registry = z.registry<{ id: string }>();
  for (const schemas of all) {
    for (const [id, schema] of Object.entries(schemas ?? {})) {
      if (!registry.has(schema)) registry.add(schema, { id });
    }
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    // gives "any value" where JSON Schema cannot express a constraint
    unrepresentable: "any",
    uri: (id) => refTo(id).$ref as string,
  });
  // zod stores self-referring schemas in a separate document "__shared"
  const text = JSON.stringify(schemas).replaceAll("__shared#/", `${io}_shared/`)
    .replaceAll('"__shared"', `"${io}_shared"`);
  return withoutAddress(JSON.parse(text));
}

/** Removes address and dialect, which a schema within an OpenAPI document does not have. */
const withoutAddress = (schemas: Json): Json =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $id: _id, $schema: _dialect, ...keywords } = schema as Json;
      return [name, keywords];
    }),
  );

/** Parameters of a query in OpenAPI, from the properties of the query's schema. */
function queryParameters(query: NamedSchemas): Json[] {
  const [schema] = Object.values(query);
  const { properties = {}, required = [] } = z.toJSONSchema(schema!, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: property,
  }));
}

const contentOf = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

function responsesOf({ answer, file, status = 200 }: Endpoint): Json {
  const responses: Json = {};
  if (answer) {
    const schemas = Object.keys(answer).map(refTo);
    responses[status] = {
      description: "The answer",
      content: contentOf(
        ["application/json"],
        schemas.length === 1 ? schemas[0]! : { anyOf: schemas },
      ),
    };
  }
  if (file) {
    responses[200] = { description: "The file", content: contentOf(file, {}) };
  }
  if (!answer && !file) responses[204] = { description: "Done" };
  return {
    ...responses,
    default: {
      description: "The call was refused",
      content: contentOf([PROBLEM_TYPE], refTo("problem")),
    },
  };
}

function operationOf(tag: string, call: string, endpoint: Endpoint, isRead: Set<string>): Json {
  const [method, route] = call.split(" ") as [string, string];
  const { path, patterns } = openApiPath(route), { may, summary, query, body, takes } = endpoint;
  const parameters: Json[] = [...patterns].map(([name, pattern]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", ...(pattern === null ? {} : { pattern: `^${pattern}$` }) },
  }));
  if (query) parameters.push(...queryParameters(query));
  const content = {
    ...(body && contentOf(
      ["application/json"],
      refTo(inputName(Object.keys(body)[0]!, isRead)),
    )),
    ...(takes && contentOf(takes, {})),
  };
  return {
    operationId: operationIdOf(method.toLowerCase(), path),
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    responses: responsesOf(endpoint),
    ...(may === "public" ? { security: [] } : { "x-roles": rolesOf(may) }),
  };
}

const rolesOf = (may: Exclude<Endpoint["may"], "public">): readonly string[] =>
  ROLES.filter((role) => ACTIONS[may].includes(role as never));

/**
 * A response schema needs another form for a request body: fields with defaults are optional there.
 */
const inputName = (name: string, isRead: Set<string>): string =>
  isRead.has(name) ? `${name}Input` : name;

/** The OpenAPI 3.1 document of the API. @param version Of the program. */
export function openApiDocument(version: string): Json {
  const all = Object.values(ENDPOINTS);
  const answers = all.map(({ answer }) => answer), bodies = all.map(({ body }) => body);
  const isRead = new Set(answers.flatMap((schemas) => Object.keys(schemas ?? {})));
  const inputs = bodies.map((schemas) =>
    schemas && Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [inputName(name, isRead), schema]),
    )
  );
  const paths: Record<string, Json> = {};
  for (const [tag, endpoints] of Object.entries(ENDPOINT_GROUPS)) {
    for (const [call, endpoint] of Object.entries(endpoints)) {
      const [method, route] = call.split(" ") as [string, string];
      const { path } = openApiPath(route);
      const verb = endpoint.isHeadOnly ? "head" : method.toLowerCase();
      (paths[path] ??= {})[verb] = operationOf(tag, call, endpoint, isRead);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sulcus",
      version,
      description: "Analysis of brain MRI on site. Every call but the public ones needs a bearer " +
        "token: the access token of `POST /api/v1/auth/login`, or the key of a connected system.",
      license: { name: "See the page “About”" },
    },
    servers: [{ url: "/" }],
    tags: Object.keys(ENDPOINT_GROUPS).map((name) => ({ name })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        problem: PROBLEM,
        ...schemasOf(answers, "output"),
        ...schemasOf(inputs, "input"),
      },
    },
  };
}
