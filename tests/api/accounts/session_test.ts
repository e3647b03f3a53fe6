import assert from "node:assert/strict";
import { issueTicket, login, logout, refresh } from "@/client/api/accounts/auth.ts";
import { getAudit } from "@/client/api/site/audit.ts";
import { call, requestOf } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { getStatus } from "@/client/api/site/status.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { coreTest, EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";

// covers: D1-4.1, D1-6.1, D1-7.3
coreTest(
  "the API tells who is signed in, and lets nobody in without a token",
  async ({ api, open }) => {
    assert.deepEqual(await getUser(api), {
      user_id: 1,
      permission_list: ["maintenance"],
      role: "administrator",
      email: EMAIL,
      name: "Administrator",
    });
    for (
      const path of [
        "/api/v1/user",
        "/api/v1/patients",
        "/api/v1/patients/1",
        "/api/v1/no/such/call",
      ]
    ) {
      await assert.rejects(call(open, path), { code: "token.missing" }, path);
      await assert.rejects(call({ ...open, token: "x" }, path), { code: "token.revoked" }, path);
    }
    await assert.rejects(call(api, "/api/v1/no/such/call"), { code: "entity.not_found" });
  },
);

// covers: D1-7.2
coreTest(
  "a session is refreshed, opens a socket by ticket, and ends with logout",
  async ({ core, open }) => {
    const first = await login(open, { email: EMAIL, password: PASSWORD });
    const next = await refresh(open, first.refresh_token);
    const api = { ...open, token: next.access_token };
    const { ticket, expires_in } = await issueTicket(api);
    assert.equal(expires_in, 60);
    assert.equal((await core.verifyToken(ticket))?.uid, 1);
    assert.equal(await core.verifyToken(ticket), null);
    await logout(api);
    await logout(api);
    await assert.rejects(getUser(api), { code: "token.revoked" });
    await assert.rejects(refresh(open, next.refresh_token!), { code: "token.revoked" });
  },
);

coreTest(
  "a second sign-in tells the first one's tabs that they must leave",
  async ({ core, api, open, events }) => {
    const { sid } = (await core.verifyToken(api.token!))!;
    await login(open, { email: EMAIL, password: PASSWORD });
    assert.deepEqual(events, [{
      event: { event: "auth_multi_login", uid: 1, sid },
      audience: { uid: 1 },
    }]);
  },
);

coreTest(
  "an error is problem details with a code and the request's id, and no text of the error",
  async ({ core }) => {
    const response = await core.fetch(
      new Request("http://core/api/v1/auth/login", {
        method: "POST",
        headers: { "x-request-id": "my-request-17", "content-type": "application/json" },
        body: JSON.stringify({ email: "nobody@x.org", password: "wrong" }),
      }),
    );
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.equal(response.headers.get("x-request-id"), "my-request-17");
    assert.deepEqual(await response.json(), {
      type: "about:blank",
      status: 401,
      title: "auth.invalid",
      code: "auth.invalid",
      request_id: "my-request-17",
    });
  },
);

// covers: D1-7.7
coreTest("the status says how full the disk is", async ({ api }) => {
  const { disk_usage, disk_warn, disk_error } = await getStatus(api);
  assert.ok(disk_usage > 0 && disk_usage <= 100, String(disk_usage));
  assert.deepEqual([disk_warn, disk_error], [80, 95]);
});

coreTest("the status, which everybody may ask for, tells no version", async ({ open }) => {
  const answer = await open.send(requestOf(open, "/api/v1/status"));
  assert.deepEqual(Object.keys(await answer.json()), [
    "disk_usage",
    "disk_warn",
    "disk_error",
    "cert_type",
  ]);
});

coreTest(
  "numbers of studies that are none are refused, and leave the audit log readable",
  async ({ api }) => {
    for (const pid of [2 ** 53, 1e300, 1.5, 0, -1]) {
      const json = { pid_list: [pid] };
      await assert.rejects(call(api, "/api/v1/analyses", { method: "POST", json }), {
        code: "input.invalid",
      });
    }
    assert.ok((await getAudit(api, { event: "analysis.start" })).total > 0);
  },
);

coreTest("no odd request gets a 5xx answer", async ({ core, api }) => {
  const authorization = `Bearer ${api.token}`;
  const paths = [
    "/",
    "/api/v1/patients/0",
    "/api/v1/patients/99999999999999999999",
    "/api/v1/patients/1e3",
    "/api/v1/patients/%00",
    "/api/v1/patients/%F0%9F%A7%A0/history",
    "/api/v1/patients?page_idx=0",
    "/api/v1/patients?page_size=1000000",
    "/api/v1/patients?page_idx=99999999999999999999",
    "/api/v1/patients?sort_key=pid;drop",
    "/api/v1/patients?search_string=%25_%5C'%22%00&sort_direction=asc",
    "/api/v1/patients?__proto__=1&constructor=2",
    "/api/v1/patients/image/viewer/1",
    "/api/v1/patients/image/viewer/1?file=../../etc/passwd",
    "/api/v1/patients/image/viewer/..%2f..%2fetc?file=t1w_file",
    "/api/v1/patients/7/volume",
    "/api/v1/auth/login",
    "/api/v1/analyses",
  ];
  const headers = { authorization, "content-type": "application/json" };
  const bodies = [
    undefined,
    "",
    "{",
    "null",
    "[]",
    '{"pid_list":"1"}',
    '{"pid_list":[1.5,-1,null]}',
    '{"pid_list":[]}',
    '{"pid_list":[999]}',
    '{"email":1}',
    "\xff\xfe",
    `{"email":"${"x".repeat(2_000_000)}"}`,
  ];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"]) {
      const allowed = method === "GET" || method === "HEAD" ? [undefined] : bodies;
      for (const body of allowed) {
        const request = new Request(`http://core${path}`, { method, body, headers });
        const response = await core.fetch(request);
        await response.body?.cancel();
        const what = `${method} ${path} ${body?.slice(0, 30)}`;
        assert.ok(response.status < 500, `${what}: ${response.status}`);
        assert.ok(response.headers.has("x-request-id"), what);
      }
    }
  }
  assert.equal((await listPatients(api)).total, 0);
});
