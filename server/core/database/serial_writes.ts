import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";

/** The end of the last turn to write each file. */
const lastWriters = new Map<string, Promise<void>>();

/**
 * Waits until the other connections of this process do not write a file. @returns ends the turn.
 */
async function acquireWriter(path: string): Promise<() => void> {
  const previousWriter = lastWriters.get(path),
    { promise, resolve } = Promise.withResolvers<void>();
  lastWriters.set(path, promise);
  await previousWriter;
  return () => {
    if (lastWriters.get(path) === promise) lastWriters.delete(path);
    resolve();
  };
}

/** Writes in its turn: a transaction as a whole, every other statement that writes by itself. */
class SerialWriteConnection implements DatabaseConnection {
  #endTurn: (() => void) | null = null;

  constructor(private readonly own: DatabaseConnection, private readonly path: string) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const isBegin = query.sql === "begin", isRead = /^\s*select\b/i.test(query.sql);
    if (this.#endTurn === null && !isRead) this.#endTurn = await acquireWriter(this.path);
    else if (query.sql !== "commit" && query.sql !== "rollback") {
      return await this.own.executeQuery(query);
    }
    try {
      const result = await this.own.executeQuery<R>(query);
      if (!isBegin) this.#end();
      return result;
    } catch (error) {
      // after a commit that failed comes a rollback
      if (query.sql !== "commit") this.#end();
      throw error;
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.own.streamQuery(query, chunkSize);
  }

  #end(): void {
    this.#endTurn?.();
    this.#endTurn = null;
  }
}

class SerialWriteDriver extends SqliteDriver {
  #connection: Promise<SerialWriteConnection> | null = null;

  constructor(database: SqliteDatabase, private readonly path: string) {
    super({ database });
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection ??= super.acquireConnection().then((own) =>
      new SerialWriteConnection(own, this.path)
    );
  }
}

/**
 * SQLite for a file of which this process may have several connections. One that is busy makes
 * SQLite wait on the very thread that its owner needs to go on, until the time is over: here they
 * wait for one another before they ask it.
 */
export class SerialWriteDialect extends SqliteDialect {
  constructor(private readonly database: SqliteDatabase, private readonly path: string) {
    super({ database });
  }

  override createDriver(): SqliteDriver {
    return new SerialWriteDriver(this.database, this.path);
  }
}
