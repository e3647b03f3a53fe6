// The OpenAPI document in use: checked by a public validator, and by a client generated from it.
// covers: S-132
import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OpenAPIClientAxios } from "openapi-client-axios";
import { createSite } from "@/server/edge/site.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

/** A method of the generated client, named after the operation. */
type Call = (parameters?: object | null, body?: unknown, config?: object) => Promise<{
  // deno-lint-ignore no-explicit-any
  data: any;
  status: number;
}>;

Deno.test({
  name: "a client made from /api/openapi.json signs in, uploads, waits and reads a result",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withCore(async ({ core }) => {
      const site = await createSite({ core, settings: { dataDir: null } });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const baseURL = `http://127.0.0.1:${server.addr.port}`;
      try {
        const login = await fetch(`${baseURL}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
        });
        const { access_token } = await login.json();
        const headers = { authorization: `Bearer ${access_token}` };
        const described = await fetch(`${baseURL}/api/openapi.json`, { headers });
        assert.equal(described.status, 200);
        const document = await described.json();

        const { valid, errors } = await new Validator().validate(structuredClone(document));
        assert.ok(valid, String(JSON.stringify(errors)));

        const api = new OpenAPIClientAxios({
          definition: document,
          axiosConfigDefaults: { baseURL, headers, adapter: "fetch" },
          withServer: { url: baseURL },
        });
        const client = await api.init() as unknown as Record<string, Call>;
        const signedIn = await client.post_auth_login!(null, { email: EMAIL, password: PASSWORD });
        headers.authorization = `Bearer ${signedIn.data.access_token}`;
        const asked = { headers };

        const form = new FormData();
        for (const { fileName, bytes } of phantomSeries("whole", "API-1")) {
          form.append("dicom_files", new Blob([bytes]), fileName);
        }
        const uploaded = await client.post_patients!(null, form, {
          headers: { ...headers, "content-type": "multipart/form-data" },
        });
        const [pid] = uploaded.data.pid_list;
        assert.equal(typeof pid, "number");

        let study: { t1_analysis_status: string; patient_id: string } | undefined;
        await until(async () => {
          study = (await client.get_patients_pid!({ pid }, null, asked)).data;
          return study!.t1_analysis_status === "completed";
        });
        assert.equal(study!.patient_id, "API-1");
        const list = await client.get_patients!({ search_string: "API-1" }, null, asked);
        assert.deepEqual(list.data.patients.map((row: { pid: number }) => row.pid), [pid]);
        const report = await client.get_patients_pid_report!({ pid, type: "t1" }, null, asked);
        assert.ok(JSON.stringify(report.data).includes("API-1"));

        const refused = await client.get_patients_pid!({ pid: 999 }, null, {
          ...asked,
          validateStatus: () => true,
        });
        assert.deepEqual([refused.status, refused.data.code], [404, "entity.not_found"]);
      } finally {
        site.close();
        await server.shutdown();
      }
    }, { workers: 1 }),
});
