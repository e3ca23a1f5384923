/** The addresses of the servers in `DATABASE_URL`, which may name several: `postgres://…@one:5432,two/app`. */
export function urlsOf(url: string): string[] {
  const [, before, hosts, after] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`);
}
