import { readdirSync, readFileSync } from 'node:fs';
import { pid } from 'node:process';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWithFiles, FILE_COLLECTIONS } from './file-collections.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { ImageProcess } from '../../src/files/image-process.js';
import { eventually } from '../support/eventually.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

/** The processes of this one that read pictures. */
function imageProcesses(): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('image-process.mjs'));
}

describe.runIf(process.platform === 'linux')('the process that reads pictures', () => {
  let roost: TestRoost;
  let picture: Uint8Array<ArrayBuffer>;

  beforeEach(async () => {
    roost = await startRoost();
    await roost.app.get(CollectionsService, { strict: false }).import(FILE_COLLECTIONS as never);
    picture = new Uint8Array(
      await sharp({ create: { width: 2000, height: 1500, channels: 3, background: '#123456' } })
        .png()
        .toBuffer(),
    );
  });

  afterEach(async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    await roost.close();
  });

  /** The thumbnail of a new picture; the length of the picture itself where there is none. */
  async function thumbnailLength(): Promise<number> {
    const record = await createWithFiles(roost, 'open', { cover: new File([picture], 'a.png', { type: 'image/png' }) });
    const answer = await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}?thumb=50x30` });
    expect(answer.status).toBe(200);
    return Number(answer.headers['content-length']);
  }

  it('OPS-39 FS-84 a picture that ends its decoder is sent as it is, and the next one gets its thumbnail', async () => {
    expect(await thumbnailLength()).toBeLessThan(picture.length);
    const [decoder] = imageProcesses();
    const resize = vi.spyOn(ImageProcess.prototype, 'resize');
    resize.mockImplementationOnce(function (this: ImageProcess, order) {
      resize.mockRestore();
      const resized = this.resize(order);
      process.kill(decoder!, 'SIGSEGV');
      return resized;
    });
    expect(await thumbnailLength()).toBe(picture.length);
    expect(await thumbnailLength()).toBeLessThan(picture.length);
    expect(imageProcesses()).not.toContain(decoder);
  });

  it('OPS-39 FS-84 a picture whose decoder is stuck is sent as it is, and the next one gets its thumbnail', async () => {
    expect(await thumbnailLength()).toBeLessThan(picture.length);
    const [decoder] = imageProcesses();
    process.kill(decoder!, 'SIGSTOP');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = vi.spyOn(ImageProcess.prototype, 'look');
    const stuck = thumbnailLength();
    await eventually(() => expect(asked).toHaveBeenCalled());
    vi.advanceTimersByTime(60_000);
    expect(await stuck).toBe(picture.length);
    vi.useRealTimers();
    expect(await thumbnailLength()).toBeLessThan(picture.length);
    expect(imageProcesses()).not.toContain(decoder);
  });

  it('OPS-39 it knows nothing of the environment, which holds secrets', async () => {
    process.env['A_SECRET'] = 'of the server';
    try {
      await thumbnailLength();
      const [decoder] = imageProcesses();
      const names = readFileSync(`/proc/${decoder}/environ`, 'utf8').split('\0').filter(Boolean);
      expect(names.map((entry) => entry.split('=')[0])).not.toContain('A_SECRET');
      expect(names.map((entry) => entry.split('=')[0])).toContain('MALLOC_ARENA_MAX');
    } finally {
      delete process.env['A_SECRET'];
    }
  });

  it('ends after a minute without work, and begins again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await thumbnailLength();
    const [decoder] = imageProcesses();
    vi.advanceTimersByTime(59_000);
    await thumbnailLength();
    vi.advanceTimersByTime(59_000);
    expect(imageProcesses()).toEqual([decoder]);
    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();
    await eventually(() => expect(imageProcesses()).toEqual([]));
    expect(await thumbnailLength()).toBeLessThan(picture.length);
    expect(imageProcesses()).toHaveLength(1);
  });

  it('ends with the server', async () => {
    await thumbnailLength();
    expect(imageProcesses()).toHaveLength(1);
    await roost.close();
    expect(imageProcesses()).toEqual([]);
  });
});
