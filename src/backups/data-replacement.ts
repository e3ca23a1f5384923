import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { AuxiliaryDatabase, Database } from '../database/database.js';
import { TrafficGate } from '../http/adapter/traffic-gate.js';
import { SettingsService } from '../settings/settings.service.js';
import { SseHub } from '../sse/sse-hub.js';
import { FileRemovals } from '../storage/file-removals.js';
import { LOGS } from '../transfer/copied-table.js';
import { vacuumFilled } from '../transfer/vacuum-filled.js';
import { DataSwap, type SwapRoom } from './data-swap.js';
import { DatabaseExchange } from './database-exchange.js';

/** How long requests that are running may take before their data changes under them (OPS-105). */
const DRAIN_TIME = 10_000;

/** Puts other content in the place of the present one, while nobody is served and everything is closed. */
@Injectable()
export class DataReplacement {
  constructor(
    private readonly database: Database,
    private readonly auxiliary: AuxiliaryDatabase,
    private readonly swap: DataSwap,
    private readonly databases: DatabaseExchange,
    private readonly settings: SettingsService,
    private readonly collections: CollectionStore,
    private readonly removals: FileRemovals,
    private readonly gate: TrafficGate,
    private readonly streams: SseHub,
  ) {}

  /**
   * Replaces the content by what stands ready there. When that fails, it is as it was before. `backup` is the name of
   * what it comes from.
   */
  async run(room: SwapRoom, backup: string): Promise<void> {
    this.gate.close();
    try {
      await this.streams.close();
      await this.gate.drain(DRAIN_TIME);
      // Pending removals belong to the old database and must not affect the restored files.
      const release = await this.removals.pause();
      await this.exchange(room, backup).finally(release);
    } finally {
      this.streams.reopen();
      this.gate.open();
    }
  }

  /** Does for the new tables what the server would do by itself later. Requests are answered meanwhile. */
  vacuum(): Promise<void> {
    return vacuumFilled(this.database, [...this.collections.catalog.tables(), LOGS.name]);
  }

  private async exchange(room: SwapRoom, backup: string): Promise<void> {
    if (this.databases.isNeeded) {
      await this.whileClosed(() => this.databases.run(room, backup));
      return this.requireReadable();
    }
    try {
      await this.whileClosed(() => this.swap.swapIn(backup));
      await this.requireReadable();
    } catch (error) {
      await this.whileClosed(async () => {
        await this.swap.rollback();
      });
      throw error;
    }
    await this.swap.commit();
  }

  /** Afterwards everything that is kept in memory is read again. */
  private whileClosed(work: () => Promise<void>): Promise<void> {
    return this.database.lifecycle.whileClosed(() => this.auxiliary.lifecycle.whileClosed(work));
  }

  /** Reads settings and definitions once more, because failures while reloading are only logged. */
  private async requireReadable(): Promise<void> {
    await this.settings.load();
    await this.collections.load();
  }
}
