import {
  type Manual,
  type ManualLine,
  type ManualSection,
  pictureFile,
  piecesOf,
  searchManual,
  wordsOf,
} from "@/model/site/manual.ts";
import { type Language, textIn } from "@/model/text.ts";
import { manualText } from "@/model/text/manual.ts";

interface ManualTextProps {
  manual: Manual;
  /** search words; empty: the whole text is shown */
  search: string;
  language: Language;
}

/** The manual with table of contents and search, using plain links and a plain form. */
export function ManualText({ manual, search, language }: ManualTextProps) {
  const sections = searchManual(manual, search), words = wordsOf(search);
  return (
    <div className="manual mx-auto max-w-[1100px] px-4 sm:px-6 py-6 flex gap-8">
      <nav
        aria-label={textIn(manualText.contents, language)}
        className="manual-contents shrink-0 w-[240px]"
      >
        <form role="search" action="/help" className="flex gap-2">
          <input
            type="search"
            name="q"
            defaultValue={search}
            aria-label={textIn(manualText.search, language)}
            placeholder={textIn(manualText.search, language)}
            className="h-9 w-full min-w-0 rounded-md border border-line-strong bg-white px-3 text-sm text-ink placeholder:text-ink-faint"
          />
          <button
            type="submit"
            className="h-9 shrink-0 rounded-md border border-line-strong bg-white px-3 text-sm font-medium text-ink hover:bg-canvas"
          >
            {textIn(manualText.find, language)}
          </button>
        </form>
        <ul className="mt-4 text-sm">
          {manual.sections.map(({ id, title }) => (
            <li key={id}>
              <a href={`/help#${id}`} className="block py-1 text-brand-700 hover:underline">
                {title}
              </a>
            </li>
          ))}
        </ul>
        <a
          href="/help/site/index"
          className="mt-4 block text-sm text-brand-700 hover:underline"
        >
          {textIn(manualText.documents, language)}
        </a>
        <a
          href={`/api/v1/about/manual/file?language=${language}`}
          className="mt-4 inline-block text-sm text-brand-700 hover:underline"
        >
          {textIn(manualText.pdf, language)}
        </a>
      </nav>
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold text-ink">{manual.title}</h1>
        {search !== "" && (
          <p role="status" className="mt-2 text-sm text-ink-soft">
            {textIn(sections.length > 0 ? manualText.found : manualText.notFound, language, {
              n: sections.length,
              search,
            })}
          </p>
        )}
        {sections.map((section) => (
          <Section key={section.id} section={section} words={words} language={language} />
        ))}
      </div>
    </div>
  );
}

interface SectionProps {
  section: ManualSection;
  words: readonly string[];
  language: Language;
}

function Section({ section: { id, title, lines }, words, language }: SectionProps) {
  return (
    <section
      id={id}
      className="mt-6 rounded-xl border border-line bg-white px-6 py-5 text-sm leading-relaxed"
    >
      <h2 className="text-lg font-semibold text-ink">{title}</h2>
      {blocksOf(lines).map((block, at) =>
        Array.isArray(block)
          ? (
            <ol key={at} className="mt-2 list-decimal pl-5 text-ink-soft">
              {block.map(([step, ...pictures], n) => (
                <li key={n} className="mt-1">
                  <Marked text={step!.text} words={words} />
                  {pictures.map((line) => (
                    <Line key={line.name} line={line} words={words} language={language} />
                  ))}
                </li>
              ))}
            </ol>
          )
          : <Line key={at} line={block} words={words} language={language} />
      )}
    </section>
  );
}

/** One step of a task, with the pictures that follow it. */
type Step = ManualLine[];

/** Lines of a section, with the steps of each task as one list. */
function blocksOf(lines: readonly ManualLine[]): (ManualLine | Step[])[] {
  const blocks: (ManualLine | Step[])[] = [];
  for (const [at, line] of lines.entries()) {
    const last = blocks.at(-1), steps = Array.isArray(last) ? last : null;
    const goesOn = line.kind === "picture" &&
      lines.slice(at).find(({ kind }) => kind !== "picture")?.kind === "step";
    if (line.kind === "step" && steps) steps.push([line]);
    else if (line.kind === "step") blocks.push([[line]]);
    else if (goesOn && steps) steps.at(-1)!.push(line);
    else blocks.push(line);
  }
  return blocks;
}

interface LineProps {
  line: ManualLine;
  words: readonly string[];
  language: Language;
}

function Line({ line: { kind, text, name = "" }, words, language }: LineProps) {
  switch (kind) {
    case "heading":
      return <h3 id={name || undefined} className="mt-4 font-semibold text-ink">{text}</h3>;
    case "picture":
      return (
        <figure className="mt-3">
          <img
            src={`/${pictureFile(name, language)}`}
            alt={text}
            loading="lazy"
            className="max-w-full rounded-md border border-line"
          />
          <figcaption className="mt-1 text-xs text-ink-soft">{text}</figcaption>
        </figure>
      );
    default:
      return (
        <p className={`mt-2 text-ink-soft ${kind === "item" ? "manual-item" : ""}`}>
          <Marked text={text} words={words} />
        </p>
      );
  }
}

/** Text in which control names and search matches are highlighted. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return piecesOf(text).map(({ text, isControl }, n) =>
    isControl
      ? (
        <strong key={n} className="font-semibold text-ink">
          <Found text={text} words={words} />
        </strong>
      )
      : <Found key={n} text={text} words={words} />
  );
}

function Found({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const pattern = new RegExp(
    `(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "gi",
  );
  return text.split(pattern).map((part, n) => n % 2 === 1 ? <mark key={n}>{part}</mark> : part);
}
