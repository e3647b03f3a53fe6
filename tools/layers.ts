/**
 * Who may import whom, besides itself. The longest matching folder is a file's layer. A file outside every layer
 * that is not a composition root may be imported by nobody in the table.
 */
export const LAYERS: Record<string, readonly string[]> = {
  "model": [],
  "wasm/pkg": [],
  "components": ["model"],
  "client/api": ["model"],
  "viewer": ["model", "wasm/pkg"],
  "report": ["model"],
  "report/html": ["report", "components", "model"],
  "report/pdf": ["report", "model"],
  "edge": ["client/api", "model"],
  "client": ["components", "client/api", "model", "wasm/pkg"],
  "notices": ["components", "client", "model"],
  "results": ["components", "client", "client/api", "model"],
  "settings": ["components", "client", "client/api", "model"],
  "licence": ["components", "client", "client/api", "model"],
  "status": ["components", "client", "client/api", "model"],
  "worklist": ["components", "client", "client/api", "model"],
  "header": ["settings", "licence", "components", "client", "client/api", "model"],
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
  "islands": [
    "worklist",
    "viewer/bench",
    "viewer/panels",
    "viewer/input",
    "viewer/session",
    "viewer",
    "report/html",
    "report",
    "header",
    "settings",
    "licence",
    "status",
    "results",
    "notices",
    "components",
    "client",
    "client/api",
    "model",
  ],
  "routes": ["edge", "islands", "components", "client/api", "model"],
  "gate/link": ["model"],
  "gate": ["gate/link", "model"],
  "core/storage": ["model"],
  "core/dicom": ["model", "wasm/pkg"],
  "core/engine": ["model", "wasm/pkg"],
  "core/jobs": ["core/storage", "model"],
  "core/services": [
    "core/storage",
    "core/jobs",
    "core/dicom",
    "core/engine",
    "report/pdf",
    "report",
    "gate/link",
    "model",
  ],
  "core/api": ["core/services", "model"],
};

/** Files and folders that see across layers: they wire, or they are not shipped. */
const COMPOSITION_ROOTS = [
  "main.ts",
  "fresh.config.ts",
  "core/mod.ts",
  "commands",
  "tests",
  "tools",
  "bench",
] as const;

/** `tests/` and `tools/` may be imported only from composition roots. */
const startsWith = (path: string, folder: string) => path === folder || path.startsWith(folder + "/");

/** The layer of a repository path such as `core/api/studies/patients.ts`; `null` outside the table. */
export function layerOf(path: string): string | null {
  const hits = Object.keys(LAYERS).filter((folder) => startsWith(path, folder));
  return hits.sort((a, b) => b.length - a.length)[0] ?? null;
}

const isCompositionRoot = (path: string): boolean => COMPOSITION_ROOTS.some((root) => startsWith(path, root));

/** Test files stand next to the code and may use whatever proves the claim. */
const isTest = (path: string): boolean => /_test\.tsx?$/.test(path);

/** Says why `from` may not import `to` (repository paths), or `null` when it may. */
export function importProblem(from: string, to: string): string | null {
  if (isCompositionRoot(from) || isTest(from)) return null;
  const source = layerOf(from), target = layerOf(to);
  if (!source) return `${from} belongs to no layer of tools/layers.ts`;
  if (target === source || (target && LAYERS[source]!.includes(target))) return null;
  if (!target) return `${source} may not import ${to}, which belongs to no layer`;
  return `${source} may not import ${target}; allowed: ${LAYERS[source]!.join(", ") || "nothing"}`;
}
