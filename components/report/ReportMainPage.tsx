import type { MainPage, TableRow } from "@/model/report_page.ts";

/** A drawing of the report model; its texts are escaped where it is made. */
const Drawing = ({ svg, className, label }: { svg: string; className: string; label?: string }) => (
  <div
    className={className}
    role={label ? "img" : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : true}
    dangerouslySetInnerHTML={{ __html: svg }}
  />
);

function Row({ row }: { row: TableRow }) {
  const level = row.band?.level ?? 0;
  return (
    <tr className={row.key === "icv" || row.key === "brain" ? "report-row-whole" : ""}>
      <th scope="row">{row.name}</th>
      <td className="report-number">{row.left}</td>
      <td className="report-number">{row.right}</td>
      <td className="report-number report-total">{row.total}</td>
      <td className="report-number">{row.icvPercent}</td>
      <td className={`report-number report-band-${level}`}>{row.percentile}</td>
      <td>{row.rail && <Drawing svg={row.rail} className="report-rail" />}</td>
      <td className={`report-band report-band-${level}`}>
        {row.band
          ? (
            <>
              <span aria-hidden="true">{row.band.symbol}</span> {row.band.text}
            </>
          )
          : <span className="report-note">{row.note}</span>}
      </td>
    </tr>
  );
}

/** The Main Page on one sheet of A4, the same as in the PDF. */
export function ReportMainPage({ page }: { page: MainPage }) {
  const { head, footer } = page;
  return (
    <article className="report-sheet" lang={page.language} aria-label={page.title}>
      <header className="report-header">
        <h1>
          <span className="report-brand">Sulcus</span> {page.title}
        </h1>
        <div className="report-header-side">
          {page.hospital && <p>{page.hospital}</p>}
          {page.demo && <p className="report-demo">{page.demo}</p>}
        </div>
      </header>

      <dl className="report-identity">
        {page.identity.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>

      {page.notice && <p className="report-notice">{page.notice}</p>}

      <p className="report-small report-pictures-title">{page.picturesTitle}</p>
      <div className="report-pictures">
        {page.pictures.map((picture) => (
          <figure key={picture.key}>
            <img src={picture.url} alt={picture.alt} width={640} height={640} />
            <figcaption>{picture.caption}</figcaption>
          </figure>
        ))}
      </div>

      <h2>{page.tableTitle}</h2>
      {page.caution && <p className="report-notice report-caution">{page.caution}</p>}
      <table className="report-table">
        <colgroup>
          <col />
          <col className="report-col-side" />
          <col className="report-col-side" />
          <col className="report-col-total" />
          <col className="report-col-icv" />
          <col className="report-col-percentile" />
          <col className="report-col-rail" />
          <col className="report-col-band" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{head.region}</th>
            <th scope="col" className="report-number">{head.left}</th>
            <th scope="col" className="report-number">{head.right}</th>
            <th scope="col" className="report-number">{head.total}</th>
            <th scope="col" className="report-number">{head.icv}</th>
            <th scope="col" className="report-number">{head.percentile}</th>
            <td>
              <Drawing svg={page.railHead} className="report-rail" />
            </td>
            <th scope="col">{head.band}</th>
          </tr>
        </thead>
        <tbody>{page.rows.map((row) => <Row key={row.key} row={row} />)}</tbody>
      </table>
      {page.legend && <p className="report-small report-legend">{page.legend}</p>}

      {page.charts.length > 0 && (
        <>
          <h2>{page.chartsTitle}</h2>
          <div className="report-charts">
            {page.charts.map((chart) => (
              <Drawing key={chart.key} svg={chart.svg} className="report-chart" label={chart.alt} />
            ))}
          </div>
        </>
      )}
      {page.chartsNote && <p className="report-small">{page.chartsNote}</p>}

      <dl className="report-quality">
        {page.quality.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>

      {page.opinion && (
        <section>
          <h2>{page.opinion.label}</h2>
          <p className="report-opinion">{page.opinion.value}</p>
        </section>
      )}

      <footer className="report-footer">
        <p>{footer.norms}</p>
        <div>
          <p>{`${page.product}. ${footer.segmentation}. ${page.notDiagnosis}`}</p>
          <p>{`${footer.generated}\u2003${footer.page}`}</p>
        </div>
      </footer>
    </article>
  );
}
