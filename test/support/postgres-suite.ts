import { Pooler } from './pooler.js';
import { PostgresCluster } from './postgres-cluster.js';

/**
 * For a run of the behaviour suite on PostgreSQL: a cluster of its own, which the specs find in their environment, and
 * with ROOST_TEST_POOLER a pooler before it.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await PostgresCluster.start();
  process.env['ROOST_TEST_CLUSTER'] = cluster.url;
  const pooler = process.env['ROOST_TEST_POOLER'] ? await Pooler.start(cluster) : undefined;
  if (pooler) process.env['ROOST_TEST_POOLER'] = pooler.through(cluster.url);
  return async () => {
    await pooler?.stop();
    await cluster.stop();
  };
}
