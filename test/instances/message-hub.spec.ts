import { Logger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { hubOf, type TestWorker } from './hub-of-workers.js';

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the parent of workers', () => {
  it('SCALE-30 carries what one of them tells to all others', async () => {
    const { workers } = hubOf(3);
    const heard: string[] = [];
    for (const { link, member } of workers)
      link.onBroadcast('news', (payload) => heard.push(`${member.name}: ${String(payload)}`));
    await settled();
    workers[1]!.link.broadcast('news', 'x');
    await settled();
    expect(heard.sort()).toEqual(['1: x', '3: x']);
  });

  it('RT-97 gathers the answers of those that have one, and waits for none that has died', async () => {
    const { workers } = hubOf(3);
    await settled();
    workers[1]!.link.onQuestion('who', () => 'I');
    workers[2]!.link.onQuestion('who', () => new Promise(() => {}));
    const asked = workers[0]!.link.askOthers('who', null);
    await settled();
    workers[2]!.die();
    expect(await asked).toEqual(['I']);
    expect(await hubOf(1).workers[0]!.link.askOthers('who', null)).toEqual([]);
  });

  it('RT-97 SCALE-31 a worker that fails to answer says so in its log, and goes on', async () => {
    const { workers } = hubOf(2);
    await settled();
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    workers[1]!.link.onQuestion('who', () => Promise.reject(new Error('It is broken.')));
    expect(await workers[0]!.link.askOthers('who', null)).toEqual([]);
    expect(logged).toHaveBeenCalledExactlyOnceWith('A question of another worker failed (who): Error: It is broken.');
    logged.mockRestore();
  });

  it('SCALE-24 gives a name to one of them at a time, in the order of asking, and takes it from one that dies', async () => {
    const { workers } = hubOf(3);
    const [first, second, third] = workers;
    const release = await first!.link.lock('job');
    expect(await second!.link.tryLock('job')).toBeUndefined();
    const order: string[] = [];
    const waiting = [second!, third!].map(({ link, member }) => link.lock('job').then(() => order.push(member.name)));
    await settled();
    expect(order).toEqual([]);
    release();
    await waiting[0];
    expect(order).toEqual(['2']);
    second!.die();
    await waiting[1];
    expect(order).toEqual(['2', '3']);
  });

  it('SCALE-24 has one lead, and the next one when that ends; those that remain are told who is gone', async () => {
    const { workers } = hubOf(2);
    const [first, second] = workers;
    const leads: string[] = [];
    for (const { link, member } of workers) link.onLead(() => leads.push(member.name));
    const gone: unknown[] = [];
    second!.link.onBroadcast('gone', (name) => gone.push(name));
    await settled();
    expect(leads).toEqual(['1']);
    first!.die();
    await settled();
    expect(leads).toEqual(['1', '2']);
    expect(gone).toEqual(['1']);
  });

  it('SCALE-30 gives the turn to write to one worker after the other, and takes it from one that dies', async () => {
    const { workers } = hubOf(3);
    let writing = 0;
    let most = 0;
    const counts = new Map<string, number>();
    const write = async ({ link, member }: TestWorker, times: number): Promise<void> => {
      for (let count = 0; count < times; count++) {
        const end = link.turns.tryAcquire() ?? (await link.turns.acquire());
        most = Math.max(most, ++writing);
        await new Promise((resolve) => setImmediate(resolve));
        writing--;
        counts.set(member.name, count + 1);
        end();
      }
    };
    await Promise.all(workers.flatMap((worker) => [write(worker, 30), write(worker, 30)]));
    expect(most).toBe(1);
    expect([...counts.values()]).toEqual([30, 30, 30]);
    const [first, second] = workers;
    await first!.link.turns.acquire();
    const next = second!.link.turns.acquire();
    await settled();
    first!.die();
    await next;
  });

  it('answers requests by name, and says what failed', async () => {
    const { hub, workers } = hubOf(1);
    hub.onRequest('double', (value) => 2 * (value as number));
    hub.onRequest('fail', () => Promise.reject(new Error('It is full.')));
    const { link } = workers[0]!;
    expect(await link.request('double', 21)).toBe(42);
    await expect(link.request('fail', null)).rejects.toThrow('It is full.');
    await expect(link.request('nothing', null)).rejects.toThrow('nothing');
  });
});
