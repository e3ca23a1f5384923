import pg from 'pg';

/**
 * Of these tables of a database of PostgreSQL those whose pages it knows to be seen by everybody, and has statistics
 * of.
 */
export async function vacuumedOf(url: string, tables: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY($1)
        AND relallvisible > 0 AND relallvisible = relpages
        AND EXISTS (SELECT 1 FROM pg_stats WHERE schemaname = 'public' AND tablename = relname)`,
      [tables],
    );
    return rows.map(({ name }) => name).sort();
  } finally {
    await client.end();
  }
}
