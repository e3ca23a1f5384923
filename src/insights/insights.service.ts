import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { CLOCK, ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import type { Clock } from '../kernel/clock.js';
import { call, table } from '../kernel/sql/sql.js';
import { SettingsService } from '../settings/settings.service.js';
import { SseHub } from '../sse/sse-hub.js';
import { BackupStorage } from '../storage/backup-storage.js';
import { FILE_STORAGE, type FileStorage } from '../storage/file-storage.js';
import { adviceOn } from './advice.js';
import type { CollectionSize, FilesSize, Insights, InsightSizes } from './insights.dto.js';
import { RequestMetrics } from './request-metrics.js';

/** Rows of a list of the slowest. */
const SHOWN = 10;
/** Milliseconds for which sizes are cached: measuring is slow, and they change slowly. */
const FRESH = 60_000;
/** Milliseconds for counting records, and for looking at files. */
const BUDGET = 2_000;
const MOST_FILES = 20_000;
const MOST_BACKUPS = 1_000;
/** The table of the logs, where it lies beside the data. */
const LOGS = '_logs';

/** Figures that are slow to get and are cached for a minute. */
interface Measured {
  readonly at: number;
  readonly sizes: InsightSizes;
  readonly lastBackup: number | null | undefined;
}

interface MeasuredDatabase {
  readonly whole: number | null;
  readonly logs: number | null;
  readonly ofTable: (name: string) => number | null;
}

/** Collects figures about this process, and advice (UI-80). */
@Injectable()
export class InsightsService {
  private measuring: Promise<Measured> | undefined;

  constructor(
    private readonly metrics: RequestMetrics,
    private readonly database: Database,
    private readonly collections: CollectionStore,
    private readonly settings: SettingsService,
    private readonly hub: SseHub,
    private readonly backups: BackupStorage,
    @Inject(FILE_STORAGE) private readonly files: FileStorage,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async read(): Promise<Insights> {
    const { sizes, lastBackup } = await this.measured();
    const latencies = this.metrics.latencies();
    const { logs, backups } = this.settings.get();
    const percentile = (percent: number) => latencies.percentile(percent);
    return {
      since: this.metrics.since,
      minutes: this.metrics.perMinute(),
      latency: { p50: percentile(50), p95: percentile(95), p99: percentile(99) },
      routes: this.metrics.slowestRoutes(SHOWN),
      statements: (await this.database.reads.slowest()).slice(0, SHOWN),
      sizes,
      streams: this.hub.size,
      advice: adviceOn({
        collections: this.collections.catalog.all().filter(({ system }) => !system),
        sizes: sizes.collections,
        lastBackup,
        hasSchedule: backups.cron !== '',
        logs: { maxDays: logs.maxDays, bytes: sizes.logs },
        now: this.clock.now(),
      }),
    };
  }

  /** Concurrent requests share one measurement, which is cached for a while. */
  private async measured(): Promise<Measured> {
    const last = await this.measuring?.catch(() => undefined);
    if (last && this.clock.now() - last.at < FRESH) return last;
    this.measuring = this.measure();
    return this.measuring;
  }

  private async measure(): Promise<Measured> {
    const [counted, files, database, lastBackup] = await Promise.all([
      this.countRecords(),
      this.countFiles().catch(() => null),
      this.databaseSizes(),
      this.lastBackup().catch(() => undefined),
    ]);
    const { whole, logs, ofTable } = database;
    const collections = counted.map((each) => ({ ...each, bytes: ofTable(each.name) }));
    return { at: this.clock.now(), sizes: { collections, files, database: whole, logs }, lastBackup };
  }

  /** Counts one collection after another, until the time is used up. */
  private async countRecords(): Promise<Omit<CollectionSize, 'bytes'>[]> {
    const until = performance.now() + BUDGET;
    const sizes: Omit<CollectionSize, 'bytes'>[] = [];
    for (const { id, name, type } of this.collections.catalog.all()) {
      if (type === 'view') continue;
      const records = performance.now() < until ? await this.count(name).catch(() => null) : null;
      sizes.push({ id, name, records });
    }
    return sizes.toSorted((a, b) => (b.records ?? Infinity) - (a.records ?? Infinity));
  }

  private async count(name: string): Promise<number> {
    const columns = [{ value: call('count'), as: 'total' }];
    const row = await this.database.get<{ total: number }>({ kind: 'select', columns, from: table(name) });
    return row?.total ?? 0;
  }

  private async countFiles(): Promise<FilesSize> {
    const until = performance.now() + BUDGET;
    let [count, bytes] = [0, 0];
    for await (const { size } of this.files.list('')) {
      if (count === MOST_FILES || performance.now() > until) return { count, bytes, isAll: false };
      count += 1;
      bytes += size;
    }
    return { count, bytes, isAll: true };
  }

  private async lastBackup(): Promise<number | null> {
    let [last, seen] = [-Infinity, 0];
    for await (const { modified } of this.backups.list('')) {
      last = Math.max(last, modified.getTime());
      if ((seen += 1) === MOST_BACKUPS) break;
    }
    return seen === 0 ? null : last;
  }

  /** SQLite has one file for the data and one for the logs, and no sizes of single tables. */
  private async databaseSizes(): Promise<MeasuredDatabase> {
    const told = await this.database.upkeep.sizes().catch(() => undefined);
    if (!told) {
      const [whole, logs] = await Promise.all([this.sizeOf('data.db'), this.sizeOf('auxiliary.db')]);
      return { whole, logs, ofTable: () => null };
    }
    const ofTable = (name: string) => told.tables.get(name) ?? null;
    return { whole: told.database, logs: ofTable(LOGS), ofTable };
  }

  /** A database with its journal. */
  private async sizeOf(name: string): Promise<number | null> {
    const path = join(this.config.dir, name);
    const size = async (file: string) => (await stat(file)).size;
    const main = await size(path).catch(() => null);
    return main === null ? null : main + (await size(`${path}-wal`).catch(() => 0));
  }
}
