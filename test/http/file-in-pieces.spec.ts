import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ArrivingBytes } from '../../src/http/body/arriving-bytes.js';
import { FileInPieces } from '../../src/http/body/file-in-pieces.js';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'roost-pieces-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('writes what a disk that is nearly full took only a part of', async () => {
  const path = join(dir, 'file');
  const handle = await open(path, 'wx');
  const file = new FileInPieces(takingHalf(handle), new ArrivingBytes().share());
  const pieces = Array.from({ length: 9 }, (_, index) => Buffer.alloc(64 * 1024, index + 1));
  for (const piece of pieces) await file.add(piece);
  await file.flush();
  await file.close();
  expect(readFileSync(path).equals(Buffer.concat(pieces))).toBe(true);
});

/** Of several pieces it writes one and a half. */
function takingHalf(handle: FileHandle): FileHandle {
  const write = handle.writev.bind(handle) as (pieces: readonly Uint8Array[]) => Promise<object>;
  const writev = ([first, second]: readonly Uint8Array[]): Promise<object> =>
    write(second ? [first!, second.subarray(0, second.length >> 1)] : [first!]);
  return Object.assign(handle, { writev });
}
