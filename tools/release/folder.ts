// Folder of a release that runs without network and node_modules: bundled programs, data files,
// Deno, and the start command.
import { dirname, join } from "node:path";
import { VERSION } from "@/server/core/site/service/status.ts";
import { MIN_DENO_VERSION, runtimeProblem } from "@/server/commands/check_runtime.ts";
import { bundlePrograms } from "@/tools/release/bundle.ts";
import { makeEngine } from "@/tools/release/engine.ts";
import { copyTexts } from "@/tools/release/texts.ts";
import { trace, traceDocument } from "@/tools/coverage/trace.ts";
import { writeSbom } from "@/tools/supply/sbom.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";

/** Files that the programs read at run time: folders, each with patterns of the files to copy. */
const READ: readonly [folder: string, names: RegExp][] = [
  ["static", /./],
  ["wasm/pkg/engine", /\.wasm$/],
  ["wasm/pkg/kernels", /\.wasm$/],
  ["server/core/engine/atlas", /./],
  ["server/core/engine/models", /./],
  ["server/core/database/migrations", /\.sql$/],
  ["server/core/accounts/service", /\.txt$/],
  ["report/pdf/fonts", /./],
  ["docs/manual", /./],
  ["docs/terms", /./],
];
export const UNSTABLE = ["no-legacy-abort", "worker-options"];

/**
 * Start script with the permissions of `deno task start`: the launcher may start only Deno and
 * restricts the processes it starts. Settings come from a file that an administrator edits;
 * environment variables that are already set take precedence.
 */
export const COMMAND = `#!/bin/sh
set -e
here=$(dirname "$(readlink -f "$0")")
settings=\${SULCUS_SETTINGS:-/etc/sulcus/sulcus.env}
# an administrator's commands leave nothing behind that the service cannot read
if [ "$(id -u)" = 0 ] && [ -e "$here/installed" ] && id sulcus >/dev/null 2>&1; then
  # the doctor sees what the service sees: its user, and low ports where its unit may use them
  ports=
  if [ "\${1:-}" = doctor ] &&
    systemctl show --property=AmbientCapabilities --value sulcus.service 2>/dev/null | grep -q cap_net_bind_service; then
    ports="--inh-caps=+net_bind_service --ambient-caps=+net_bind_service"
  fi
  # shellcheck disable=SC2086 # two options or none
  exec setpriv --reuid=sulcus --regid=sulcus --init-groups $ports -- "$0" "$@"
fi
# no program starts in a folder that this user may not enter, such as root's home
[ -x . ] || cd /
# a name that is set twice has its last value, as systemd reads the same file
if [ -r "$settings" ]; then
  of_file=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in [A-Z]*=*)
      name=\${line%%=*}
      case $name in *[!A-Z0-9_]*) continue;; esac
      eval "known=\\\${$name+set}"
      case " $of_file " in *" $name "*) known=;; esac
      [ -n "$known" ] || { of_file="$of_file $name"; export "$name=\${line#*=}"; };;
    esac
  done < "$settings"
fi
export DENO_NO_UPDATE_CHECK=1 DENO_DIR="\${DENO_DIR:-\${SULCUS_CACHE_DIR:-\${TMPDIR:-/tmp}/sulcus-cache-$(id -u)}}"
unset SULCUS_SETTINGS SULCUS_CACHE_DIR
# the launcher starts Deno and nothing else; an administrator's command copies databases, which SQLite does with all rights
case \${1:-start} in start | worker) rights="--allow-read --allow-write --allow-env";; *) rights=-A;; esac
if [ "$rights" = -A ]; then run=; else run="--allow-run=$here/deno"; fi
exec "$here/deno" run --no-check --cached-only --no-prompt --quiet --config "$here/app/deno.json" \\
  $rights \${run:+"$run"} "$here/app/main.ts" "$@"
`;

async function copyRead(root: string, app: string): Promise<void> {
  for (const [folder, names] of READ) {
    for await (const file of filesUnder(join(root, folder))) {
      const path = file.slice(root.length + 1);
      if (!names.test(path)) continue;
      await Deno.mkdir(join(app, dirname(path)), { recursive: true });
      await Deno.copyFile(file, join(app, path));
    }
  }
  await copyTexts(root, app);
  const dcm2niix = join(root, "node_modules/@niivue/dcm2niix/dist");
  await Deno.mkdir(join(app, "vendor/dcm2niix"), { recursive: true });
  for (const name of ["dcm2niix.jpeg.js", "dcm2niix.jpeg.wasm"]) {
    await Deno.copyFile(join(dcm2niix, name), join(app, "vendor/dcm2niix", name));
  }
  await Deno.mkdir(join(app, "vendor/codecs"), { recursive: true });
  for (const codec of ["charls", "openjpeg"]) {
    const name = `${codec}wasm_decode.wasm`;
    await Deno.copyFile(
      join(root, `node_modules/@cornerstonejs/codec-${codec}/dist/${name}`),
      join(app, "vendor/codecs", name),
    );
  }
  // copied beside the chunk, because its code requests the file there
  await Deno.mkdir(join(app, "chunks"), { recursive: true });
  await Deno.copyFile(
    join(root, "node_modules/@hyzyla/pdfium/dist/pdfium.wasm"),
    join(app, "chunks/pdfium.wasm"),
  );
  // copied, because pdfkit measures its default font before a document selects another font
  await Deno.mkdir(join(app, "chunks/data"), { recursive: true });
  const pdfkit = [...Deno.readDirSync(join(root, "node_modules/.deno"))].find(({ name }) =>
    /^pdfkit@/.test(name)
  )!;
  await Deno.copyFile(
    join(root, "node_modules/.deno", pdfkit.name, "node_modules/pdfkit/js/data/Helvetica.afm"),
    join(app, "chunks/data/Helvetica.afm"),
  );
}

/** Licence texts of the bundled packages and of compiled-in components, one file each. */
async function copyLicences(
  root: string,
  folder: string,
  packages: readonly string[],
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const store = join(root, "node_modules/.deno"),
    names = [...Deno.readDirSync(store)].map(({ name }) => name);
  for (const each of [...packages, "@niivue/dcm2niix@1.2.0"]) {
    const flat = each.replace("/", "+"), [name] = each.split(/(?!^)@/);
    const place = names.find((one) => one === flat || one.startsWith(`${flat}_`));
    if (!place) continue;
    const source = join(store, place, "node_modules", name!);
    for (const { name: file } of Deno.readDirSync(source)) {
      if (/^(licen[cs]e|notice)/i.test(file)) {
        await Deno.copyFile(join(source, file), join(folder, `${flat}.${file}`));
      }
    }
  }
  const compiledIn = join(root, "tools/release/licences");
  for (const { name } of Deno.readDirSync(compiledIn)) {
    await Deno.copyFile(join(compiledIn, name), join(folder, name));
  }
}

/**
 * Builds the folder of a release. The pages must already be built.
 * @param root Source tree with its packages. @param out Output folder, which must not exist yet.
 * @returns npm packages in the release. @throws Error
 * for a Deno version that the product does not support.
 */
export async function makeFolder(root: string, out: string): Promise<string[]> {
  const problem = runtimeProblem(Deno.version.deno);
  if (problem !== null) throw new Error(problem);
  const app = join(out, "app");
  await Deno.mkdir(app, { recursive: true });
  const packages = await bundlePrograms(root, app);
  await copyRead(root, app);
  await copyLicences(root, join(out, "licences"), packages);
  await writeSbom(join(out, "sbom"));
  await Deno.writeTextFile(join(out, "trace.md"), traceDocument(await trace()));
  const release = {
    version: VERSION,
    deno: Deno.version.deno,
    oldest_deno: MIN_DENO_VERSION,
    packages,
  };
  await Deno.writeTextFile(join(app, "release.json"), JSON.stringify(release, null, 1) + "\n");
  await Deno.writeTextFile(
    join(app, "deno.json"),
    JSON.stringify({ nodeModulesDir: "none", lock: false, unstable: UNSTABLE }) + "\n",
  );
  await makeEngine(root, join(out, "engines"), UNSTABLE);
  await Deno.copyFile(join(root, "LICENSE"), join(out, "LICENSE"));
  await Deno.copyFile(Deno.execPath(), join(out, "deno"));
  await Deno.chmod(join(out, "deno"), 0o755);
  await Deno.writeTextFile(join(out, "sulcus"), COMMAND);
  await Deno.chmod(join(out, "sulcus"), 0o755);
  return packages;
}
