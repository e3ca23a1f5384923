/**
 * The addresses of the servers of a database, of which `DATABASE_URL` may name several, as `postgres://…@one:5432,two/app`.
 */
export function urlsOf(url: string): string[] {
  const [, before, hosts, after] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`);
}
