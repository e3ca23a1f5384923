import type { PoolClient } from 'pg';
import type { CompiledSql } from '../compiled-sql.js';
import { sendTogether } from './postgres-statement.js';

/** None of them has to wait for more than this many others. */
const MOST_TOGETHER = 32;

interface WaitingRead {
  readonly statement: CompiledSql;
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs one of them on a connection that it shares; the first part of it, which sends it, without waiting. */
type RunShared = (client: PoolClient, statement: CompiledSql) => Promise<unknown[]>;

/**
 * Quick reads that are asked for in one turn of the event loop, which is what requests do that arrive at about the same
 * time: they are sent together, on one connection. To take a connection, to send something and to be woken by an answer
 * costs this process several times what such a statement does. Each succeeds or fails alone.
 */
export class JointReads {
  private readonly waiting: WaitingRead[] = [];

  constructor(
    private readonly connect: () => Promise<PoolClient>,
    private readonly runShared: RunShared,
    private readonly giveBack: (client: PoolClient, errors: readonly unknown[]) => void,
  ) {}

  read<Row>(statement: CompiledSql): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ statement, resolve: resolve as WaitingRead['resolve'], reject });
      if (this.waiting.length === 1) setImmediate(() => void this.send());
    });
  }

  private async send(): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.connect();
    } catch (error) {
      for (const { reject } of this.waiting.splice(0)) reject(error);
      return;
    }
    // With those that have come while a connection was waited for.
    const reads = this.waiting.splice(0, MOST_TOGETHER);
    if (this.waiting.length > 0) setImmediate(() => void this.send());
    const errors: unknown[] = [];
    const running = sendTogether(client, () => reads.map(({ statement }) => this.runShared(client, statement)));
    await Promise.all(
      running.map((rows, at) =>
        rows.then(reads[at]!.resolve, (error: unknown) => {
          errors.push(error);
          reads[at]!.reject(error);
        }),
      ),
    );
    this.giveBack(client, errors);
  }
}
