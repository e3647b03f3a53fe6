import type { ReactNode } from "react";
import { RAIL_SIZE } from "@/report/charts/chart.ts";
import type { Entry } from "@/report/model/format.ts";
import type { Block, Cell, Column, Drawing, Sheet, TableRow } from "@/report/sheets/sheet.ts";

/** Number of CSS pixels per point. */
const PX = 96 / 72;

/** Inserts an SVG drawing. Texts in the SVG are already escaped, so no markup can be injected. */
const Svg = ({ svg, className, label }: { svg: string; className: string; label?: string }) => (
  <div
    className={className}
    role={label ? "img" : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : true}
    dangerouslySetInnerHTML={{ __html: svg }}
  />
);

const Entries = ({ entries, className }: { entries: readonly Entry[]; className: string }) => (
  <dl className={className}>
    {entries.map(({ label, value, span }) => (
      <div key={label} className={span === 2 ? "report-span" : undefined}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/**
 * CSS class of a drawing: a percentile scale, or a symbol if the column is narrower than a scale.
 */
const drawingClass = ({ isWide, width }: Column): string =>
  isWide
    ? "report-rail report-rail-wide"
    : width === "*" || width > RAIL_SIZE.width
    ? "report-rail"
    : "report-mark";

function CellContent({ cell, column }: { cell: Cell; column: Column }) {
  if (cell.svg !== undefined) return <Svg svg={cell.svg} className={drawingClass(column)} />;
  return (
    <>
      {cell.isQuiet ? <span className="report-note">{cell.text}</span> : cell.text}
      <Under cell={cell} />
    </>
  );
}

/** Small print below the text of a table cell. */
function Under({ cell: { under, underLevel = 0 } }: { cell: Cell }) {
  if (under === undefined) return null;
  return (
    <span className={`report-under ${underLevel > 0 ? `report-band-${underLevel}` : ""}`}>
      {under}
    </span>
  );
}

function Row({ row, columns }: { row: TableRow; columns: readonly Column[] }) {
  return (
    <tr className={row.isGroup ? "report-group" : undefined}>
      {row.cells.map((cell, index) => {
        const { isNumber, isSmall } = columns[index]!;
        const className = [
          isNumber && "report-number",
          isSmall && "report-words",
          cell.isBold && "report-bold",
          (cell.level ?? 0) > 0 && `report-band-${cell.level}`,
        ].filter((name) => name).join(" ") || undefined;
        return index === 0
          ? (
            <th key={index} scope="row" className={className}>
              {cell.text}
              <Under cell={cell} />
            </th>
          )
          : (
            <td key={index} className={className}>
              <CellContent cell={cell} column={columns[index]!} />
            </td>
          );
      })}
    </tr>
  );
}

function Table({ block }: { block: Extract<Block, { kind: "table" }> }) {
  return (
    <table
      className={`report-table ${block.isDense ? "report-dense" : ""} ${
        block.room ? `report-room-${block.room}` : ""
      }`}
    >
      <caption className="visually-hidden">{block.caption}</caption>
      <colgroup>
        {block.columns.map(({ width }, index) => (
          <col key={index} width={width === "*" ? undefined : Math.round(width * PX)} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {block.columns.map((column, index) => {
            const { label, svg, isNumber } = column;
            return label === ""
              ? <td key={index}>{svg && <Svg svg={svg} className={drawingClass(column)} />}</td>
              : (
                <th key={index} scope="col" className={isNumber ? "report-number" : undefined}>
                  {label}
                </th>
              );
          })}
        </tr>
      </thead>
      <tbody>
        {block.rows.map((row, index) => <Row key={index} row={row} columns={block.columns} />)}
      </tbody>
    </table>
  );
}

const Drawings = ({ drawings, columns }: { drawings: readonly Drawing[]; columns: number }) => (
  <div className={`report-drawings report-columns-${columns}`}>
    {drawings.map(({ svg, alt }, index) => (
      <Svg key={index} svg={svg} className="report-drawing" label={alt} />
    ))}
  </div>
);

function BlockView({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case "identity":
      return <Entries entries={block.entries} className="report-identity" />;
    case "entries":
      return (
        <Entries
          entries={block.entries}
          className={`report-entries report-columns-${block.columns}`}
        />
      );
    case "line":
      return <Entries entries={block.entries} className="report-line" />;
    case "notice":
      return (
        <p className={`report-notice ${block.isStrong ? "report-caution" : ""}`}>{block.text}</p>
      );
    case "heading":
      return <h2>{block.text}</h2>;
    case "title":
      return (
        <div className="report-title">
          <p>{block.text}</p>
          {block.under && <p>{block.under}</p>}
        </div>
      );
    case "small":
      return <p className="report-small">{block.text}</p>;
    case "text":
      return (
        <p
          className={`${block.isLarge ? "report-large" : "report-text"} ${
            block.isWritten ? "report-written" : ""
          }`.trim()}
        >
          {block.text}
        </p>
      );
    case "list":
      return (
        <ul className="report-list">{block.items.map((item) => <li key={item}>{item}</li>)}</ul>
      );
    case "pictures":
      return (
        <div
          className={`report-pictures report-columns-${block.columns} report-scale-${block.scale}`}
        >
          {block.pictures.map((picture) => (
            <figure key={picture.key}>
              <img src={picture.url} alt={picture.alt} width={640} height={640} />
              <figcaption>{picture.caption}</figcaption>
            </figure>
          ))}
        </div>
      );
    case "drawings":
      return <Drawings drawings={block.drawings} columns={block.columns} />;
    case "table":
      return <Table block={block} />;
    case "split":
      return (
        <div className={`report-split report-split-${block.share}`}>
          <div>
            <Blocks blocks={block.left} />
          </div>
          <div>
            <Blocks blocks={block.right} />
          </div>
        </div>
      );
  }
}

const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <>{blocks.map((block, index) => <BlockView key={index} block={block} />)}</>
);

/** One sheet of a report as HTML, in A4 size and with the same layout as in the PDF. */
export function ReportSheet({ sheet }: { sheet: Sheet }) {
  const { footer } = sheet,
    made = `${sheet.product}. ${footer.segmentation}. ${footer.notDiagnosis}`;
  return (
    <article
      className="report-sheet"
      lang={sheet.language}
      aria-label={`${sheet.title} – ${footer.page}`}
    >
      {sheet.watermark && <Svg svg={sheet.watermark} className="report-watermark" />}
      <header className="report-header">
        <h1>
          <span className="report-brand">Sulcus</span> {sheet.report}{" "}
          <span className="report-page-title">{sheet.title}</span>
        </h1>
        <div className="report-hospital">
          <div className="report-header-side">
            {sheet.hospital && <p>{sheet.hospital}</p>}
            {sheet.demo && <p className="report-demo">{sheet.demo}</p>}
          </div>
          {sheet.logo && <img className="report-logo" src={sheet.logo} alt="" />}
        </div>
      </header>
      <div className="report-body">
        <Blocks blocks={sheet.blocks} />
      </div>
      <footer className="report-footer">
        <div>
          <p>{footer.norms ?? made}</p>
          <p>{`${footer.generated}\u2003${footer.page}`}</p>
        </div>
        {footer.norms !== null && <p>{made}</p>}
      </footer>
    </article>
  );
}
