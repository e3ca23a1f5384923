import sharp from 'sharp';
import { expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { createWithFiles } from './file-collections.js';

it('OPS-39 FS-84 an interlaced 16-bit picture that is too large as a whole is sent as it is', async () => {
  const roost = await startRoost();
  try {
    await roost.app.get(CollectionsService, { strict: false }).create({
      name: 'pictures',
      type: 'base',
      viewRule: '',
      createRule: '',
      fields: [{ name: 'file', type: 'file', maxSize: 50_000_000, maxSelect: 1 }],
    });
    const create = { width: 8000, height: 8000, channels: 3 as const, background: '#123456' };
    const picture = (progressive: boolean) =>
      sharp({ create }).toColourspace('rgb16').png({ progressive, compressionLevel: 1 }).toBuffer();
    const sizeOfThumb = async (progressive: boolean) => {
      const content = await picture(progressive);
      const record = await createWithFiles(roost, 'pictures', {
        file: new File([new Uint8Array(content)], 'a.png', { type: 'image/png' }),
      });
      const url = `/api/files/pictures/${record.id}/${String(record.get?.('file') ?? (record as never)['file'])}?thumb=100x100`;
      const answer = await roost.inject({ url });
      expect(answer.status).toBe(200);
      return Number(answer.headers['content-length']) === content.length ? 'the original' : 'a thumbnail';
    };
    expect(await sizeOfThumb(true)).toBe('the original');
    expect(await sizeOfThumb(false)).toBe('a thumbnail');
  } finally {
    await roost.close();
  }
}, 60_000);
