// Roost with routes of a careless team: each tells a key on another way out of the process.
import { Logger } from '@nestjs/common';
import { RecordsService, runRoost } from '../../../dist/index.js';

await runRoost({
  configureApp(app) {
    const fastify = app.getHttpAdapter().getInstance();
    const key = async () => {
      const account = await app.get(RecordsService, { strict: false }).findFirst('_superusers', "id != ''");
      return account.get('tokenKey');
    };
    fastify.get('/careless/answer', async () => ({ value: await key() }));
    fastify.get('/careless/stream', async (_request, reply) => {
      const text = await key();
      reply.hijack().raw.write(`data: ${text.slice(0, 20)}`);
      setTimeout(() => reply.raw.end(`${text.slice(20)}\n\n`), 20);
    });
    fastify.get('/careless/output', async () => {
      console.log(await key());
      return {};
    });
    fastify.get('/careless/error', async () => {
      console.error(`$2b$10$${'a'.repeat(53)}`);
      return {};
    });
    fastify.get('/careless/log', async () => {
      new Logger('Careless').log({ value: await key() });
      return {};
    });
  },
});
