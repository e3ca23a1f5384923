import sharp from 'sharp';
import { expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { createWithFiles } from './file-collections.js';

/** What answers a request for the thumbnail of a picture that a guest has uploaded. */
async function answersTo(pictures: readonly { content: Uint8Array<ArrayBuffer>; type: string }[]): Promise<string[]> {
  const roost = await startRoost();
  try {
    await roost.app.get(CollectionsService, { strict: false }).create({
      name: 'pictures',
      type: 'base',
      viewRule: '',
      createRule: '',
      fields: [{ name: 'file', type: 'file', maxSize: 50_000_000, maxSelect: 1 }],
    });
    const answers: string[] = [];
    for (const { content, type } of pictures) {
      const file = new File([content], `a.${type}`, { type: `image/${type}` });
      const record = await createWithFiles(roost, 'pictures', { file });
      const url = `/api/files/pictures/${record.id}/${String(record.get?.('file') ?? (record as never)['file'])}?thumb=100x100`;
      const answer = await roost.inject({ url });
      expect(answer.status).toBe(200);
      const isOriginal = Number(answer.headers['content-length']) === content.length;
      answers.push(isOriginal ? 'the original' : 'a thumbnail');
    }
    return answers;
  } finally {
    await roost.close();
  }
}

it('OPS-39 FS-84 an AVIF takes more than its pixels: one beyond 12 megapixels is sent as it is', async () => {
  const avif = async (width: number, height: number) => ({
    content: new Uint8Array(
      await sharp({ create: { width, height, channels: 3, background: '#123456' } })
        .avif({ effort: 0 })
        .toBuffer(),
    ),
    type: 'avif',
  });
  expect(await answersTo([await avif(4032, 3024), await avif(3600, 3600)])).toEqual(['a thumbnail', 'the original']);
}, 60_000);

it('OPS-39 FS-84 an interlaced 16-bit picture that is too large as a whole is sent as it is', async () => {
  const create = { width: 8000, height: 8000, channels: 3 as const, background: '#123456' };
  const png = async (progressive: boolean) => ({
    content: new Uint8Array(
      await sharp({ create }).toColourspace('rgb16').png({ progressive, compressionLevel: 1 }).toBuffer(),
    ),
    type: 'png',
  });
  expect(await answersTo([await png(true), await png(false)])).toEqual(['the original', 'a thumbnail']);
}, 60_000);
