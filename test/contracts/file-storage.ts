import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ByteRange, FileStorage, NewFile } from '../../src/storage/file-storage.js';

/** A storage without files, and how it is put away. */
export interface FileStorageUnderTest {
  readonly storage: FileStorage;
  close?(): void | Promise<void>;
}

/** Puts content on disk, as an upload is before it is stored. */
export async function newFile(
  dir: string,
  content: string | Uint8Array,
  about: Partial<NewFile> = {},
): Promise<NewFile> {
  const bytes = Buffer.from(content);
  const path = join(dir, `new-${createHash('md5').update(bytes).digest('hex')}-${Math.random()}`);
  await writeFile(path, bytes);
  const md5 = createHash('md5').update(bytes).digest('base64');
  return { path, size: bytes.length, contentType: 'text/plain', md5, ...about };
}

/** What every FileStorage promises. */
export function fileStorageContract(name: string, open: () => Promise<FileStorageUnderTest>): void {
  describe(`file storage: ${name}`, () => {
    let dir: string;
    let subject: FileStorageUnderTest;
    let storage: FileStorage;

    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'roost-storage-contract-'));
      subject = await open();
      storage = subject.storage;
    });

    afterEach(async () => {
      await subject.close?.();
      await rm(dir, { recursive: true, force: true });
    });

    const write = async (key: string, content: string | Uint8Array, about: Partial<NewFile> = {}) =>
      storage.write(key, await newFile(dir, content, about));

    const read = async (key: string, range?: ByteRange): Promise<string | undefined> => {
      const opened = await storage.open(key, range);
      return opened && (await buffer(opened.stream)).toString('latin1');
    };

    const keys = async (folder: string): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of storage.list(folder)) found.push(key);
      return found.sort();
    };

    it('FS-32 gives back the content and everything that was said about it', async () => {
      const before = Date.now();
      await write('col/rec/a_1.txt', 'hello', { contentType: 'image/png', originalName: 'Ünïcode "a" %41.png' });
      const md5 = createHash('md5').update('hello').digest('base64');
      const known = {
        key: 'col/rec/a_1.txt',
        size: 5,
        contentType: 'image/png',
        originalName: 'Ünïcode "a" %41.png',
        md5,
      };
      const stored = await storage.stat('col/rec/a_1.txt');
      expect(stored).toMatchObject(known);
      // Some stores count in whole seconds.
      expect(Math.abs(stored!.modified.getTime() - before)).toBeLessThan(10_000);
      const opened = await storage.open('col/rec/a_1.txt');
      expect(opened!.file).toMatchObject(known);
      expect((await buffer(opened!.stream)).toString()).toBe('hello');
    });

    it('FS-14 keeps an empty file', async () => {
      await write('col/rec/empty', '');
      expect(await storage.stat('col/rec/empty')).toMatchObject({ size: 0 });
      expect(await read('col/rec/empty')).toBe('');
    });

    it('FS-47 keeps files of any size byte for byte', { timeout: 60_000 }, async () => {
      const mib = 1024 * 1024;
      for (const size of [1, 6 * mib, 6 * mib + 1, 13 * mib + 7]) {
        const content = Buffer.alloc(size, 'roost-');
        await write('col/rec/big', content);
        const { file, stream } = (await storage.open('col/rec/big'))!;
        expect(file.size).toBe(size);
        expect((await buffer(stream)).equals(content)).toBe(true);
      }
    });

    it('FS-71 reads ranges, and says how large the whole file is', async () => {
      await write('col/rec/r', '0123456789');
      expect(await read('col/rec/r', { start: 2, end: 4 })).toBe('234');
      expect(await read('col/rec/r', { start: 9, end: 9 })).toBe('9');
      expect(await read('col/rec/r', { start: 0, end: 9 })).toBe('0123456789');
      const opened = await storage.open('col/rec/r', { start: 3, end: 5 });
      expect(opened!.file.size).toBe(10);
      opened!.stream.destroy();
    });

    it('knows nothing of what is not there', async () => {
      await write('col/rec/a', 'a');
      for (const key of ['col/rec/b', 'col/rec', 'col/rec/a/b', 'other/rec/a', 'x'.repeat(300)]) {
        expect(await storage.stat(key), key).toBeUndefined();
        expect(await storage.open(key), key).toBeUndefined();
        await storage.delete(key);
      }
      await storage.deleteFolder('none/');
      expect(await keys('none/')).toEqual([]);
      expect(await keys('')).toEqual(['col/rec/a']);
    });

    it('FS-33 writing over a file replaces content and attributes', async () => {
      await write('col/rec/a', 'old content', { contentType: 'text/old', originalName: 'old' });
      expect(await storage.stat('col/rec/a')).toMatchObject({ contentType: 'text/old', originalName: 'old', size: 11 });
      await write('col/rec/a', 'new', { contentType: 'text/new' });
      expect(await read('col/rec/a')).toBe('new');
      const stored = await storage.stat('col/rec/a');
      expect(stored).toMatchObject({ contentType: 'text/new', size: 3 });
      expect(stored!.originalName).toBeUndefined();
    });

    it('FS-25 keeps names with any character a stored name may have', async () => {
      const names = ['a_1.tar.gz', 'a.c++', 'x.#=*', 'a_b.C-D', '100x100_a.png'];
      for (const each of names) await write(`col/rec/${each}`, each);
      for (const each of names) expect(await read(`col/rec/${each}`)).toBe(each);
      expect(await keys('col/rec/')).toEqual(names.map((each) => `col/rec/${each}`).sort());
    });

    it('lists a folder with everything below it and nothing beside it', async () => {
      for (const key of ['c/r1/a', 'c/r1/thumbs_a/100x100_a', 'c/r2/b', 'c2/r/c', 'cc/r1/a']) await write(key, key);
      expect(await keys('c/')).toEqual(['c/r1/a', 'c/r1/thumbs_a/100x100_a', 'c/r2/b']);
      expect(await keys('c/r1/')).toEqual(['c/r1/a', 'c/r1/thumbs_a/100x100_a']);
      expect(await keys('')).toHaveLength(5);
      for await (const file of storage.list('c/r2/')) expect(file).toMatchObject({ key: 'c/r2/b', size: 6 });
    });

    it('FS-36 deletes a folder with everything below it and nothing beside it', async () => {
      for (const key of ['c/r1/a', 'c/r1/thumbs_a/100x100_a', 'c/r11/b', 'c2/r1/c']) await write(key, key);
      await storage.deleteFolder('c/r1/');
      expect(await keys('')).toEqual(['c/r11/b', 'c2/r1/c']);
      await storage.deleteFolder('c/');
      expect(await keys('')).toEqual(['c2/r1/c']);
    });

    it('deletes one file and leaves its neighbours', async () => {
      await write('c/r/a', 'a');
      await write('c/r/ab', 'ab');
      await storage.delete('c/r/a');
      await storage.delete('c/r/a');
      expect(await keys('')).toEqual(['c/r/ab']);
      expect(await storage.stat('c/r/a')).toBeUndefined();
    });

    it('copies a file with what is known about it', async () => {
      await write('c/r/a', 'content', { contentType: 'image/gif', originalName: 'a.gif' });
      await storage.copy('c/r/a', 'c/r2/b');
      expect(await read('c/r2/b')).toBe('content');
      expect(await storage.stat('c/r2/b')).toMatchObject({ contentType: 'image/gif', originalName: 'a.gif', size: 7 });
      expect(await read('c/r/a')).toBe('content');
      await expect(storage.copy('c/r/none', 'c/r/x')).rejects.toThrow();
    });

    it('FS-41 refuses keys that could lead anywhere else, whoever asks', async () => {
      const file = await newFile(dir, 'x');
      const wrong = ['', '.', '..', '../a', 'a/../b', 'a/./b', '/a', 'a/', 'a//b', 'a\\b', 'a\0b', '..\\a', 'a/..'];
      for (const key of wrong) {
        await expect(storage.write(key, file), key).rejects.toThrow('Not a storage key');
        await expect(storage.open(key), key).rejects.toThrow('Not a storage key');
        await expect(storage.stat(key), key).rejects.toThrow('Not a storage key');
        await expect(storage.delete(key), key).rejects.toThrow('Not a storage key');
        await expect(storage.copy(key, 'a'), key).rejects.toThrow('Not a storage key');
        await expect(storage.copy('a', key), key).rejects.toThrow('Not a storage key');
      }
      for (const folder of ['', '/', 'a', '../', 'a/../', './', 'a//', '/a/', 'a\\/']) {
        await expect(storage.deleteFolder(folder), folder).rejects.toThrow('Not a storage');
        if (folder !== '') await expect(keys(folder), folder).rejects.toThrow('Not a storage');
      }
    });

    it('FS-48 a reader that goes away lets go of the file', async () => {
      await write('c/r/a', Buffer.alloc(3_000_000));
      for (let count = 0; count < 20; count++) {
        const { stream } = (await storage.open('c/r/a'))!;
        await new Promise((resolve) => stream.once('readable', resolve));
        stream.destroy();
        await new Promise((resolve) => stream.once('close', resolve));
      }
      await storage.delete('c/r/a');
    });

    it('many writes and deletes at once do not get into each other’s way', async () => {
      const work = Array.from({ length: 60 }, async (_, index) => {
        const key = `c/r${index % 3}/f${index}`;
        await write(key, String(index));
        if (index % 2 === 0) await storage.delete(key);
      });
      await Promise.all(work);
      expect(await keys('')).toHaveLength(30);
    });
  });
}
