// covers: D2-2.1, D2-4.1, D2-5.1
// Data that the server loads for the viewer's page.
import assert from "node:assert/strict";
import { QueryClient } from "@tanstack/react-query";
import { loader } from "@/routes/viewer/[pid].tsx";
import { otherCore, settingsOf } from "@/tests/viewer/viewer_site.ts";

const { link } = otherCore();
/** The page's data for a patient, from a core with these settings (`null`: without settings). */
const load = (pid: string, division: 3 | 4 | null) =>
  loader({
    url: new URL(`http://sulcus/viewer/${pid}`),
    params: { pid },
    language: "en",
    user: null,
    launchedFrom: "",
    cookie: () => undefined,
    pictures: null,
    queryClient: new QueryClient(),
    api: {
      origin: "http://sulcus",
      send: (request) =>
        division !== null && new URL(request.url).pathname === "/api/v1/settings"
          ? Promise.resolve(Response.json(settingsOf({ division })))
          : link.fetch(request),
    },
  });

// covers: D2-2.8
Deno.test("loader() takes the division from the reader's settings, and four where there are none", async () => {
  for (const [division, expected] of [[3, 3], [4, 4], [null, 4]] as const) {
    const data = await load("1", division);
    assert.equal("viewer" in data && data.viewer.settings.division, expected);
  }
});

Deno.test("loader() opens analysed studies alone, and no pid but a positive whole number", async () => {
  for (const [pid, message] of [["2", "beingAnalyzed"], ["6", "notAnalyzed"]] as const) {
    const { study, ...data } = await load(pid, 4) as { message: string; study: string };
    assert.deepEqual(data, { message });
    // a reader who came by a link sees whose study this is
    assert.match(study, /^.+ · .+ · \d{4}-\d{2}-\d{2}$/);
  }
  for (const pid of ["0", "-1", "1.5", "x", "", "99999999999999999999"]) {
    assert.deepEqual(await load(pid, 4), { message: "invalidPid" }, pid);
  }
});
