import { createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilClosed } from '../../src/storage/until-closed.js';

describe('a pipeline into a file that fails', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'roost-closed-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('leaves a file that is removed for good, however early it fails', async () => {
    for (let turns = 0; turns < 30; turns++) {
      const source = new Readable({ read: () => undefined });
      const path = join(dir, String(turns));
      const file = createWriteStream(path, { flags: 'wx' });
      const writing = untilClosed(file, pipeline(source, file));
      writing.catch(() => undefined);
      for (let left = turns % 3; left > 0; left--) await turn();
      source.destroy(new Error('It broke off.'));
      await expect(writing).rejects.toThrow('It broke off.');
      expect(file.closed).toBe(true);
      rmSync(path, { force: true });
    }
    await turn();
    expect(readdirSync(dir)).toEqual([]);
  });
});
