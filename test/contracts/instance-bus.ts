import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InstanceBus } from '../../src/instances/instance-bus.js';

/** A server in between, and how to reach and to lose it. */
export interface InstanceBusUnderTest {
  connect(): InstanceBus;
  crash(): Promise<void>;
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** What every InstanceBus promises. */
export function instanceBusContract(name: string, open: () => Promise<InstanceBusUnderTest>): void {
  describe(`instance bus: ${name}`, () => {
    let subject: InstanceBusUnderTest;
    let buses: InstanceBus[];
    const connect = async () => {
      const bus = subject.connect();
      buses.push(bus);
      await bus.open();
      return bus;
    };

    beforeEach(async () => {
      vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
      vi.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
      buses = [];
      subject = await open();
    });
    afterEach(async () => {
      for (const bus of buses) await bus.close();
      await subject.close();
      vi.restoreAllMocks();
    });

    it('SCALE-21 carries messages of any size to all instances, in the order of each sender', async () => {
      const [one, two, three] = [await connect(), await connect(), await connect()];
      const heard: string[][] = [[], [], []];
      for (const [index, bus] of [one, two, three].entries()) {
        await bus.subscribe('news', (message) => void heard[index]!.push(message));
      }
      await two.subscribe('other', (message) => void heard[1]!.push(`other ${message}`));
      const long = `${'ß😀\n"x" '.repeat(5_000)}end`;
      const same = 'y'.repeat(30_000);
      const sent = ['a', 'a', long, '', 'b', same, same, 'last'];
      await Promise.all(sent.map((message) => one.publish('news', message)));
      await expect.poll(() => heard.map(({ length }) => length)).toEqual([8, 8, 8]);
      expect(heard).toEqual([sent, sent, sent]);
      await three.publish('other', 'c');
      await expect.poll(() => heard[1]!.length).toBe(9);
      expect(heard.map((messages) => messages.at(-1))).toEqual(['last', 'other c', 'last']);
    });

    it('SCALE-21 keeps messages of two senders apart, however long they are', async () => {
      const [one, two] = [await connect(), await connect()];
      const heard: string[] = [];
      await one.subscribe('news', (message) => void heard.push(message));
      const texts = (letter: string) => Array.from({ length: 20 }, (_, index) => `${letter}${index}`.repeat(9_000));
      await Promise.all([
        ...texts('a').map((text) => one.publish('news', text)),
        ...texts('b').map((text) => two.publish('news', text)),
      ]);
      await expect.poll(() => heard.length).toBe(40);
      expect(heard.filter((text) => text.startsWith('a'))).toEqual(texts('a'));
      expect(heard.filter((text) => text.startsWith('b'))).toEqual(texts('b'));
    });

    it('SCALE-21 tells when it is lost and when it is back, and hears again what is said then', async () => {
      const [one, two] = [await connect(), await connect()];
      const told: string[] = [];
      one.onLost(() => told.push('lost'));
      one.onBack(() => told.push('back'));
      await one.subscribe('news', (message) => void told.push(message));
      await subject.crash();
      await expect.poll(() => [one.isUp, two.isUp]).toEqual([false, false]);
      await expect(one.publish('news', 'unheard')).rejects.toThrow('cannot be reached');
      await subject.restart();
      await expect.poll(() => [one.isUp, two.isUp], { timeout: 20_000 }).toEqual([true, true]);
      await two.publish('news', 'heard');
      await expect.poll(() => told).toEqual(['lost', 'back', 'heard']);
    });

    it('SCALE-21 takes a server that says nothing any more for lost', async () => {
      const one = await connect();
      subject.freeze();
      await expect(one.publish('news', 'late')).rejects.toThrow();
      expect(one.isUp).toBe(false);
      subject.thaw();
      await expect.poll(() => one.isUp, { timeout: 20_000 }).toBe(true);
    });

    it('SCALE-21 a closed one stays closed', async () => {
      const one = await connect();
      let lost = 0;
      one.onLost(() => lost++);
      await one.close();
      await expect(one.publish('news', 'x')).rejects.toThrow('cannot be reached');
      expect([one.isUp, lost]).toEqual([false, 0]);
    });
  });
}
