import { AppError } from "@/model/errors.ts";
import {
  filterNameKey,
  type FilterRequest,
  type FiltersResponse,
  type SavedFilter,
} from "@/model/schema/worklist/filters.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteFilter as deleteRow,
  findFilterNamed,
  insertFilter,
  listFilters as listRows,
  updateFilter,
} from "@/server/core/studies/storage/filters.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const MAX_FILTERS = 500;

const fieldsOf = ({ id: _id, user_id: _userId, ...fields }: FilterRequest) => ({
  ...fields,
  name: fields.name.trim(),
});

const duplicate = () =>
  new AppError("filter.duplicate_name", "Cannot save the filter: the user has one of that name");
const notFound = (id: number) =>
  new AppError("entity.not_found", `Cannot find filter ${id}: the caller has none of that number`);

async function find(db: Database, userId: number, id: number): Promise<SavedFilter> {
  const savedFilter = (await listRows(db, userId)).find((filter) => filter.id === id);
  if (!savedFilter) throw notFound(id);
  return savedFilter;
}

/** The saved search filters of the caller. */
export const listFilters = async (
  { db }: ServiceContext,
  caller: Caller,
): Promise<FiltersResponse> => ({
  filters: await listRows(db, caller.uid),
});

/**
 * Stores a new search filter of the caller.
 * @throws {AppError} `filter.duplicate_name`; case and surrounding spaces are ignored.
 */
export const addFilter = (
  { db }: ServiceContext,
  request: FilterRequest,
  caller: Caller,
): Promise<SavedFilter> =>
  db.transaction().execute(async (tx) => {
    if ((await listRows(tx, caller.uid)).length >= MAX_FILTERS) {
      throw new AppError("input.invalid", `Cannot save the filter: the user has ${MAX_FILTERS}`);
    }
    const id = await insertFilter(tx, caller.uid, filterNameKey(request.name), fieldsOf(request));
    if (id === null) throw duplicate();
    return await find(tx, caller.uid, id);
  });

/**
 * @throws {AppError} `filter.duplicate_name`; `entity.not_found`, also for another user's filter.
 */
export const changeFilter = (
  { db }: ServiceContext,
  id: number,
  request: FilterRequest,
  caller: Caller,
): Promise<SavedFilter> =>
  db.transaction().execute(async (tx) => {
    const key = filterNameKey(request.name), named = await findFilterNamed(tx, caller.uid, key);
    if (named !== null && named !== id) throw duplicate();
    if (!await updateFilter(tx, caller.uid, id, key, fieldsOf(request))) throw notFound(id);
    return await find(tx, caller.uid, id);
  });

/** Deletes a search filter of the caller. @throws {AppError} `entity.not_found`. */
export async function deleteFilter(
  { db }: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  if (!await deleteRow(db, caller.uid, id)) throw notFound(id);
}
