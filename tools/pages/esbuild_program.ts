// Prints the path of the esbuild executable, the only program that a build may start. `deno task
// start` calls this script.
import { createRequire } from "node:module";

const { os, arch } = Deno.build;
const platform = `${os === "windows" ? "win32" : os}-${arch === "aarch64" ? "arm64" : "x64"}`;
const esbuild = createRequire(createRequire(import.meta.url).resolve("esbuild/package.json"));
const program = os === "windows" ? "esbuild.exe" : "bin/esbuild";
Deno.stdout.writeSync(new TextEncoder().encode(esbuild.resolve(`@esbuild/${platform}/${program}`)));
