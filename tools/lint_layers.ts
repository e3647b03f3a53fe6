// Deno lint plugin: reports violations of the table in tools/layers.ts, functions longer than a
// screen, and some style rules.
import { dirname, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { importProblem } from "./layers.ts";
import { isListed, isProduct, MOST_LINES } from "./long_functions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const toRepositoryPath = (file: string) => relative(root, file).replaceAll("\\", "/");

/** Converts an import specifier to a repository path; `null` for packages and built-ins. */
function resolveSpecifier(specifier: string, fromFile: string): string | null {
  if (specifier.startsWith("@/")) return specifier.slice(2);
  if (specifier.startsWith(".")) {
    return toRepositoryPath(normalize(dirname(fromFile) + "/" + specifier));
  }
  return null;
}

const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common)\.tsx?$/;

/**
 * Forbidden words in comments, which replace an existing noun:
 * use the noun itself (CONTRIBUTING.md).
 */
const VAGUE_WORDS = /\b(what|whoever|nobody|somebody|whose|anew|lies|stands|told|tells)\b/i;
/** Folders where comments already follow the rule for plain words. */
const PLAIN_FOLDERS = /^(client|components|islands|model|report|routes|viewer)\//;

type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/**
 * Name of a function, or of the variable, property or method that contains it; `""` without one.
 */
export function functionName(node: FunctionNode): string {
  if (node.type !== "ArrowFunctionExpression" && node.id) return node.id.name;
  // names a function within a call, such as `memo(() => …)`, after the variable that gets the
  // result
  let parent: Deno.lint.Node | undefined = node.parent;
  while (parent?.type === "CallExpression") parent = parent.parent;
  if (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier") {
    return parent.id.name;
  }
  if (parent?.type !== "Property" && parent?.type !== "MethodDefinition") return "";
  const { key } = parent as Deno.lint.Property | Deno.lint.MethodDefinition;
  return key.type === "Identifier" || key.type === "PrivateIdentifier" ? key.name : "";
}

const plugin: Deno.lint.Plugin = {
  name: "sulcus",
  rules: {
    layers: {
      create(context) {
        const from = toRepositoryPath(context.filename);
        const check = (node: Deno.lint.Node, source: unknown) => {
          if (typeof source !== "string") return;
          const to = resolveSpecifier(source, context.filename);
          const problem = to === null ? null : importProblem(from, to);
          if (problem) context.report({ node, message: problem });
        };
        return {
          ImportDeclaration: (node) => check(node, node.source.value),
          ExportNamedDeclaration: (node) => check(node, node.source?.value),
          ExportAllDeclaration: (node) => check(node, node.source.value),
          ImportExpression: (node) =>
            check(node, node.source.type === "Literal" ? node.source.value : null),
        };
      },
    },
    "normal-form": {
      create(context) {
        const from = toRepositoryPath(context.filename);
        if (!isProduct(from) || from === "model/normal_form.ts") return {};
        return {
          MemberExpression(node) {
            if (node.property.type !== "Identifier" || node.property.name !== "normalize") return;
            const call = node.parent;
            if (call.type !== "CallExpression" || call.callee !== node) return;
            const form = call.arguments[0];
            // of other packages, normalize() takes a path or a vector
            if (form && !(form.type === "Literal" && /^NFK?[CD]$/.test(String(form.value)))) return;
            context.report({
              node,
              message: "use normalForm() of model/normal_form.ts, whose time is bounded",
            });
          },
        };
      },
    },
    "plain-words": {
      create(context) {
        const from = toRepositoryPath(context.filename);
        return {
          Program() {
            if (!PLAIN_FOLDERS.test(from) || /_(test|fixture)\.tsx?$/.test(from)) return;
            for (const comment of context.sourceCode.getAllComments()) {
              const word = VAGUE_WORDS.exec(comment.value)?.[0];
              if (word === undefined) continue;
              const message = `"${word}" in a comment: name the thing instead`;
              context.report({ range: comment.range, message });
            }
          },
        };
      },
    },
    "long-functions": {
      create(context) {
        const from = toRepositoryPath(context.filename);
        if (!isProduct(from)) return {};
        const check = (node: FunctionNode) => {
          const lines = context.sourceCode.text.slice(...node.range).split("\n").length;
          const name = functionName(node);
          if (lines <= MOST_LINES || isListed(from, name)) return;
          const message = `${
            name || "this function"
          } has ${lines} lines: split it into parts with names, of ${MOST_LINES} lines at most`;
          context.report({ node, message });
        };
        return {
          FunctionDeclaration: check,
          FunctionExpression: check,
          ArrowFunctionExpression: check,
        };
      },
    },
    "file-names": {
      create(context) {
        const from = toRepositoryPath(context.filename);
        return {
          Program(node) {
            if (FORBIDDEN_NAMES.test(from)) {
              context.report({
                node,
                message: "name the file after what it holds: no utils, helpers or common",
              });
            }
          },
        };
      },
    },
  },
};
export default plugin;
