import { Injectable } from '@nestjs/common';
import { TimeSlices } from '../../database/time-slices.js';
import { chunksOf } from '../../kernel/chunks-of.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { type Reference, RecordReferences } from './record-references.js';
import { RecordRows } from '../record-rows.js';
import { RUN } from './record-runs.js';
import { RecordWriter, type RemoveOptions } from './record-writer.js';

/**
 * Deletes records with everything that depends on them (REL-2): cascades, cleared references, refusals. However many
 * there are, all of it is one transaction, in steps that let others in (OPS-39).
 */
@Injectable()
export class RecordCascade {
  constructor(
    private readonly references: RecordReferences,
    private readonly rows: RecordRows,
    private readonly writer: RecordWriter,
  ) {}

  /**
   * Deletes records of one collection, as many as fit one statement, in their order. Throws 400 when a required
   * reference would be left empty; the surrounding transaction then undoes everything. Gives those whose rows were
   * still there: a record that may be used once is taken by whoever gets it here.
   */
  async remove(
    collection: Collection,
    records: readonly RecordModel[],
    caller: Caller | null,
  ): Promise<readonly RecordModel[]> {
    const removal = new Removal(this.references, this.rows, this.writer, caller);
    return removal.carryOut(collection, records);
  }

  /** Locks a record whose rule is about to be asked. */
  async lock(collection: Collection, id: string): Promise<void> {
    await this.rows.lock(collection, id);
  }

  /** Deletes the record with this id, with full rights, and gives it; undefined when it is gone. */
  async take(collection: Collection, id: string): Promise<RecordModel | undefined> {
    const record = await this.rows.findToWrite(collection, id);
    return record && (await this.remove(collection, [record], null))[0];
  }
}

/** What has to be known of a record that is gone. */
type RecordPlace = Pick<RecordModel, 'collection' | 'id'>;

/** One deletion with all that follows from it. */
class Removal {
  private readonly slices = new TimeSlices();
  private readonly byCaller: RemoveOptions;
  private readonly following: RemoveOptions;

  constructor(
    private readonly references: RecordReferences,
    private readonly rows: RecordRows,
    private readonly writer: RecordWriter,
    caller: Caller | null,
  ) {
    const outcome = {};
    this.byCaller = { caller, outcome };
    this.following = { caller: null, outcome };
  }

  async carryOut(collection: Collection, records: readonly RecordModel[]): Promise<readonly RecordModel[]> {
    try {
      const together = await this.removeTogether(collection, records, this.byCaller);
      if (together) return together;
      const removed: RecordModel[] = [];
      for (const found of records) {
        await this.slices.pause();
        // Deleting the ones before may have changed or deleted this one, through cascades or hooks.
        const record = records.length > 1 ? await this.rows.findToWrite(collection, found.id) : found;
        if (record && (await this.removeWithDependents(record))) removed.push(record);
      }
      return removed;
    } catch (error) {
      this.byCaller.outcome.error = error;
      throw error;
    }
  }

  /**
   * A record's row goes first, so that in a circle of references it is not found again; then comes what refers to it,
   * each with what refers to that. The chain may be as long as there are records.
   */
  private async removeWithDependents(record: RecordModel): Promise<boolean> {
    if (!(await this.removeOne(record, this.byCaller))) return false;
    const open = [this.release(record)];
    while (open.length > 0) {
      const { value: removed } = await open.at(-1)!.next();
      if (removed) open.push(this.release(removed));
      else open.pop();
    }
    return true;
  }

  /**
   * Takes a record out of every value that refers to it. Gives the records that are deleted for it, one by one, of which
   * only the ids are kept: a chain of them may be long, and each may be wide.
   */
  private async *release({ collection: target, id }: RecordPlace): AsyncGenerator<RecordPlace, undefined> {
    for (const reference of this.references.to(target)) {
      const { collection, field } = reference;
      const goAll = field['cascadeDelete'] === true && !collection.typeOf(field).isMultiple(field);
      if (goAll && (await this.removeUnheard(id, reference))) continue;
      const mayChange = field['cascadeDelete'] === true || this.writer.mayBeChangedByHooks(collection);
      for await (const holders of this.references.holdersOf(id, reference)) {
        if (goAll && (await this.removeTogether(collection, holders, this.following))) continue;
        for (const found of holders) {
          await this.slices.pause();
          // Handling the holders before it, or a hook, may have changed or deleted this one.
          const holder = mayChange ? await this.references.holder(found.id, id, reference) : found;
          if (holder && (await this.releaseFrom(holder, id, reference))) yield { collection, id: holder.id };
        }
      }
    }
    return undefined;
  }

  /**
   * Deletes the records that refer to another, without reading them, where they are few and nobody hears of it. False
   * when some are left: it stops at those that others refer to in turn.
   */
  private async removeUnheard(id: string, reference: Reference): Promise<boolean> {
    const { collection } = reference;
    if (!this.writer.deletesUnheard(collection)) return false;
    const holders = await this.references.fewHolders(id, reference);
    if (!holders) return false;
    for (const ids of chunksOf(holders, RUN)) {
      await this.slices.pause();
      if (await this.areHeld(collection, ids)) return false;
      if (!(await this.writer.removeUnheard(collection, ids))) return false;
    }
    return true;
  }

  /** Gives true when the holder itself was deleted. */
  private async releaseFrom(holder: RecordModel, id: string, { field, collection }: Reference): Promise<boolean> {
    const value = holder.get(field.name);
    const remaining = (Array.isArray(value) ? (value as string[]) : [value as string]).filter((entry) => entry !== id);
    if (remaining.length === 0 && field['cascadeDelete'] === true) return this.removeOne(holder, this.following);
    if (remaining.length === 0 && field.required) {
      const required = this.mayKnow({ field, collection })
        ? `"${field.name}" of a record of "${collection.name}"`
        : 'another record';
      throw new BadRequestError(`The record is still required by ${required}, so it cannot be deleted.`);
    }
    // As it is: casting would look for repeated ids in what has none, and lists may be long (OPS-39).
    holder.setValue(field.name, Array.isArray(value) ? remaining : '');
    await this.writer.update(holder, { caller: null, validate: false });
    return false;
  }

  /**
   * Whether the error may name the reference. Closed collections and hidden fields are named to superusers and to code
   * without a caller only (GRD-8).
   */
  private mayKnow({ field, collection }: Reference): boolean {
    const { caller } = this.byCaller;
    return caller === null || caller.isSuperuser || (collection.listRule !== null && !field.hidden);
  }

  private async removeOne(record: RecordModel, options: RemoveOptions): Promise<boolean> {
    return (await this.writer.remove(record.collection, [record], options)).length > 0;
  }

  /**
   * Deletes records with one statement and gives those that existed. Undefined, without having done anything, when
   * hooks or references need each record by itself.
   */
  private async removeTogether(
    collection: Collection,
    records: readonly RecordModel[],
    options: RemoveOptions,
  ): Promise<readonly RecordModel[] | undefined> {
    await this.slices.pause();
    if (records.length < 2 || this.writer.hasDeleteHooks(collection)) return undefined;
    const ids = records.map(({ id }) => id);
    if (await this.areHeld(collection, ids)) return undefined;
    return this.writer.remove(collection, records, options);
  }

  private async areHeld(collection: Collection, ids: readonly string[]): Promise<boolean> {
    for (const reference of this.references.to(collection)) {
      if (await this.references.isHeld(ids, reference)) return true;
    }
    return false;
  }
}
