import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { FilesModule, FilesService, GUEST, RecordsModule, RecordsService } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

describe('records in code', () => {
  let roost: TestRoost;
  let records: RecordsService;
  let files: FilesService;

  beforeAll(async () => {
    roost = await startRoost({ imports: [FilesModule] });
    await roost.createCollections(
      {
        name: 'events',
        type: 'base',
        listRule: 'open = true',
        fields: [
          { name: 'title', type: 'text' },
          { name: 'open', type: 'bool' },
          { name: 'at', type: 'date' },
          { name: 'poster', type: 'file', maxSelect: 1 },
          { name: 'papers', type: 'file', maxSelect: 5 },
        ],
      },
      {
        name: 'numbered',
        type: 'view',
        viewQuery: 'SELECT CAST(row_number() OVER (ORDER BY id) AS INTEGER) AS id, title FROM events',
      },
    );
    records = roost.app.get(RecordsService, { strict: false });
    files = roost.app.get(FilesService, { strict: false });
  });
  afterAll(() => roost.close());

  const contentOf = async (record: Awaited<ReturnType<RecordsService['create']>>, name: string): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of (await files.read(record, name))!.stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };

  describe('all of them', () => {
    beforeAll(async () => {
      await records.transaction(async () => {
        // In an order that is not that of the ids.
        for (let index = 2_344; index >= 0; index--) {
          const id = String(index).padStart(15, '0');
          await records.create('events', { id, title: `n${index}`, open: index % 2 === 1 });
        }
      });
    });

    it('EXT-27 refuses a page above the limit instead of cutting it', async () => {
      await expect(records.find('events', { perPage: 1_001 })).rejects.toThrow(/at most 1000.*each/);
      expect((await records.find('events', { perPage: 1_000 })).items).toHaveLength(1_000);
    });

    it('EXT-27 each goes through all of them, each once, in pages by key', async () => {
      const ids = [];
      for await (const { id } of records.each('events')) ids.push(id);
      expect(ids).toHaveLength(2_345);
      expect(ids).toEqual([...new Set(ids)].sort());
    });

    it('EXT-27 each takes filters with parameters, and the rules of a caller', async () => {
      const titles = [];
      const options = {
        filter: 'title = {:a} || title = {:b} || id > {:id}',
        params: { a: 'n1', b: 'n2', id: '0000000000023' },
      };
      for await (const event of records.each('events', { ...options, as: GUEST })) titles.push(event.get('title'));
      expect(titles).toHaveLength(22 + 1);
      expect(titles).not.toContain('n2');
    });

    it('EXT-27 each neither skips nor repeats when records go meanwhile', async () => {
      const seen = new Set<string>();
      for await (const event of records.each('events')) {
        expect(seen.has(event.id)).toBe(false);
        seen.add(event.id);
        if (seen.size === 1_500) for (const id of [...seen].slice(0, 40)) await records.delete('events', id);
      }
      expect(seen.size).toBe(2_345);
    });

    it('EXT-27 each goes through a view whose ids are numbers', async () => {
      let count = 0;
      for await (const { id } of records.each('numbered')) if (id !== '') count++;
      expect(count).toBe(2_305);
    });

    it('EXT-27 each refuses what find refuses', async () => {
      const all = async (options: object): Promise<void> => {
        for await (const event of records.each('events', options)) void event;
      };
      await expect(all({ filter: 'title = 1) || (open = true' })).rejects.toMatchObject({ status: 400 });
      await expect(all({ filter: 'nothing = 1' })).rejects.toMatchObject({ status: 400 });
      await expect(all({ as: undefined })).rejects.toThrow(TypeError);
    });
  });

  it('EXT-27 takes a Date, a File, a Blob and bytes where they make sense', async () => {
    const made = await records.create('events', {
      title: 'contents',
      at: new Date(Date.UTC(2026, 10, 26, 12)),
      poster: new File(['a poster'], 'Poster.txt'),
      papers: [new Blob(['one']), Buffer.from('two'), new Uint8Array([0x33])],
    });
    expect(made.get('at')).toBe('2026-11-26 12:00:00.000Z');
    const [poster, papers] = [made.get('poster') as string, made.get('papers') as string[]];
    expect(poster).toMatch(/^poster_\w{10}\.txt$/i);
    expect(await contentOf(made, poster)).toBe('a poster');
    expect(papers).toHaveLength(3);
    expect(await Promise.all(papers.map((name) => contentOf(made, name)))).toEqual(['one', 'two', '3']);

    const changed = await records.update('events', made.id, {
      papers: [papers[1], Buffer.from('four')],
      poster: null,
    });
    const names = changed.get('papers') as string[];
    expect(names[0]).toBe(papers[1]);
    expect(await contentOf(changed, names[1]!)).toBe('four');
    const more = await records.update('events', made.id, { 'papers+': Buffer.from('five') });
    expect((more.get('papers') as string[]).slice(0, 2)).toEqual(names);
    expect(await contentOf(more, (more.get('papers') as string[])[2]!)).toBe('five');
  });

  it('EXT-27 takes contents again when a transaction is tried again', async () => {
    const values = { title: 'again', poster: Buffer.from('again') };
    const failing = records.transaction(async () => {
      await records.create('events', values);
      throw new Error('undo');
    });
    await expect(failing).rejects.toThrow('undo');
    const made = await records.create('events', values);
    expect(await contentOf(made, made.get('poster') as string)).toBe('again');

    const upload = await files.write(Buffer.from('once'), 'once.txt');
    const given = { files: new Map([['poster', [upload]]]) };
    await records.create('events', {}, given);
    await expect(records.create('events', {}, given)).rejects.toThrow(/"once.txt" is gone.*Make another/);
  });

  it('EXT-20 names the collection that is not there', async () => {
    await expect(records.find('evnets')).rejects.toMatchObject({
      status: 404,
      message: 'There is no collection "evnets".',
    });
    await expect(records.create('evnets', {})).rejects.toThrow('There is no collection "evnets".');
  });

  it('EXT-20 says so when a module asks before the data directory is open', async () => {
    let failure: unknown;
    @Injectable()
    class Early implements OnModuleInit {
      constructor(private readonly service: RecordsService) {}

      async onModuleInit(): Promise<void> {
        failure = await this.service.find('events').catch((error: unknown) => error);
      }
    }
    @Module({ imports: [RecordsModule], providers: [Early] })
    class EarlyModule {}
    await (await startRoost({ imports: [EarlyModule] })).close();
    expect(failure).toMatchObject({ message: expect.stringMatching(/not open yet.*BeforeServe/) });
  });
});
