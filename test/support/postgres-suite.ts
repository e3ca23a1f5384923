import { PostgresCluster } from './postgres-cluster.js';

/** For a run of the behaviour suite on PostgreSQL: a cluster of its own, which the specs find in their environment. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await PostgresCluster.start();
  process.env['ROOST_TEST_CLUSTER'] = cluster.url;
  return () => cluster.stop();
}
