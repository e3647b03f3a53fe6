import { type Compilable, CompiledQuery } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";

interface Statement {
  sql: string;
  /** of each parameter the place among the values, or what it always is */
  parameters: readonly ({ at: number } | { value: unknown })[];
}

/**
 * A read whose SQL is put together once for each kind of database: for a short one that takes longer than running it.
 *
 * @param build Makes the query; the values become its parameters and decide nothing else, for they are stand-ins.
 */
export function prepared<Values extends readonly unknown[], Row>(
  build: (db: Database, ...values: Values) => Compilable<Row>,
): (db: Database, ...values: Values) => Promise<Row[]> {
  const statements = new Map<boolean, Statement>();
  const prepare = (db: Database): Statement => {
    const standIns = Array.from({ length: build.length - 1 }, () => ({}));
    const { sql, parameters } = build(db, ...standIns as unknown as Values).compile();
    const places = parameters.map((value) => {
      const at = standIns.indexOf(value as object);
      return at < 0 ? { value } : { at };
    });
    const used = new Set(places.flatMap((place) => "at" in place ? place.at : []));
    if (used.size < standIns.length) throw new TypeError(`a value is no parameter of: ${sql}`);
    return { sql, parameters: places };
  };
  return async (db, ...values) => {
    const kind = isPostgres(db);
    let statement = statements.get(kind);
    if (!statement) statements.set(kind, statement = prepare(db));
    const parameters = statement.parameters.map((place) => "at" in place ? values[place.at] : place.value);
    return (await db.executeQuery<Row>(CompiledQuery.raw(statement.sql, parameters))).rows;
  };
}
