import {
  Body,
  ConsoleLogger,
  Controller,
  HttpCode,
  Injectable,
  Module,
  Param,
  Post,
  RawBody,
  ValidationPipe,
} from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, MinLength } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import {
  type BodyLimit,
  type BodyLimits,
  CurrentBody,
  DtoPipe,
  ReadsBody,
  ReadsRawBody,
  RequireSuperuser,
} from 'roost';
import type { RequestBody } from 'roost';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
import { tap } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

class SongDto {
  @ApiProperty()
  @MinLength(2)
  title!: string;

  @ApiProperty()
  @Type(() => Number)
  @IsInt()
  seconds!: number;
}

@Injectable()
class CoverLimit implements BodyLimit {
  limits(): BodyLimits {
    return { maxBytes: 4_096, part: (key) => (key === 'cover' ? { maxBytes: 1_024, maxFiles: 1 } : null) };
  }
}

@Controller('api/songs')
class SongsController {
  @Post()
  @ReadsBody()
  add(@Body() song: SongDto): object {
    return { isDto: song instanceof SongDto, title: song.title, seconds: song.seconds };
  }

  @Post('named')
  @ReadsBody()
  named(@Body(DtoPipe) song: SongDto): string {
    return song.title;
  }

  @Post('cover/:id')
  @ReadsBody(CoverLimit)
  cover(@Param('id') id: string, @CurrentBody('files') files: RequestBody['files']): object {
    return { id, covers: (files.get('cover') ?? []).map(({ originalName, size }) => [originalName, size]) };
  }
}

@Module({ controllers: [SongsController], providers: [CoverLimit] })
class SongsModule {}

@Controller('api/deaf')
class DeafController {
  @Post()
  hear(@Body() body: unknown): object {
    return { body };
  }
}

@Controller('api/hooks')
class WebhooksController {
  @Post('signed')
  @HttpCode(200)
  @ReadsRawBody({ maxBytes: 64 })
  signed(@RawBody() bytes: Buffer, @Body() body: unknown): object {
    return { bytes: bytes.toString('hex'), body };
  }

  @Post('guarded')
  @RequireSuperuser()
  @ReadsRawBody()
  guarded(@RawBody() bytes: Buffer): number {
    return bytes.length;
  }

  @MessagePattern('heard')
  hear(@Payload() data: unknown): unknown {
    return data;
  }
}

@Module({ controllers: [WebhooksController] })
class WebhooksModule {}

@Module({ controllers: [SongsController] })
class LimitlessModule {}

@Module({ controllers: [DeafController] })
class DeafModule {}

describe('bodies of routes of a team', () => {
  let roost: TestRoost;
  const start = async (options: TestRoostOptions): Promise<TestRoost> => (roost = await startRoost(options));
  const strict = { whitelist: true, forbidNonWhitelisted: true, transform: true };
  const withPipe: TestRoostOptions = {
    imports: [SongsModule],
    configureApp: (app) => void app.useGlobalPipes(new ValidationPipe(strict)),
  };
  afterEach(() => roost?.close());

  it('EXT-4 a limit that is no provider stops the start', async () => {
    await expect(startRoost({ imports: [LimitlessModule] })).rejects.toThrow(
      'SongsController.cover reads its body with CoverLimit, which is a provider of no module.',
    );
  });

  it("EXT-4 Nest's @Body() is what was read, made and checked by the global pipe", async () => {
    await start(withPipe);
    const url = '/api/songs';
    const expected = { isDto: true, title: 'Hello', seconds: 61 };
    const song = { title: 'Hello', seconds: '61' };
    const form = new FormData();
    for (const [key, value] of Object.entries(song)) form.set(key, value);
    for (const body of [song, form]) expect(await roost.inject({ url, body })).toMatchObject({ body: expected });
    const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await roost.inject({ url, body: 'title=Hello&seconds=61', headers: urlencoded })).body).toEqual(expected);
    const refused = await roost.inject({ url, body: { ...song, title: 'H', more: 1 } });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'property more should not exist; title must be longer than or equal to 2 characters',
    ]);
    expect((await roost.inject({ method: 'POST', url })).status).toBe(400);
  });

  it('EXT-4 DtoPipe names what is wrong with @Body() by field', async () => {
    await start({ imports: [SongsModule] });
    expect((await roost.inject({ url: '/api/songs/named', body: { title: 'Hello', seconds: 1 } })).text).toBe('Hello');
    const refused = await roost.inject({ url: '/api/songs/named', body: { title: 'Hello', seconds: 'x' } });
    expect(Object.keys(refused.body.data)).toEqual(['seconds']);
  });

  it('EXT-4 a global interceptor has the body beside the answer, of songs and of records, and not before', async () => {
    const before: unknown[] = [];
    const after: unknown[] = [];
    await start({
      imports: [SongsModule],
      configureApp: (app) =>
        void app.useGlobalInterceptors({
          intercept: (context, next) => {
            const request = context.switchToHttp().getRequest<FastifyRequest>();
            if (!/notes|songs/.test(request.url)) return next.handle();
            before.push(request.body);
            return next.handle().pipe(tap(() => after.push([request.body, request.requestBody?.values])));
          },
        }),
    });
    const fields = [{ name: 'title', type: 'text' }];
    await roost.createCollections({ name: 'notes', type: 'base', createRule: '', updateRule: '', fields });
    const url = '/api/collections/notes/records';
    const { body } = await roost.inject({ url, body: { title: 'one' } });
    await roost.inject({ method: 'PATCH', url: `${url}/${body.id as string}`, body: { title: 'two' } });
    await roost.inject({ url: '/api/songs', body: { title: 'three' } });
    expect(before).toEqual([undefined, undefined, undefined]);
    expect(after).toEqual(['one', 'two', 'three'].map((title) => [{ title }, { title }]));
  });

  it('EXT-25 the class of @Body() is in the description of the API', async () => {
    await start({ imports: [SongsModule] });
    const { body } = await roost.inject({ url: '/api/openapi.json', token: await roost.createSuperuser() });
    const { content } = body.paths['/api/songs'].post.requestBody;
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/SongDto' });
    expect(body.components.schemas.SongDto.required).toEqual(['title', 'seconds']);
  });

  it('EXT-4 files are kept where a limit says so', async () => {
    await start({ imports: [SongsModule] });
    const form = new FormData();
    form.set('cover', new Blob(['front']), 'front.txt');
    form.set('other', new Blob(['back']), 'back.txt');
    const answer = await roost.inject({ url: '/api/songs/cover/7', body: form });
    expect(answer.body).toEqual({ id: '7', covers: [['front.txt', 5]] });
    const large = new FormData();
    large.set('cover', new Blob(['x'.repeat(8_192)]), 'large.txt');
    expect((await roost.inject({ url: '/api/songs/cover/7', body: large })).status).toBe(413);
  });

  it('EXT-4 a route that asks for a body that nobody reads is told of at the start', async () => {
    const heard: string[] = [];
    class TeamLogger extends ConsoleLogger {
      override log(): void {}
      override warn(message: unknown): void {
        heard.push(String(message));
      }
    }
    await start({
      imports: [SongsModule, DeafModule],
      configureApp: (app) => app.useLogger(new TeamLogger()),
    });
    expect(heard).toEqual([
      'DeafController.hear has a parameter @Body(), which stays empty without @ReadsBody() on the method.',
    ]);
    expect((await roost.inject({ url: '/api/deaf', body: { text: 'Hello' } })).body).toEqual({});
  });

  it('EXT-45 a route has the very bytes of its body, and their values where they have a meaning', async () => {
    await start({ imports: [WebhooksModule] });
    const send = async (body: string | Uint8Array, type: string) =>
      roost.inject({ url: '/api/hooks/signed', body, headers: { 'content-type': type } });
    const hex = (body: string | Uint8Array) => Buffer.from(body).toString('hex');
    const json = '{ "a":1 ,\n"b": "\\u00e4" }';
    expect((await send(json, 'application/json')).body).toEqual({ bytes: hex(json), body: { a: 1, b: 'ä' } });
    const broken = '{"a":';
    expect((await send(broken, 'application/json')).body).toEqual({ bytes: hex(broken), body: {} });
    const bytes = Buffer.from([0, 255, 128, 13, 10]);
    expect((await send(bytes, 'application/octet-stream')).body).toEqual({ bytes: hex(bytes), body: {} });
    expect((await roost.inject({ method: 'POST', url: '/api/hooks/signed' })).body).toEqual({ bytes: '', body: {} });
    expect((await send('x'.repeat(65), 'text/plain')).status).toBe(413);
    expect((await roost.inject({ url: '/api/hooks/guarded', body: 'x' })).status).toBe(401);
  });

  it('EXT-45 routes registered with Fastify itself get the body that Fastify gives, and no other route does', async () => {
    const seen: unknown[] = [];
    await start({
      imports: [SongsModule],
      configureApp: (app) => {
        const fastify = app.getHttpAdapter().getInstance();
        fastify.post('/plain', async ({ body }) => ({ body }));
        fastify.register(async (scope) => {
          scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
            done(null, (body as Buffer).length);
          });
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null, 'streamed'));
          scope.post('/scoped', async ({ body }) => ({ body }));
        });
        fastify.addContentTypeParser('application/x-own', { parseAs: 'string' }, (_request, body, done) => {
          seen.push(body);
          done(null, body);
        });
      },
    });
    const own = { 'content-type': 'application/x-own' };
    expect((await roost.inject({ url: '/plain', body: { a: [1] } })).body).toEqual({ body: { a: [1] } });
    expect((await roost.inject({ url: '/plain', body: 'own', headers: own })).body).toEqual({ body: 'own' });
    expect(
      (await roost.inject({ url: '/plain', body: '{', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(400);
    expect((await roost.inject({ url: '/plain', body: { a: 'x'.repeat(1_100_000) } })).status).toBe(413);
    expect((await roost.inject({ url: '/scoped', body: { a: 1 } })).body).toEqual({ body: 7 });
    expect((await roost.inject({ url: '/scoped', body: 'x', headers: { 'content-type': 'a/b' } })).body).toEqual({
      body: 'streamed',
    });
    expect(seen).toEqual(['own']);
    for (const url of ['/api/songs', '/api/nowhere', '/api/health']) {
      await roost.inject({ url, body: 'own', headers: own });
      const broken = await roost.inject({
        url: '/api/nowhere',
        body: '{',
        headers: { 'content-type': 'application/json' },
      });
      expect(broken.status).toBe(404);
    }
    expect(seen).toEqual(['own']);
  });

  it('EXT-45 schemas of routes registered with Fastify check, and write, what Fastify would', async () => {
    await start({
      configureApp: (app) => {
        const fastify = app.getHttpAdapter().getInstance();
        const schema = {
          headers: { type: 'object', properties: { 'X-Count': { type: 'integer' } }, required: ['X-Count'] },
          body: { type: 'object', properties: { title: { type: 'string', minLength: 2 } }, required: ['title'] },
          response: { 200: { type: 'object', properties: { count: { type: 'integer' } } } },
        };
        fastify.post('/counted', { schema }, async ({ headers }) => ({ count: headers['x-count'], secret: 1 }));
      },
    });
    const send = (title: string, headers?: Record<string, string>) =>
      roost.inject({ url: '/counted', body: { title }, headers });
    expect(await send('Hi', { 'X-Count': '3' })).toMatchObject({ status: 200, body: { count: 3 } });
    expect((await send('Hi', { 'X-Count': '3' })).body).not.toHaveProperty('secret');
    expect((await send('Hi', { 'X-Count': 'x' })).status).toBe(400);
    expect((await send('Hi')).status).toBe(400);
    expect((await send('H', { 'X-Count': '3' })).status).toBe(400);
  });

  it('EXT-4 the parameters of handlers of microservices are no bodies to be warned about', async () => {
    const warnings: string[] = [];
    class Listener extends ConsoleLogger {
      override warn(message: unknown): void {
        warnings.push(String(message));
      }
    }
    await start({ imports: [WebhooksModule], configureApp: (app) => app.useLogger(new Listener()) });
    expect(warnings.filter((warning) => warning.includes('@Body()'))).toEqual([]);
  });
});
