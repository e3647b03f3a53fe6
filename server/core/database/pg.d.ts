/** The part of node-postgres that is used. Its own types bring those of an old Node with them. */
declare module "pg" {
  export interface QueryResult {
    command: "UPDATE" | "DELETE" | "INSERT" | "SELECT" | "MERGE" | "COMMIT" | "ROLLBACK";
    rowCount: number;
    // deno-lint-ignore no-explicit-any -- what a row holds is the statement's business
    rows: any[];
  }
  export interface ClientBase {
    query(text: string, values?: unknown[]): Promise<QueryResult>;
  }
  export interface PoolClient extends ClientBase {
    /** With a name, the server parses and plans a statement once for each connection. */
    query(statement: { name?: string; text: string; values: unknown[] }): Promise<QueryResult>;
    query(text: string, values?: unknown[]): Promise<QueryResult>;
    release(isBroken?: boolean): void;
    on(event: "error", listener: (error: Error) => void): this;
  }
  export interface ClientConfig {
    connectionString: string;
    application_name?: string;
    keepAlive?: boolean;
    connectionTimeoutMillis?: number;
    idle_in_transaction_session_timeout?: number;
    statement_timeout?: number;
    /** after which an answer is waited for no longer, whatever the server does */
    query_timeout?: number;
    types?: TypeOverrides;
  }
  export class TypeOverrides {
    setTypeParser(oid: number, parse: (text: string) => unknown): void;
  }
  export interface Notification {
    processId: number;
    channel: string;
    payload?: string;
  }
  export class Client implements ClientBase {
    constructor(config: ClientConfig);
    connect(): Promise<void>;
    query(text: string, values?: unknown[]): Promise<QueryResult>;
    query(statement: { text: string; query_timeout: number }): Promise<QueryResult>;
    end(): Promise<void>;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "end", listener: () => void): this;
    on(event: "notification", listener: (message: Notification) => void): this;
  }
  export class Pool implements ClientBase {
    constructor(config: ClientConfig & { max?: number });
    readonly options: object;
    connect(): Promise<PoolClient>;
    query(text: string, values?: unknown[]): Promise<QueryResult>;
    end(): Promise<void>;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "connect", listener: (client: PoolClient) => void): this;
  }
  const pg: { Client: typeof Client; Pool: typeof Pool; TypeOverrides: typeof TypeOverrides };
  export default pg;
}
