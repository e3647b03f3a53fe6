// Links between the documents: where they lead, and which of them lead nowhere.
import { dirname, join, normalize } from "node:path";
import { headingAnchor } from "@/model/site/document.ts";

/** A link of a Markdown text to a file beside it. */
export interface Link {
  /** the link as it is written, `[text](target)` */
  source: string;
  text: string;
  /**
   * path from the root of the documents; that of the text itself for a link to one of its headings
   */
  path: string;
  /** heading, as GitHub spells it; empty: none */
  anchor: string;
}

const LINK = /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

/** Links to files, without those to other sites. @param path Of the text, from the root. */
export function linksOf(path: string, text: string): Link[] {
  // brackets in code are no links
  const prose = text.replaceAll(CODE, (code) => code.replaceAll(/[[\]]/g, " "));
  return [...prose.matchAll(LINK)].flatMap(([source, words, target]) => {
    // other sites, and the manual's pictures, which are drawn by name
    if (/^[a-z]+:/i.test(target!) || (source.startsWith("!") && !target!.includes("."))) return [];
    const [file, anchor = ""] = target!.split("#");
    return [{
      source,
      text: words!,
      path: file === "" ? path : normalize(join(dirname(path), file!)).replace(/\/$/, ""),
      anchor,
    }];
  });
}

/** Anchors of a text's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>(), counts = new Map<string, number>();
  for (
    const [, heading] of text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} +(.+)$/gm)
  ) {
    const anchor = headingAnchor(heading!);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/**
 * One line for each link that leads nowhere.
 * @param root Folder that paths are from. @param paths Markdown files.
 * @param made Generated documents by path, which have no file in the folder.
 */
export async function deadLinks(
  root: string,
  paths: readonly string[],
  made: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const dead: string[] = [];
  const read = async (path: string) => made.get(path) ?? await Deno.readTextFile(join(root, path));
  const isFile = async (path: string) =>
    made.has(path) || await Deno.stat(join(root, path)).then(() => true, () => false);
  for (const path of paths) {
    const text = await read(path);
    for (const { path: target, anchor, source } of linksOf(path, text)) {
      const isThere = !target.startsWith("..") && await isFile(target) &&
        (anchor === "" || !target.endsWith(".md") || anchorsOf(await read(target)).has(anchor));
      if (!isThere) dead.push(`${path}: ${source}`);
    }
  }
  return dead;
}

/** A text with the links that lead to none of some files as plain words. */
export function withoutOtherLinks(path: string, text: string, files: ReadonlySet<string>): string {
  return linksOf(path, text).filter((link) => !files.has(link.path))
    .reduce((all, { source, text: words }) => all.replaceAll(source, words), text);
}
