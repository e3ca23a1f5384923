import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { CollectionsService } from '../collections/collections.service.js';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { Database } from '../database/database.js';
import type { CollectionBody } from '../kernel/collections/collection-body.js';
import { RULE_NAMES } from '../kernel/collections/rule.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { column, compare, param } from '../kernel/sql/sql.js';
import { definitionDifferences } from './definition-differences.js';
import type { ImportedCollection, ImportReport, Progress } from './import-report.js';
import { ImportTarget } from './import-target.js';
import { ImportedFiles } from './imported-files.js';
import { ImportedRecords } from './imported-records.js';
import { ImportedSettings } from './imported-settings.js';
import { PocketBaseSource, type SourceCollection } from './pocketbase-source.js';

/** Directories of PocketBase that have no meaning here, looked for in and beside its data directory. */
const LEFT_BEHIND: Readonly<Record<string, string>> = {
  backups: 'backups: restoring one needs PocketBase',
  pb_hooks: 'pb_hooks: hooks are written as providers here',
  pb_migrations: 'pb_migrations: the collections themselves were carried over',
  pb_public: 'pb_public: name the folder with --publicDir',
};

const FIXED_BY_SYSTEM: ReadonlySet<string> = new Set([...RULE_NAMES, 'authRule', 'manageRule', 'indexes']);

/** Fills an empty data directory from one of PocketBase 0.23 or newer, which is only read (OPS-165). */
@Injectable()
export class PocketBaseImportService {
  constructor(
    private readonly target: ImportTarget,
    private readonly database: Database,
    private readonly collections: CollectionsService,
    private readonly store: CollectionStore,
    private readonly records: ImportedRecords,
    private readonly files: ImportedFiles,
    private readonly importedSettings: ImportedSettings,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /** Throws a StartError that says why; the target is then as empty as it was. */
  async import(directory: string, progress: Progress): Promise<ImportReport> {
    const path = resolve(directory);
    await PocketBaseSource.require(path);
    await this.target.requireFree();
    await requireApart(await realpath(path), this.config.dir);
    return this.target.fill(async () => {
      const source = await PocketBaseSource.open(path, this.target.workshop, this.config.databaseDriver);
      try {
        return await this.database.transaction(() => this.carryOver(source, progress), { exclusive: true });
      } catch (error) {
        throw readable(error);
      } finally {
        await source.close();
      }
    }, progress);
  }

  private async carryOver(source: PocketBaseSource, progress: Progress): Promise<ImportReport> {
    const definitions = await source.collections();
    progress(`Collections: ${definitions.length}`);
    const builtIn = new Set(this.store.catalog.all().flatMap(({ name, system }) => (system ? name : [])));
    const bodies = definitions.map((each) => (builtIn.has(each.name) ? changesOfBuiltIn(each) : importable(each)));
    await this.collections.import(bodies, { deleteMissing: true, keepFieldIds: true });
    await this.keepTimes(definitions);
    const changed: string[] = [];
    const notCarriedOver: string[] = [];
    const imported: ImportedCollection[] = [];
    for (const definition of definitions) {
      const { id, name } = definition;
      const collection = this.store.catalog.findById(id);
      if (!collection) throw new StartError(`The collection ${name} with the id ${id} did not keep its id.`);
      const differences = definitionDifferences(definition, collection, builtIn.has(name));
      changed.push(...differences.changed);
      notCarriedOver.push(...differences.notCarriedOver);
      if (collection.isView) continue;
      const records = await this.records.copy(collection, source);
      const files = await this.files.copy(collection, source, records.files);
      changed.push(...records.changed);
      notCarriedOver.push(...records.notCarriedOver, ...files.notCarriedOver);
      const { count, checksum } = records;
      imported.push({ name: collection.name, records: count, files: files.count, checksum });
      progress(`${collection.name}: ${count} records, ${files.count} files, sha256 ${checksum.slice(0, 16)}`);
    }
    notCarriedOver.push(...(await this.importedSettings.carryOver(await source.settings())));
    notCarriedOver.push(...(await this.leftBehind(source)));
    await this.files.finish();
    return { collections: imported, definitions: definitions.length, changed, notCarriedOver };
  }

  /** The import has set the times of the definitions, so the original ones are written. */
  private async keepTimes(definitions: readonly SourceCollection[]): Promise<void> {
    for (const { id, created, updated } of definitions) {
      await this.database.run({
        kind: 'update',
        table: '_collections',
        set: [
          { column: 'created', value: param(created) },
          { column: 'updated', value: param(updated) },
        ],
        where: compare(column('_collections', 'id'), '=', param(id)),
      });
    }
  }

  private async leftBehind(source: PocketBaseSource): Promise<string[]> {
    const names = new Set<string>(await readdir(source.path));
    for (const name of await readdir(dirname(source.path))) if (name.startsWith('pb_')) names.add(name);
    const found = Object.entries(LEFT_BEHIND).filter(([name]) => names.has(name));
    const logs = await source.countLogs();
    return [...found.map(([, line]) => line), ...(logs > 0 ? [`logs: ${logs} entries of auxiliary.db`] : [])];
  }
}

/** Throws when source and target are the same directory, or one is inside the other. */
async function requireApart(source: string, target: string): Promise<void> {
  const real = await realpath(target).catch(() => resolve(target));
  if (join(real, '/').startsWith(join(source, '/'))) {
    throw new StartError('The data directory to fill lies in the one to read.');
  }
}

/** The fields of a view follow from its query. */
function importable(definition: SourceCollection): CollectionBody {
  if (definition.type !== 'view') return definition;
  const { indexes: _indexes, fields: _fields, ...view } = definition;
  return view;
}

/** Rules and indexes of the system collections that both have are the same everywhere and cannot be set. */
function changesOfBuiltIn(definition: SourceCollection): CollectionBody {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !FIXED_BY_SYSTEM.has(key)));
}

/** Turns an error for clients of the API into a message for the terminal. */
function readable(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return new StartError(`The data of PocketBase could not be carried over: ${error.message}`, { cause: error });
}
