// The Nu HTML checker finds no error in any page. Needs Java.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fillPatients } from "@/server/commands/demo/demo_fill.ts";
import { createCore } from "@/server/core/mod.ts";
import { openSite } from "@/server/core/mod.ts";
import { createSite } from "@/server/edge/site.ts";

const VNU = fileURLToPath(new URL("./node_modules/vnu-jar/build/dist/vnu.jar", import.meta.url));
const JAVA = ["/usr/bin/java", "/usr/local/bin/java"].find(existsSync);
const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";
const PAGES = [
  "/login",
  "/",
  "/?page=2",
  "/viewer",
  "/viewer/1",
  "/report",
  "/report/1",
  "/status",
  "/help",
  "/help/site/pacs",
  "/password",
  "/second-factor",
  "/notices",
  "/bench",
  "/403",
  "/nowhere",
];

interface Message {
  type: string;
  subType?: string;
  message: string;
  extract?: string;
  url?: string;
}

/** Whether an error is wrong: this checker's release allows `blocking` only for stylesheets. */
const isNewer = ({ message, extract }: Message) =>
  message.startsWith("A “link” element with a “blocking” attribute must") &&
  extract?.includes('<link rel="expect" href="#page-end" blocking="render"/>');

/** Errors that the checker finds in the files of a folder. */
async function errorsOf(folder: string): Promise<string[]> {
  const { stderr } = await new Deno.Command(JAVA!, {
    args: ["-jar", VNU, "--format", "json", "--errors-only", "--skip-non-html", folder],
  }).output();
  const { messages } = JSON.parse(new TextDecoder().decode(stderr)) as { messages: Message[] };
  return messages.filter((each) => !isNewer(each)).map(({ url, message, extract }) =>
    `${url?.split("/").pop()}: ${message} ${extract ?? ""}`
  );
}

Deno.test({
  name: `the Nu HTML checker finds no error in any page${
    JAVA ? "" : " (skipped: java is not installed)"
  }`,
  ignore: !JAVA,
  fn: async () => {
    const dataDir = await Deno.makeTempDir(), folder = await Deno.makeTempDir();
    const db = await openSite({ dataDir });
    await fillPatients(db, dataDir, 30);
    await db.destroy();
    const core = await createCore({
      dataDir,
      workers: 0,
      adminEmail: EMAIL,
      adminPassword: PASSWORD,
    });
    const site = await createSite({ core, settings: { dataDir: null } });
    try {
      const send = async (path: string, init: RequestInit = {}) =>
        await site.fetch(new Request(`http://hospital.test${path}`, init));
      const signedIn = await send("/api/v1/auth/login", {
        method: "POST",
        headers: { origin: "http://hospital.test", "content-type": "application/json" },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
      });
      const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
      for (const language of ["en", "ko"]) {
        for (const path of PAGES) {
          const isOut = path === "/login";
          const answer = await send(path, {
            headers: {
              cookie: `language=${language}${isOut ? "" : `; ${cookie}`}`,
              accept: "text/html",
            },
          });
          const text = await answer.text();
          assert.ok(text.startsWith("<!"), `${path} answers ${answer.status} and no page`);
          const name = `${language}${path.replaceAll(/\W+/g, "_")}.html`;
          await Deno.writeTextFile(`${folder}/${name}`, text);
        }
      }
      assert.deepEqual(await errorsOf(folder), []);
    } finally {
      site.close();
      await core.close();
      for (const each of [dataDir, folder]) await Deno.remove(each, { recursive: true });
    }
  },
});
