// deno task release [--out FOLDER] [--key PRIVATE.pem] [--maker "NAME <ADDRESS>"] [--folder-only] [--no-image]
// [--package-version TEXT]:
// Builds the installation files of a release, in ./release by default: the folder `sulcus`, ready
// to run, and as packages a Debian package, an OCI image and signed checksums.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { VERSION } from "@/server/core/site/service/status.ts";
import { makeFolder } from "@/tools/release/folder.ts";
import { makeDeb, makeImage, makerOf, signSums, writeSums } from "@/tools/release/packages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const valueOf = (name: string) => {
  const at = Deno.args.indexOf(name);
  return at < 0 ? undefined : Deno.args[at + 1];
};

const out = resolve(valueOf("--out") ?? "release"),
  folder = `${out}/sulcus`,
  key = valueOf("--key"),
  named = valueOf("--maker"),
  maker = named === undefined ? undefined : makerOf(named);
const started = performance.now();
await Deno.remove(out, { recursive: true }).catch(() => {/* there was none */});
const packages = await makeFolder(ROOT, folder);
await writeSums(folder);
say(`${folder}: ${packages.length} packages in it`);
if (!Deno.args.includes("--folder-only")) {
  const version = valueOf("--package-version") ?? VERSION;
  say(await makeDeb(folder, out, version, maker));
  if (!Deno.args.includes("--no-image")) say(await makeImage(folder, out, version, maker));
  if (maker === undefined) say('No maker in the packages: --maker "NAME <ADDRESS>" is missing');
}
await writeSums(out);
if (key === undefined) {
  say("Not signed: --key PRIVATE.pem is missing (openssl genpkey -algorithm ed25519 makes one)");
} else await signSums(out, key);
say(`Done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
await esbuild.stop();
