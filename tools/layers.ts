const FEATURES = [
  "accounts",
  "analyses",
  "connections",
  "exports",
  "norms",
  "reading",
  "reports",
  "settings",
  "site",
  "studies",
] as const;

/** Folders of the core's infrastructure, which is independent of features. */
const MACHINERY = [
  "server/core/database",
  "server/core/blobs",
  "server/core/jobs",
  "server/core/dicom",
  "server/core/engine",
];

/**
 * Allowed imports of each layer, besides itself. A file belongs to the layer with the longest
 * matching folder. `*` means any feature of the core: each one on the left, any one on the right.
 * `=` on the right means the same feature as on the left. A layer may import a file outside of all
 * layers only if that file is a composition root.
 */
export const LAYERS: Record<string, readonly string[]> = {
  "model": [],
  "wasm/pkg": [],
  "client/api": ["model"],
  "client": ["client/api", "model", "wasm/pkg"],
  "components": ["client", "client/api", "model"],
  "viewer": ["model", "wasm/pkg"],
  "viewer/session": ["viewer", "components", "client", "client/api", "model"],
  "viewer/input": ["viewer/session", "viewer", "components", "client", "model"],
  "viewer/panels": [
    "viewer/input",
    "viewer/session",
    "viewer",
    "components",
    "client",
    "client/api",
    "model",
  ],
  "viewer/bench": ["viewer", "components", "client", "model", "wasm/pkg"],
  "report": ["model"],
  "report/html": ["report", "components", "model"],
  "report/pdf": ["report", "model"],
  "islands": [
    "viewer/bench",
    "viewer/panels",
    "viewer/input",
    "viewer/session",
    "viewer",
    "report/html",
    "report",
    "components",
    "client",
    "client/api",
    "model",
  ],
  "routes": [
    "server/edge/first_picture",
    "server/edge",
    "islands",
    "components",
    "client/api",
    "model",
  ],
  "server/wire": ["model"],
  "fresh.config.ts": [],
  "server/edge": [
    "server/edge/first_picture",
    "fresh.config.ts",
    "server/wire",
    "client/api",
    "model",
  ],
  // allowed: the viewer's rules and kernels draw the server-rendered pictures of its page
  "server/edge/first_picture": [
    "server/wire",
    "viewer/session",
    "viewer",
    "client/api",
    "model",
    "wasm/pkg",
  ],
  "server/gate/link": ["server/wire", "model"],
  "server/gate": ["server/gate/link", "server/wire", "model"],
  "server/core/database": ["model"],
  "server/core/blobs": ["server/core/database", "model"],
  "server/core/jobs": ["server/core/database", "server/wire", "model"],
  "server/core/dicom": ["server/wire", "model", "wasm/pkg"],
  "server/core/engine": ["model", "wasm/pkg"],
  "server/core/http": ["server/core/*/service", "server/wire", "model"],
  "server/core/*/storage": ["server/core/database", "server/core/blobs", "model"],
  "server/core/*/service": [
    "server/core/=/storage",
    "server/core/*/service",
    ...MACHINERY,
    "server/gate/link",
    "server/wire",
    "report/pdf",
    "report",
    "model",
  ],
  "server/core/*/routes": [
    "server/core/*/service",
    "server/core/*/routes",
    "server/core/http",
    "server/wire",
    "model",
  ],
};

/**
 * Services that still read the storage of another feature: from → to. A feature should call the
 * service of the other feature; this list may only become shorter.
 */
export const FOREIGN_STORAGE: Record<string, readonly string[]> = {
  "accounts/service": ["settings"],
  "analyses/service": ["connections", "norms", "studies"],
  "connections/service": ["analyses", "reading", "settings", "studies"],
  "exports/service": ["analyses", "connections", "norms", "reading", "settings", "studies"],
  "norms/service": ["accounts", "analyses", "studies"],
  "reading/service": ["analyses", "settings", "studies"],
  "reports/service": ["accounts", "analyses", "settings", "studies"],
  "site/service": ["accounts", "analyses", "settings", "studies"],
  "studies/service": ["accounts", "analyses", "connections", "norms", "settings"],
  "studies/storage": ["settings"],
};

/**
 * Files and folders that may import all layers: they compose the program, or they are not shipped.
 */
const COMPOSITION_ROOTS = [
  "main.ts",
  "server/edge/site.ts",
  "server/core/mod.ts",
  "server/core/api.ts",
  "server/commands",
  "tests",
  "tools",
  "bench",
] as const;

const startsWith = (path: string, folder: string) =>
  path === folder || path.startsWith(folder + "/");

/** Layers with `*` expanded to each feature. */
const FOLDERS = Object.keys(LAYERS).flatMap((key) =>
  key.includes("*")
    ? FEATURES.map((feature) => ({ key, folder: key.replace("*", feature) }))
    : [{ key, folder: key }]
).sort((a, b) => b.folder.length - a.folder.length);

/**
 * Layer folder of a repository path such
 * as `server/core/studies/routes/patients.ts`; `null` outside of the table.
 */
export function layerOf(path: string): string | null {
  return FOLDERS.find(({ folder }) => startsWith(path, folder))?.folder ?? null;
}

/** Folders from which the files of a layer may import. */
function allowedOf(layer: string): string[] {
  const { key } = FOLDERS.find(({ folder }) => folder === layer)!;
  const [, feature = "", part = ""] = /^server\/core\/(\w+)\/(\w+)$/.exec(layer) ?? [];
  const foreign = (FOREIGN_STORAGE[`${feature}/${part}`] ?? []).map((other) =>
    `server/core/${other}/storage`
  );
  return LAYERS[key]!.flatMap((target) =>
    target.includes("*")
      ? FEATURES.map((other) => target.replace("*", other))
      : [target.replace("=", feature)]
  ).concat(foreign);
}

const isCompositionRoot = (path: string): boolean =>
  COMPOSITION_ROOTS.some((root) => startsWith(path, root));

/** Pattern of test files, which are next to the tested code and may import any layer. */
const isTest = (path: string): boolean => /_test\.tsx?$/.test(path);

/** Reason why `from` may not import `to` (repository paths); `null` if the import is allowed. */
export function importProblem(from: string, to: string): string | null {
  if (isCompositionRoot(from) || isTest(from)) return null;
  const source = layerOf(from), target = layerOf(to);
  if (!source) return `${from} belongs to no layer of tools/layers.ts`;
  const allowed = allowedOf(source);
  if (target === source || (target && allowed.includes(target))) return null;
  if (!target) return `${source} may not import ${to}, which belongs to no layer`;
  return `${source} may not import ${target}; allowed: ${allowed.join(", ") || "nothing"}`;
}
