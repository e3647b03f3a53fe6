import {
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";

/** Promise of the last queued write to each database file, by path. */
const lastWriters = new Map<string, Promise<void>>();

/**
 * Waits until all earlier connections of this process have finished writing the file.
 * @returns a function that lets the next connection write.
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

/** Connection that waits for its turn to write: for a transaction, or for a single statement. */
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
      // after a failed commit, the turn ends with the rollback that follows
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
 * SQLite driver for a file with several connections in this process, which queue to write.
 * Without the queue, SQLite would wait on the very thread that the lock's owner needs to finish.
 */
export class SerialWriteDialect extends SqliteDialect {
  constructor(private readonly database: SqliteDatabase, private readonly path: string) {
    super({ database });
  }

  override createDriver(): SqliteDriver {
    return new SerialWriteDriver(this.database, this.path);
  }
}
