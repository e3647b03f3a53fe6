// Links between documents, their targets and the broken links.
import { dirname, join, normalize } from "node:path";
import { headingAnchor } from "@/model/site/document.ts";

/** A link in a Markdown text to a file of the repository. */
export interface Link {
  /** Markdown source of the link, `[text](target)` */
  source: string;
  text: string;
  /**
   * target path from the root of the documents;
   * for a link to a heading of the same text, its own path
   */
  path: string;
  /** heading anchor as GitHub spells it; empty without an anchor */
  anchor: string;
}

const LINK = /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

/** Links to files, without links to other sites. @param path Path of the text, from the root. */
export function linksOf(path: string, text: string): Link[] {
  // removes code blocks, in which brackets are no links
  const prose = text.replaceAll(CODE, (code) => code.replaceAll(/[[\]]/g, " "));
  return [...prose.matchAll(LINK)].flatMap(([source, words, target]) => {
    // skip other sites, and pictures of the manual, which are referenced by name
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

/** Anchors of the headings of a text, as GitHub generates them. */
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
 * Finds all broken links, one per line.
 * @param root Folder that paths are relative to. @param paths Markdown files.
 * @param made Generated documents by path, which are not files in the folder.
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

/** A text in which links to missing files are replaced by plain text. */
export function withoutOtherLinks(path: string, text: string, files: ReadonlySet<string>): string {
  return linksOf(path, text).filter((link) => !files.has(link.path))
    .reduce((all, { source, text: words }) => all.replaceAll(source, words), text);
}
