// Links from other systems: the first response, the sign-in, and the response after the sign-in.
// covers: S-131
import assert from "node:assert/strict";
import { openLink, sealLink } from "@/server/edge/session/launch.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { loginBody, openSite, signIn, TLS_PROXY } from "@/tests/sites/web_site.ts";
import { launchText } from "@/model/text/launch.ts";

const OTHER_SITE = { "sec-fetch-site": "cross-site", referer: "https://pacs.hospital.test:8443/" };
const INVOKE = "/IHEInvokeImageDisplay?requestType=STUDY&studyUID=1.2.3.1&patientID=P-1";

/** A site with studies 1.2.3.1 to 1.2.3.3 of P-1 to P-3. */
async function withStudies(
  body: (opened: Awaited<ReturnType<typeof openSite>>, dataDir: string) => Promise<void>,
) {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-launch-" });
  try {
    await using opened = await openSite(dataDir);
    await addStudies(dataDir, 3);
    await body(opened, dataDir);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** The address to which the first page redirects. */
async function nextOf(answer: Response): Promise<string> {
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'");
  assert.equal(answer.headers.get("set-cookie"), null);
  const html = await answer.text();
  // the page contains no value of the link, in particular no patient ID
  assert.doesNotMatch(html, /P-1|1\.2\.3|evil/);
  return /content="0;url=([^"]+)"/.exec(html)![1]!;
}

Deno.test("a ticket opens its link on its own page alone, unchanged and in time", () => {
  const link = { search: "?study=1.2.3", from: "pacs.test", expiresAt: 2000 };
  const ticket = sealLink("/viewer", link);
  assert.deepEqual(openLink("/viewer", ticket, 1999), link);
  assert.equal(openLink("/viewer", ticket, 2000), null);
  assert.equal(openLink("/report", ticket, 1999), null);
  for (const wrong of ["", "x", ticket.slice(1), `${ticket.slice(0, -3)}AAA`]) {
    assert.equal(openLink("/viewer", wrong, 1999), null, wrong);
  }
});

Deno.test("a link of another site goes on from a page of this site, and finds the session then", () =>
  withStudies(async (opened) => {
    const cookie = await signIn(opened);
    for (
      const [link, target] of [
        [INVOKE, "/viewer/1"],
        [`${INVOKE}&viewerType=REPORT`, "/report/1"],
        ["/viewer?study=1.2.3.2", "/viewer/2"],
        ["/report?study=1.2.3.2&patientID=P-2", "/report/2"],
        ["/IHEInvokeImageDisplay?requestType=PATIENT&patientID=P-3", "/viewer/3"],
      ] as const
    ) {
      // also for a browser that sends no Sec-Fetch-Site header, as over plain HTTP
      for (const headers of [OTHER_SITE, {}]) {
        const next = await nextOf(await opened.send(link, { headers }));
        const answer = await opened.send(next, {
          headers: { cookie, "sec-fetch-site": "same-origin" },
        });
        assert.equal(answer.status, 302);
        assert.equal(answer.headers.get("location"), target);
      }
    }
  }));

Deno.test("without a session one signs in first, and comes to the study", () =>
  withStudies(async (opened) => {
    const next = await nextOf(await opened.send(INVOKE, { headers: OTHER_SITE }));
    const answer = await opened.send(next, { headers: { "sec-fetch-site": "same-origin" } });
    const location = answer.headers.get("location")!;
    assert.equal(location, `/login?next=${encodeURIComponent(next)}`);
    // identity providers accept addresses of this length
    assert.ok(next.length < 2000, String(next.length));
    const cookie = await signIn(opened);
    const after = await opened.send(next, { headers: { cookie } });
    assert.equal(after.headers.get("location"), "/viewer/1");
    // if the session has expired, the address of the sign-in page contains no patient ID
    const ended = await opened.send(INVOKE, { headers: { cookie: "sulcus_session=made-up" } });
    assert.match(
      ended.headers.get("location")!,
      /^\/login\?next=%2FIHEInvokeImageDisplay%3Fsulcus_link%3D/,
    );
    assert.doesNotMatch(ended.headers.get("location")!, /P-1/);
  }));

Deno.test("the longest link keeps its way through a sign-in", () =>
  withStudies(async (opened) => {
    const longest = `${INVOKE}&x=`.padEnd("/IHEInvokeImageDisplay".length + 1000, "x");
    const next = await nextOf(await opened.send(longest, { headers: OTHER_SITE }));
    assert.ok(next.length < 2000, String(next.length));
    assert.equal((await opened.send(`${longest}x`, { headers: OTHER_SITE })).status, 400);
  }));

Deno.test("a launch is logged with the host of the link, which nobody else can say", () =>
  withStudies(async (opened, dataDir) => {
    const cookie = await signIn(opened);
    const next = await nextOf(await opened.send(INVOKE, { headers: OTHER_SITE }));
    await opened.send(next, { headers: { cookie } });
    // requests that already contain the session cookie
    await opened.send(INVOKE, { headers: { cookie, referer: "https://ris.hospital.test/list" } });
    await opened.send(INVOKE, { headers: { cookie } });
    // the header that only the edge may set is ignored
    await opened.send("/api/v1/launch", {
      method: "POST",
      body: JSON.stringify({ study_uids: ["1.2.3.1"] }),
      headers: {
        cookie,
        origin: "http://hospital.test",
        "content-type": "application/json",
        "x-sulcus-launched-from": "made.up",
      },
    });
    // a program is not the edge; an edge on another machine is trusted like a proxy
    const signedIn = await opened.send("/api/v1/auth/login", {
      ...loginBody(),
      headers: { "content-type": "application/json" },
    });
    const { access_token } = await signedIn.json();
    for (const address of ["10.0.0.7", TLS_PROXY]) {
      const init = {
        method: "POST",
        body: JSON.stringify({ study_uids: ["1.2.3.1"] }),
        headers: {
          authorization: `Bearer ${access_token}`,
          "content-type": "application/json",
          "x-sulcus-launched-from": "pacs.elsewhere.test",
        },
      };
      await opened.send("/api/v1/launch", init, address);
    }
    const db = await openBeside(dataDir);
    const rows = await db.selectFrom("audit").select(["pid", "details"])
      .where("event", "=", "study.launch").orderBy("seq").execute();
    await db.destroy();
    const origins = rows.map(({ pid, details }) => [pid, JSON.parse(details!).origin]);
    assert.deepEqual(origins, [
      [1, "pacs.hospital.test:8443"],
      [1, "ris.hospital.test"],
      [1, "launch"],
      [1, "launch"],
      [1, "launch"],
      [1, "pacs.elsewhere.test"],
    ]);
  }));

Deno.test("a bad link is refused in words, in both languages, without signing in and without its values", () =>
  withStudies(async ({ send }) => {
    const cases = [
      ["/IHEInvokeImageDisplay", "requestType"],
      ["/IHEInvokeImageDisplay?requestType=STUDY&studyUID=evil", "studyUID"],
      [`${INVOKE}&patientID=P-1`, "patientID"],
      ["/viewer?study=%00evil", "study"],
      ["/viewer?study=1.2.3.1&amp;patientID=evil", "patientID"],
      ["/viewer?study=1.2.3.1&%20patientID%3Devil=1", "patientID"],
      ["/report?study=<script>evil</script>", "study"],
      [`/viewer?study=1&x=${"evil".repeat(300)}`, "1000"],
    ] as const;
    for (const [path, field] of cases) {
      for (
        const [language, words] of [["en", launchText.badLink.en], [
          "ko",
          "링크를 열 수 없습니다.",
        ]] as const
      ) {
        const answer = await send(path, {
          headers: { ...OTHER_SITE, "accept-language": language },
        });
        const html = await answer.text();
        assert.equal(answer.status, 400, path);
        assert.ok(html.includes(words) && html.includes(field), `${path} ${language}`);
        assert.doesNotMatch(html, /evil/);
      }
    }
    const expired = await send("/viewer?sulcus_link=made-up");
    assert.equal(expired.status, 400);
    assert.match(await expired.text(), /no longer valid/);
  }));

Deno.test("a link never leads off this site", () =>
  withStudies(async ({ send }) => {
    for (const path of ["//evil.test/viewer?study=1.2.3", "/\\evil.test/viewer?study=1.2.3"]) {
      const answer = await send(path, { headers: OTHER_SITE });
      assert.doesNotMatch(await answer.text(), /url=/);
    }
    const next = await nextOf(
      await send("/viewer?study=1.2.3&next=//evil.test", { headers: OTHER_SITE }),
    );
    assert.match(next, /^\/viewer\?sulcus_link=[\w-]+$/);
  }));

Deno.test("a launch of SMART on FHIR in the address of a page or link has no effect", () =>
  withStudies(async (opened) => {
    const headers = { cookie: await signIn(opened) }, iss = "iss=https%3A%2F%2Fehr.test%2Ffhir";
    // of the form of a ticket too
    const launches = [
      "abc",
      "1.2.3",
      "",
      sealLink("/else", { search: "", from: "", expiresAt: 1 }),
    ];
    for (const launch of launches) {
      const foreign = `launch=${launch}&${iss}`;
      for (const page of ["/viewer", "/viewer/1", "/report/1"]) {
        const { status } = await opened.send(`${page}?${foreign}`, { headers });
        assert.equal(status, 200, `${page} ${launch}`);
      }
      for (const link of [INVOKE, "/viewer?study=1.2.3.1", "/report/1?patientID=P-1"]) {
        const answer = await opened.send(`${link}&${foreign}`, { headers });
        assert.equal(answer.status, 302, `${link} ${launch}`);
        const first = await opened.send(`${link}&${foreign}`, { headers: OTHER_SITE });
        const next = await opened.send(await nextOf(first), { headers });
        assert.equal(next.headers.get("location"), answer.headers.get("location"));
      }
    }
  }));

Deno.test("pages by a study's number are found by links of other sites too, and once", () =>
  withStudies(async (opened) => {
    const cookie = await signIn(opened);
    const first = await opened.send("/report/1", { headers: OTHER_SITE });
    assert.equal(first.status, 200);
    assert.match(await first.text(), /content="0;url=\/report\/1"/);
    const signedOut = await opened.send("/report/1", {
      headers: { "sec-fetch-site": "same-origin" },
    });
    assert.equal(signedOut.headers.get("location"), "/login?next=%2Freport%2F1");
    const signedIn = await opened.send("/report/1", { headers: { cookie } });
    assert.equal(signedIn.status, 200);
    // other pages still require a session cookie in the first request
    const worklist = await opened.send("/", { headers: OTHER_SITE });
    assert.equal(worklist.headers.get("location"), "/login");
  }));

Deno.test("a link that opens nothing says why, with a status for programs", () =>
  withStudies(async (opened) => {
    const headers = { cookie: await signIn(opened) };
    const invoke = "/IHEInvokeImageDisplay?requestType=STUDY";
    const wrong = await opened.send(`${invoke}&studyUID=1.2.3.1&patientID=P-2`, { headers });
    const wrongText = await wrong.text();
    assert.equal(wrong.status, 409);
    assert.match(wrongText, /do not match/);
    // both patient IDs are shown, and no link that opens the study
    assert.ok(wrongText.includes(">P-1<") && wrongText.includes(">P-2<"));
    assert.doesNotMatch(wrongText, /href="\/(viewer|report)\//);
    const none = await opened.send(`${invoke}&accessionNumber=A-9`, { headers });
    assert.equal(none.status, 404);
    assert.match(await none.text(), /data-island="LaunchFetch"/);
    const several = await opened.send(`${invoke}&studyUID=1.2.3.1,1.2.3.2,1.2.3.9`, { headers });
    const text = await several.text();
    assert.equal(several.status, 200);
    for (
      const part of [
        "Name 1",
        "P-2",
        "1960-05-20",
        "2026-01-05",
        'href="/viewer/2"',
        'href="/report/1"',
      ]
    ) {
      assert.ok(text.includes(part), part);
    }
    assert.match(text, /birth date differs/);
    assert.match(text, /1 study in the link is not stored in Sulcus/);
  }));

Deno.test("a refusal shows the patient ID as the link sent it, and marks what differs alone", () =>
  withStudies(async (opened, dataDir) => {
    const headers = { cookie: await signIn(opened) };
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ accession_number: "A-2" }).where("pid", "=", 2)
      .execute();
    await db.destroy();
    const link = "/IHEInvokeImageDisplay?requestType=STUDY&studyUID=1.2.3.1";
    const caret = await opened.send(`${link}&patientID=P-1%5E7`, { headers });
    assert.equal(caret.status, 409);
    assert.match(await caret.text(), />P-1\^7<.*text-red-700">P-1</);
    // an authority that the site does not know is marked
    const authority = await opened.send(
      `${link}&patientID=P-1%5E%5E%5EHOSP&accessionNumber=A-2`,
      { headers },
    );
    assert.match(await authority.text(), /text-red-700">P-1\^\^\^HOSP</);
    const number = "&patientID=P-1&accessionNumber=A-2";
    for (const more of ["", "&viewerType=REPORT"]) {
      const answer = await opened.send(link + number + more, { headers });
      const text = await answer.text();
      assert.equal(answer.status, 409);
      assert.ok(text.includes(launchText.otherAccession.en));
      assert.match(text, /text-red-700">A-2<.*text-red-700">-</);
      // the ID agrees
      assert.match(text, />P-1</);
      assert.doesNotMatch(text, /text-red-700">P-1/);
      assert.doesNotMatch(text, /href="\/(viewer|report)\//);
    }
    for (const address of ["/viewer?study=1.2.3.1&", "/viewer/1?", "/report/1?"]) {
      const answer = await opened.send(`${address}accessionNumber=A-2`, { headers });
      assert.equal(answer.status, 409, address);
      const unknown = await opened.send(`${address}accessionNumber=A-7`, { headers });
      assert.equal(unknown.status, 302, address);
    }
  }));

Deno.test("the viewer and report find a study by accession number or patient, too", () =>
  withStudies(async (opened, dataDir) => {
    const headers = { cookie: await signIn(opened) };
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ accession_number: "A-2" }).where("pid", "=", 2)
      .execute();
    await db.destroy();
    for (const page of ["viewer", "report"]) {
      for (
        const [search, status, location] of [
          ["patientID=P-3", 302, "3"],
          ["accessionNumber=A-2", 302, "2"],
          ["accessionNumber=A-2&patientID=P-2", 302, "2"],
          ["accessionNumber=A-2&patientID=P-1", 409, null],
          ["patientID=P-9", 404, null],
          ["accessionNumber=A-9", 404, null],
          ["patientBirthDate=19600520", 400, null],
          ["patientID=", 400, null],
        ] as const
      ) {
        const answer = await opened.send(`/${page}?${search}`, { headers });
        assert.equal(answer.status, status, search);
        const expected = location === null ? null : `/${page}/${location}`;
        assert.equal(answer.headers.get("location"), expected);
      }
    }
  }));

Deno.test("a patient without a study in the link's dates is told from one without studies", () =>
  withStudies(async (opened) => {
    const headers = { cookie: await signIn(opened) };
    const link = "/IHEInvokeImageDisplay?requestType=PATIENT&patientID=P-1";
    const cases = [
      ["&lowerDateTime=20270101", 404, launchText.noDate.en],
      ["&modalitiesInStudy=CT", 404, launchText.noModality.en],
      ["9", 404, launchText.none.en],
      ["&lowerDateTime=20260102&upperDateTime=20260101", 400, "later than the date in"],
    ] as const;
    for (const [more, status, words] of cases) {
      const answer = await opened.send(link + more, { headers });
      assert.equal(answer.status, status, more);
      assert.ok((await answer.text()).includes(words), more);
    }
  }));

Deno.test("a UID or patient beside a study's number opens the study only if all agree", () =>
  withStudies(async (opened, dataDir) => {
    const cookie = await signIn(opened);
    const db = await openBeside(dataDir);
    await db.updateTable("patients").set({ accession_number: "A-1" }).where("pid", "=", 1)
      .execute();
    await db.destroy();
    for (const page of ["viewer", "report"]) {
      for (
        const agreeing of [
          "study=1.2.3.1",
          "patientID=P-1",
          "accessionNumber=A-1",
          "study=1.2.3.1&patientID=P-1&accessionNumber=A-1&tab=t1",
        ]
      ) {
        for (const headers of [{ cookie }, OTHER_SITE]) {
          let answer = await opened.send(`/${page}/1?${agreeing}`, { headers });
          if (!("cookie" in headers)) {
            answer = await opened.send(await nextOf(answer), { headers: { cookie } });
          }
          assert.equal(answer.status, 302, agreeing);
          const view = agreeing.includes("tab") ? "?tab=t1" : "";
          assert.equal(answer.headers.get("location"), `/${page}/1${view}`);
        }
      }
      for (
        const [other, shown] of [
          ["study=1.2.3.2", ["1.2.3.2", "1.2.3.1", "P-1"]],
          ["study=1.2.9", ["1.2.9", "1.2.3.1"]],
          ["patientID=P-2", ["P-2", "P-1"]],
          ["study=1.2.3.1&patientID=P-2", ["P-2", "P-1"]],
          ["patientBirthDate=19000101", ["1900-01-01", "1960-05-20"]],
          ["study=1.2.3.1&accessionNumber=A-2", ["A-2", "A-1"]],
        ] as const
      ) {
        const answer = await opened.send(`/${page}/1?${other}`, { headers: { cookie } });
        const text = await answer.text();
        assert.equal(answer.status, 409, other);
        assert.match(text, /do not match/);
        for (const value of shown) assert.ok(text.includes(`>${value}<`), `${other} ${value}`);
        // the patient of the study with the UID is not named, and no study can be opened
        assert.doesNotMatch(text, /Name 2|href="\/(viewer|report)\/\d|data-island="(Slice|Report)/);
      }
      for (
        const [bad, field] of [
          ["study=", "study"],
          ["study=1.2.3.1,1.2.3.2", "study"],
          ["amp;patientID=P-1", "patientID"],
          ["studyUID=1.2.3.1", "studyUID"],
          ["StudyInstanceUID=1.2.3.1", "study"],
          ["user=kim;patientID=P-2", "patientID"],
          ["tab=t1;study=1.2.3.2", "study"],
          ["user=kim,patientID%3DP-2", "patientID"],
          ["patientID=P-1&mrn=P-2", "mrn"],
          ["pid=P-2", "patientID"],
        ]
      ) {
        const answer = await opened.send(`/${page}/1?${bad}`, { headers: { cookie } });
        const text = await answer.text();
        assert.equal(answer.status, 400, bad);
        assert.ok(text.includes(`“${field}”`), bad);
      }
      // without a study of this number, the study UID in the link opens no study
      const none = await opened.send(`/${page}/99999999999?study=1.2.3.1`, { headers: { cookie } });
      assert.notEqual(none.status, 500);
      assert.doesNotMatch(await none.text(), /P-1/);
    }
  }));
