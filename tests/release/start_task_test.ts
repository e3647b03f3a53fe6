// covers: S-116
// The README's commands in a checkout with only the tracked files.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const hasGit = existsSync(join(ROOT, ".git"));

async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Paths that are not in a checkout. */
const MADE_LATER = [
  // packages, at the top and for the tests
  /^(tests\/)?node_modules$/,
  // the path of a permission test, which must not be accessible
  /^server\/commands\/start\/probe$/,
  // scans for developers; tests that need them are skipped
  /^\.\.\//,
];

Deno.test({
  name: "each path that a program names beside itself is in the checkout",
  ignore: !hasGit,
  fn: async () => {
    const files = (await git("ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx"))
      .trim().split("\n").filter((file) => existsSync(join(ROOT, file)));
    const missing: string[] = [];
    for (const file of files) {
      const source = readFileSync(join(ROOT, file), "utf8")
        .replaceAll(/^\s*(\/\/|\/?\*).*$/gm, "");
      const paths = source.matchAll(
        /new URL\(\s*["`](\.{1,2}\/[^"`$]*)[^"`]*["`],\s*import\.meta/g,
      );
      for (const [, path] of paths) {
        const target = join(dirname(file), path!).replace(/\/$/, "");
        if (existsSync(join(ROOT, target)) && !target.endsWith("node_modules")) continue;
        if (!MADE_LATER.some((pattern) => pattern.test(target))) missing.push(`${file}: ${path}`);
      }
    }
    assert.deepEqual(missing, []);
  },
});

Deno.test("each program that a task starts is in the checkout", () => {
  const { tasks } = JSON.parse(readFileSync(join(ROOT, "deno.json"), "utf8")) as {
    tasks: Record<string, string>;
  };
  const programs = Object.values(tasks).flatMap((task) =>
    [...task.matchAll(/[\w./]+\.(?:ts|sh)\b/g)].map(([path]) => path)
  );
  assert.ok(programs.length > 20);
  assert.deepEqual(programs.filter((path) => !existsSync(join(ROOT, path))), []);
});

Deno.test({
  name: '"deno task start" serves from a checkout without packages, with the permissions it gives',
  ignore: !hasGit || Deno.build.os !== "linux",
  fn: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sulcus-checkout-"));
    try {
      const files = (await git("ls-files", "-co", "--exclude-standard")).trim().split("\n")
        .filter((file) => existsSync(join(ROOT, file)));
      for (const file of files) {
        Deno.mkdirSync(join(folder, dirname(file)), { recursive: true });
        Deno.copyFileSync(join(ROOT, file), join(folder, file));
      }
      const process = new Deno.Command(Deno.execPath(), {
        args: ["task", "start"],
        cwd: folder,
        env: {
          SULCUS_DATA_DIR: join(folder, "site"),
          SULCUS_PORT: "0",
          SULCUS_DISK_WARN: "100",
          SULCUS_DISK_ERROR: "100",
        },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const address = Promise.withResolvers<string>();
      let output = "";
      const readings = [process.stdout, process.stderr].map(async (stream) => {
        for await (const text of stream.pipeThrough(new TextDecoderStream())) {
          output += text;
          const url = /Sulcus serves (http:\/\/\S+)/.exec(output)?.[1];
          if (url !== undefined) address.resolve(url);
        }
      });
      void process.status.then(() => address.reject(new Error(`It has ended: ${output}`)));
      try {
        const answer = await fetch(`${await address.promise}/login`);
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /<form/);
      } finally {
        // signals the task's child, the launcher, which forwards the signal
        await new Deno.Command("pkill", { args: ["-TERM", "-P", String(process.pid)] }).output();
        await Promise.all([process.status, ...readings]);
      }
      assert.match(output, /Installing the packages/);
      assert.match(output, /password/i);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
