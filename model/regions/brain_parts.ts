import { PARTS, type RegionGroup } from "@/model/regions/regions.ts";

/** Groups of regions from front to back, then from the inside outwards. */
export const BRAIN_GROUPS: readonly RegionGroup[] = [
  "frontal",
  "parietal",
  "temporal",
  "medial temporal",
  "occipital",
  "cingulate",
  "insula",
  "deep grey",
  "ventricle",
  "white matter",
  "corpus callosum",
  "cerebellum",
  "brain stem",
];

/**
 * Node of the tree of brain parts.
 * A leaf is a part of `model/regions/regions.ts`, with the part's name as key.
 */
export interface BrainNode {
  /** English title; other languages are looked up by the key and {@link groupOfKey} */
  title: string;
  key: string;
  children?: BrainNode[] | undefined;
}

const ROOT_KEY = "all", GROUP_PREFIX = "group/";

/** Group that a key names; `null` for the root and for brain parts. */
export const groupOfKey = (key: string): RegionGroup | null =>
  BRAIN_GROUPS.find((group) => `${GROUP_PREFIX}${group}` === key) ?? null;

/** All parts by group, under one root titled "All" (D1 §3: brain_category). */
export const BRAIN_CATEGORY: readonly BrainNode[] = [{
  title: "All",
  key: ROOT_KEY,
  children: BRAIN_GROUPS.map((group) => ({
    title: group[0]!.toUpperCase() + group.slice(1),
    key: `${GROUP_PREFIX}${group}`,
    children: PARTS.filter((part) => part.group === group).map(({ part }) => ({
      title: part,
      key: part,
    })),
  })),
}];

const partKeys = new Set(PARTS.map(({ part }) => part));
/** Whether a key names a brain part, which can be given priority. */
export const isBrainPart = (key: string): boolean => partKeys.has(key);
/** Whether a key belongs to a node with children, which can be expanded. */
export const isBrainBranch = (key: string): boolean => key === ROOT_KEY || groupOfKey(key) !== null;

/** Keys of the brain parts at or below a node, in the order of the tree. */
export const leavesOf = ({ key, children }: BrainNode): string[] =>
  children?.flatMap(leavesOf) ?? [key];

/** Whether all, some or none of the brain parts below a node are chosen. */
export function nodeState(node: BrainNode, chosen: ReadonlySet<string>): "all" | "some" | "none" {
  const leaves = leavesOf(node), count = leaves.filter((key) => chosen.has(key)).length;
  return count === 0 ? "none" : count === leaves.length ? "all" : "some";
}

/** The chosen parts after a node was checked or cleared, in the order of the tree. */
export function withNode(
  tree: readonly BrainNode[],
  chosen: readonly string[],
  node: BrainNode,
  isChosen: boolean,
): string[] {
  const nextChosen = new Set(chosen);
  for (const key of leavesOf(node)) {
    if (isChosen) nextChosen.add(key);
    else nextChosen.delete(key);
  }
  return tree.flatMap(leavesOf).filter((key) => nextChosen.has(key));
}

/**
 * Filters the tree by search words: a node with all words in the name keeps the child nodes and the
 * parent nodes. Without words the tree is unchanged.
 *
 * @param namesOf All names of a node, in every language.
 */
export function searchTree(
  nodes: readonly BrainNode[],
  words: string,
  namesOf: (node: BrainNode) => readonly string[],
): BrainNode[] {
  const sought = words.trim().toLowerCase();
  if (sought === "") return [...nodes];
  return nodes.flatMap((node) => {
    if (namesOf(node).some((name) => name.toLowerCase().includes(sought))) return [node];
    const children = searchTree(node.children ?? [], sought, namesOf);
    return children.length > 0 ? [{ ...node, children }] : [];
  });
}

/**
 * Items reordered so that priority items come first; the order within both groups is kept (D1 §2:
 * Priority of Brain Part).
 */
export function byPriority<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): T[] {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))];
}
