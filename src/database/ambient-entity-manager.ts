import { EntityManager, TypeORMError } from 'typeorm';
import type { AmbientDataSource } from './ambient-data-source.js';

type TransactionWork<T> = (manager: EntityManager) => Promise<T>;

/** An EntityManager whose `transaction` is Database's: ambient for everything that is called inside. */
export class AmbientEntityManager extends EntityManager {
  override transaction<T>(
    isolationOrWork: string | TransactionWork<T>,
    workAfterIsolation?: TransactionWork<T>,
  ): Promise<T> {
    const work = typeof isolationOrWork === 'function' ? isolationOrWork : workAfterIsolation;
    if (work === undefined) throw new TypeORMError('A transaction needs work to do.');
    return (this.connection as AmbientDataSource).ambient.transaction(async () => {
      const runner = this.queryRunner ?? this.connection.createQueryRunner();
      try {
        return await work(runner.manager);
      } finally {
        if (this.queryRunner === undefined) await runner.release();
      }
    });
  }
}
