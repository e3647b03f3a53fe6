import type * as esbuild from "esbuild";

/** esbuild plugin: React has this store itself; the package for older ones is left out. */
export const reactOwnStore: esbuild.Plugin = {
  name: "react-own-store",
  setup(build) {
    build.onResolve(
      { filter: /^use-sync-external-store\/shim/ },
      () => ({ path: "store", namespace: "react" }),
    );
    build.onLoad({ filter: /.*/, namespace: "react" }, () => ({
      resolveDir: import.meta.dirname,
      contents: 'export { useSyncExternalStore } from "react";',
    }));
  },
};

/**
 * esbuild plugin: schemas are values without side effects. Saying so lets those that only the server checks fall
 * out of the browser's files, and with them the parts of zod that nothing else needs.
 */
export const schemasArePure: esbuild.Plugin = {
  name: "schemas-are-pure",
  setup(build) {
    build.onLoad({ filter: /[\\/]model[\\/]schema[\\/]\w+\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: (await Deno.readTextFile(path)).replace(/\bz\.(?!config)[\w.]+\(/g, "/* @__PURE__ */ $&"),
    }));
  },
};

/** What the client calls of the package's mutations at its start and end; making one says where to look. */
const NO_MUTATIONS = `
export class MutationCache {
  clear() {}
  build() { throw new TypeError("mutations are left out by tools/trim_bundle.ts"); }
  resumePausedMutations() { return Promise.resolve(); }
}`;

/** esbuild plugin: changes go through `client/api`; the query package's mutations and endless lists are left out. */
export const queriesOnly: esbuild.Plugin = {
  name: "queries-only",
  setup(build) {
    build.onLoad(
      { filter: /query-core[\\/].*[\\/]mutationCache\.js$/ },
      () => ({ loader: "js", contents: NO_MUTATIONS }),
    );
    build.onLoad({ filter: /query-core[\\/].*[\\/]infiniteQueryBehavior\.js$/ }, () => ({
      loader: "js",
      contents:
        'export function infiniteQueryBehavior() { throw new TypeError("left out by tools/trim_bundle.ts"); }' +
        "\nexport const hasNextPage = () => false, hasPreviousPage = () => false;",
    }));
  },
};

/**
 * esbuild plugin: what a page or a worker does not use of the kernels' JavaScript is left out. As it is generated,
 * each class has a line with a side effect and a registry that is made at once, and stays for their sake.
 */
export const kernelsArePure: esbuild.Plugin = {
  name: "kernels-are-pure",
  setup(build) {
    build.onLoad({ filter: /wasm[\\/]pkg[\\/]kernels[\\/]bind_browser\.js$/ }, async ({ path }) => ({
      loader: "js",
      contents: (await Deno.readTextFile(path))
        .replace(/^if \(Symbol\.dispose\).*$/gm, "")
        .replace(/: new FinalizationRegistry\(/g, ": /* @__PURE__ */ new FinalizationRegistry("),
    }));
  },
};
