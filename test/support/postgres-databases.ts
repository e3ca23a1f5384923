import pg from 'pg';

const byDirectory = new Map<string, string>();
let count = 0;

/** The cluster of this run of the suite; undefined where it runs on SQLite. */
export const CLUSTER = process.env['ROOST_TEST_CLUSTER'];

/**
 * The address of a database on the cluster of the suite: a new one, or the one that the last application on this data
 * directory had.
 */
export async function databaseFor(directory?: string): Promise<string> {
  const known = directory === undefined ? undefined : byDirectory.get(directory);
  if (known !== undefined) return known;
  const name = `roost_${process.pid}_${++count}`;
  await administer(`CREATE DATABASE ${name}`);
  const url = `${CLUSTER}/${name}`;
  if (directory !== undefined) byDirectory.set(directory, url);
  return url;
}

/** How an application is told of its database: where the suite runs behind a pooler, of both ways to it. */
export function configFor(url: string): Readonly<Record<string, string>> {
  const pooler = process.env['ROOST_TEST_POOLER'];
  if (!pooler) return { DATABASE_URL: url };
  return { DATABASE_URL: new URL(new URL(url).pathname, pooler).href, DATABASE_DIRECT_URL: url };
}

export async function dropDatabase(url: string): Promise<void> {
  await administer(`DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${CLUSTER}/postgres` });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
