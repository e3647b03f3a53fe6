import type { Plugin } from "esbuild";

/**
 * The only code in regl.min.js that turns generated text into a function, with its variable names.
 */
const GENERATED_CALL = "Function.apply(null,e.concat(b))";

/**
 * Replacement for that code: an inline script with the page's nonce, allowed by
 * `script-src 'nonce-…'`.
 */
const NONCED_CALL = `(function (names, body) {
  var first = document.querySelector("script[nonce]"), script = document.createElement("script");
  var key = "__regl" + Math.random().toString(36).slice(2);
  if (first) script.nonce = first.nonce;
  script.textContent = "window[" + JSON.stringify(key) + "]=function(" + names.join(",") + "){" + body + "}";
  document.head.appendChild(script);
  script.remove();
  var made = window[key];
  delete window[key];
  if (!made) throw new Error("regl: the page's Content-Security-Policy has no nonce for generated draw code");
  return made;
})(e, b)`;

/**
 * esbuild plugin: regl under a strict Content-Security-Policy. regl builds its draw procedures from
 * text with `Function`, which a policy without 'unsafe-eval' forbids; the call is rewritten to a
 * script with the page's nonce. Selects regl's smallest build, without development checks.
 *
 * @throws Error at build time unless regl has exactly one such call; a new version needs a review.
 */
export const reglCsp = (): Plugin => ({
  name: "regl-csp",
  setup(build) {
    build.onResolve({ filter: /^regl$/ }, (args) =>
      build.resolve("regl/dist/regl.min.js", {
        kind: args.kind,
        importer: args.importer,
        resolveDir: args.resolveDir,
      }));
    build.onLoad({ filter: /regl[\\/]dist[\\/]regl\.min\.js$/ }, async (args) => {
      const text = await Deno.readTextFile(args.path);
      if (text.split(GENERATED_CALL).length !== 2) {
        throw new Error(
          `Cannot adapt regl to the page's policy: no single generated call in ${args.path}`,
        );
      }
      return { contents: text.replace(GENERATED_CALL, () => NONCED_CALL), loader: "js" };
    });
  },
});
