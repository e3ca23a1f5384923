import { Body, ConsoleLogger, Controller, Injectable, Module, Param, Post, ValidationPipe } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, MinLength } from 'class-validator';
import { type BodyLimit, type BodyTerms, CurrentBody, DtoPipe, ReadsBody, type RequestBody } from 'roost';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
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
  terms(): BodyTerms {
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
});
