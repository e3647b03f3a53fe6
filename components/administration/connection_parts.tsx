import type { ReactNode } from "react";

/** CSS class names of table cells on the connections page. */
export const CELL = "px-3 py-2 text-left align-top";

/** Card with a heading, of which the connections page is made. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    // tables scroll horizontally in a narrow window, also by keyboard
    <section className="rounded-xl border border-line bg-white p-5" aria-label={title} tabIndex={0}>
      <h2 className="mb-3 text-base font-semibold text-ink">{title}</h2>
      {children}
    </section>
  );
}

/** Table with column heads, for cards of the connections page. */
export function Table(
  { heads, label, children }: { heads: readonly string[]; label: string; children: ReactNode },
) {
  return (
    <table className="w-full text-[13px]" aria-label={label}>
      <thead>
        <tr className="border-b border-line text-ink-soft">
          {heads.map((head, at) =>
            head === ""
              ? <td key={at} className={CELL} />
              : <th key={at} scope="col" className={`${CELL} font-semibold`}>{head}</th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
