import {
  type DocumentBlock,
  documentHref,
  type DocumentPiece,
  readDocument,
} from "@/model/site/document.ts";
import type { AboutDocument } from "@/model/schema/site/documents.ts";
import { type Language, textIn } from "@/model/text.ts";
import { manualText } from "@/model/text/manual.ts";

interface DocumentTextProps extends AboutDocument {
  /** path of the displayed document */
  path: string;
  language: Language;
}

/** Headings for the folders of the document list; "" is for documents outside of folders. */
const GROUPS = [
  ["site", manualText.operating],
  ["reference", manualText.reference],
  ["trust", manualText.trust],
  ["", manualText.details],
  ["accuracy", manualText.notebook],
] as const;
const folderOf = (path: string) => path.includes("/") ? path.slice(0, path.indexOf("/")) : "";

/**
 * A document for administrators, beside a list of all such documents, which are only in English.
 */
export function DocumentText({ path, content, documents, language }: DocumentTextProps) {
  const paths = new Set(documents.map(({ path }) => path));
  return (
    <div className="manual mx-auto max-w-[1200px] px-4 sm:px-6 py-6 flex gap-8">
      <nav
        aria-label={textIn(manualText.documents, language)}
        className="manual-contents shrink-0 w-[240px] text-sm"
      >
        <a href="/help" className="block py-1 text-brand-700 hover:underline">
          {textIn(manualText.title, language)}
        </a>
        {language !== "en" && (
          <p className="mt-2 text-ink-soft">{textIn(manualText.englishOnly, language)}</p>
        )}
        {GROUPS.map(([folder, title]) => (
          <div key={folder}>
            <h2 className="mt-4 font-semibold text-ink">{textIn(title, language)}</h2>
            <ul lang="en">
              {documents.filter((document) => folderOf(document.path) === folder).map((
                document,
              ) => (
                <li key={document.path}>
                  <a
                    href={`/help/${document.path}`}
                    aria-current={document.path === path ? "page" : undefined}
                    className="block py-1 text-brand-700 hover:underline"
                  >
                    {document.title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <article
        lang="en"
        className="min-w-0 flex-1 rounded-xl border border-line bg-white px-6 py-5 text-sm leading-relaxed text-ink-soft"
      >
        {readDocument(content).map((block, at) => (
          <Block
            key={at}
            block={block}
            hrefOf={(target) => documentHref(target, path, paths)}
          />
        ))}
      </article>
    </div>
  );
}

type HrefOf = (target: string) => string | null;

function Block({ block, hrefOf }: { block: DocumentBlock; hrefOf: HrefOf }) {
  const show = (pieces: readonly DocumentPiece[]) => <Pieces pieces={pieces} hrefOf={hrefOf} />;
  switch (block.kind) {
    case "heading": {
      const size = block.level === 1 ? "text-xl" : block.level === 2 ? "text-lg mt-6" : "mt-4";
      const Heading = block.level === 1 ? "h1" : block.level === 2 ? "h2" : "h3";
      return (
        <Heading id={block.id} className={`${size} font-semibold text-ink`}>
          {show(block.pieces)}
        </Heading>
      );
    }
    case "paragraph":
      return <p className="mt-2">{show(block.pieces)}</p>;
    case "list": {
      const items = block.items.map((item, at) => <li key={at} className="mt-1">{show(item)}</li>);
      return block.start === null
        ? <ul className="mt-2 list-disc pl-5">{items}</ul>
        : <ol start={block.start} className="mt-2 list-decimal pl-5">{items}</ol>;
    }
    case "code":
      return (
        <pre
          tabIndex={0}
          className="mt-3 overflow-x-auto rounded-md border border-line bg-canvas px-3 py-2 text-xs text-ink"
        >
          {block.text}
        </pre>
      );
    case "table":
      return (
        <div tabIndex={0} className="mt-3 overflow-x-auto">
          <table className="w-full text-left">
            <thead>
              <tr>
                {block.head.map((cell, at) =>
                  cell.length === 0 ? <td key={at} className="border-b border-line" /> : (
                    <th
                      key={at}
                      scope="col"
                      className="border-b border-line py-1 pr-4 align-top text-ink"
                    >
                      {show(cell)}
                    </th>
                  )
                )}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column} className="border-b border-line py-1 pr-4 align-top">
                      {show(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function Pieces({ pieces, hrefOf }: { pieces: readonly DocumentPiece[]; hrefOf: HrefOf }) {
  return pieces.map((piece, at) => {
    if (piece.kind === "text") return piece.text;
    if (piece.kind === "code") {
      return <code key={at} className="break-words text-ink">{piece.text}</code>;
    }
    if (piece.kind === "strong") {
      return (
        <strong key={at} className="font-semibold text-ink">
          <Pieces pieces={piece.pieces} hrefOf={hrefOf} />
        </strong>
      );
    }
    const href = hrefOf(piece.target);
    return href === null
      ? piece.text
      : (
        <a key={at} href={href} rel="noreferrer" className="text-brand-700 underline">
          {piece.text}
        </a>
      );
  });
}
