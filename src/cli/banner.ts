/** What is printed when the server listens (OPS-191). `address` is as Fastify reports it, e.g. `http://127.0.0.1:8090`. */
export function formatBanner(address: string, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
  return (
    `${stamp} Server started at ${address}\n` + `├─ REST API:  ${address}/api/\n` + `└─ Dashboard: ${address}/_/\n`
  );
}
