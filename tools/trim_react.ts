// What the islands do not use of React's DOM renderer is left out of the browser's files.
import type * as esbuild from "esbuild";
import { createHash } from "node:crypto";

/** SHA-256 of the renderer that was looked at: another one is not cut, and the build says so. */
const LOOKED_AT = "ca2d183456d858fbdd4ff413e2b994f113ce65fffefb29dccbb4341598a50b24";

/**
 * Fibers that no island makes: class components, consumers, profilers, lists of suspense, hoisted elements (`<link>`,
 * `<style>`, `<title>`, `<script>`; in an island they are elements like others), html, head and body, activities.
 */
const UNUSED_TAGS = ["1", "9", "12", "19", "26", "27", "31"];

/** Types of elements that lead to them: React's error 130 says that they are none. */
const UNUSED_TYPES = [
  "REACT_ACTIVITY_TYPE",
  "REACT_CONSUMER_TYPE",
  "REACT_PROFILER_TYPE",
  "REACT_SUSPENSE_LIST_TYPE",
];

const LEFT_OUT = 'throw new TypeError("left out by tools/trim_react.ts");';

/** Functions by name, and what they do instead. */
const STUBS: Record<string, string> = {
  shouldConstruct: "return false;",
  updateClassComponent: LEFT_OUT,
  resolveClassComponentProps: LEFT_OUT,
  isHostHoistableType: "return false;",
  canHydrateInstance: `
    for (; instance !== null && instance.nodeType === 1; instance = getNextHydratable(instance.nextSibling)) {
      if (instance.nodeName.toLowerCase() !== type.toLowerCase()) {
        if (!inRootOrSingleton && (instance.nodeName !== "INPUT" || instance.type !== "hidden")) break;
      } else if (inRootOrSingleton || type !== "input" || instance.type !== "hidden") return instance;
      else if (props.type === "hidden" && instance.getAttribute("name") === (props.name ?? null)) return instance;
    }
    return null;`,
  // names with a hyphen are elements like others
  isCustomElement: "return false;",
  setPropOnCustomElement: LEFT_OUT,
  // functions as a form's action, and the hooks for them
  extractEvents$1: "",
  startHostTransition: LEFT_OUT,
  requestFormReset: LEFT_OUT,
  mountActionState: LEFT_OUT,
  updateActionState: LEFT_OUT,
  rerenderActionState: LEFT_OUT,
  dispatchOptimisticSetState: LEFT_OUT,
  // hooks that no island has: useTransition, useDeferredValue, useEffectEvent, useImperativeHandle
  startTransition: LEFT_OUT,
  mountDeferredValueImpl: LEFT_OUT,
  updateDeferredValueImpl: LEFT_OUT,
  useEffectEventImpl: LEFT_OUT,
  imperativeHandleEffect: LEFT_OUT,
  updateImperativeHandle: LEFT_OUT,
  refreshCache: LEFT_OUT,
  // onBeforeInput and onSelect, which nobody listens to
  getNativeBeforeInputChars: "return null;",
  getFallbackBeforeInputChars: "return null;",
  constructSelectEvent: "",
  // browsers without `input` events
  stopWatchingForValueChange: "",
  handlePropertyChange: "",
  handleEventsForInputEventPolyfill: "",
  getTargetInstForInputEventPolyfill: "",
  // what compiled components ask for
  useMemoCache: LEFT_OUT,
  // resources that components ask for ahead
  prefetchDNS: LEFT_OUT,
  preconnect: LEFT_OUT,
  preload: LEFT_OUT,
  preloadModule: LEFT_OUT,
  preinitScript: LEFT_OUT,
  preinitStyle: LEFT_OUT,
  preinitModuleScript: LEFT_OUT,
  // no stylesheet of a component is waited for
  accumulateSuspenseyCommitOnFiber: "",
  waitForCommitToBeReady: "return null;",
  // the browser's own sign of a transition
  defaultOnDefaultTransitionIndicator: "",
  // names of minified components in the console and in errors
  getComponentNameFromType: "return null;",
  describeNativeComponentFrame:
    'return fn && (fn.displayName || fn.name) ? describeBuiltInComponentFrame(fn.displayName || fn.name) : "";',
};

const isEnd = (line: string): boolean => /^\s*(break|return|throw|continue)\b/.test(line);

/**
 * A formatted source in which the clauses of some cases are dead code. A label that shares its clause with others is
 * taken out alone.
 *
 * @param subject What the switches are over.
 * @throws Error when the clause before one of them goes on into it.
 */
export function withoutCases(source: string, subject: RegExp, cases: readonly string[]): string {
  const lines = source.split("\n"), kept: string[] = [];
  /** indents of the open switches over the subject */
  const open: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (open.length > 0 && line.startsWith(`${open.at(-1)}}`)) open.pop();
    const indent = open.at(-1);
    const labelOf = (text: string) => new RegExp(`^${indent}  case (\\w+):$`).exec(text)?.[1];
    const label = indent === undefined ? undefined : labelOf(line);
    if (label === undefined || !cases.includes(label)) {
      kept.push(line);
      const opened = /^(\s*)(?:.*\s)?switch \((.*)\) \{$/.exec(line);
      if (opened && subject.test(opened[2]!)) open.push(opened[1]!);
      continue;
    }
    const isLabel = (text: string) => labelOf(text) !== undefined || text === `${indent}  default:`;
    if (isLabel(lines[at + 1]!) || isLabel(kept.at(-1)!)) continue;
    const isClause = (text: string) => new RegExp(`^${indent}(  (case|default)\\b|\\})`).test(text);
    const before = kept.findLast((text) =>
      new RegExp(`^${indent}    [a-z]`).test(text) || isClause(text) || / switch \(.*\{$/.test(text)
    );
    if (!isEnd(before!) && !/ switch \(/.test(before!)) {
      throw new Error(
        `Cannot leave out case ${label} in line ${at + 1}: the clause before it goes on into it`,
      );
    }
    // its variables may be used by other clauses: the bundler keeps their declarations
    kept.push(line, `${indent}    if (false) {`);
    while (!isClause(lines[at + 1]!)) kept.push(lines[++at]!);
    kept.push(`${indent}    }`, `${indent}    break;`);
  }
  return kept.join("\n");
}

/** A formatted source in which a function does something else. @throws Error when there is not one of that name. */
export function withStub(source: string, name: string, body: string): string {
  const pattern = new RegExp(
    `^function ${name.replaceAll("$", "\\$")}\\(([^)]*)\\) \\{\\n[\\s\\S]*?^\\}$`,
    "gm",
  );
  if (source.match(pattern)?.length !== 1) {
    throw new Error(`Cannot leave out ${name}: there is not one of it`);
  }
  return source.replace(pattern, (_whole, values: string) => `function ${name}(${values}) {${body}}`);
}

/** CommonJS as a module, of which a bundler leaves out what nobody imports. Only what React's files are like. */
export const asModule = (source: string): string =>
  source
    .replace(
      /^var (\w+ = require\("[\w-]+"\)(?:,\s+\w+ = require\("[\w-]+"\))*);$/gm,
      (_whole, list: string) => list.replace(/(\w+) = require\(("[\w-]+")\),?/g, "import * as $1 from $2;"),
    )
    .replace(/^exports\.(\w+) = \1;$/gm, "export { $1 };")
    .replace(/^exports\.(\w+) =/gm, "export const $1 =");

/** The renderer for this program's islands. */
export function trimRenderer(source: string): string {
  const hash = createHash("sha256").update(source).digest("hex");
  if (hash !== LOOKED_AT) {
    throw new Error(
      `Cannot cut this version of react-dom: look at it, then note ${hash} in tools/trim_react.ts`,
    );
  }
  let cut = withoutCases(source, /(^|\.)tag$/, UNUSED_TAGS);
  cut = withoutCases(cut, /^type$/, UNUSED_TYPES);
  for (const [name, body] of Object.entries(STUBS)) cut = withStub(cut, name, body);
  return cut.replace(/^ReactDOMSharedInternals\.findDOMNode = [\s\S]*?^\};$/m, "");
}

/** esbuild plugin: React's files as modules, and of its renderer what the islands use. For production only. */
export const trimmedReact: esbuild.Plugin = {
  name: "trimmed-react",
  setup(build) {
    build.onLoad({ filter: /[\\/]react(-dom)?[\\/](index|client|jsx-runtime)\.js$/ }, async ({ path }) => {
      const source = await Deno.readTextFile(path);
      const file = /require\('(\.\/cjs\/[\w.-]+\.production\.js)'\)/.exec(source)?.[1];
      if (!file) throw new Error(`Cannot read ${path}: it names no file for production`);
      return { loader: "js", contents: `export * from "${file}";` };
    });
    build.onLoad(
      { filter: /[\\/]cjs[\\/](react|react-jsx-runtime|react-dom|react-dom-client)\.production\.js$/ },
      async ({ path }) => {
        const source = await Deno.readTextFile(path);
        const isRenderer = path.endsWith("react-dom-client.production.js");
        return { loader: "js", contents: asModule(isRenderer ? trimRenderer(source) : source) };
      },
    );
  },
};
