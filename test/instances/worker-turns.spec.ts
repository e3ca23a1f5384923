import { describe, expect, it } from 'vitest';
import { WorkerTurns } from '../../src/instances/worker-turns.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** The turns of one worker, with a parent that writes down what it is told and answers when the test says so. */
function turns() {
  const told: string[] = [];
  const worker = new WorkerTurns(
    () => told.push('asked'),
    () => told.push('gave back'),
  );
  return { worker, told };
}

describe('the right to write of a worker', () => {
  it('SCALE-30 is asked for once, and stays with it for as long as nobody else wants it', async () => {
    const { worker, told } = turns();
    expect(worker.tryAcquire()).toBeUndefined();
    const first = worker.acquire();
    await tick();
    worker.granted(false);
    (await first)();
    for (let count = 0; count < 3; count++) worker.tryAcquire()!();
    expect(told).toEqual(['asked']);
  });

  it('SCALE-30 is given back at once when nobody here writes, and after the transaction when somebody does', async () => {
    const { worker, told } = turns();
    const first = worker.acquire();
    await tick();
    worker.granted(false);
    const end = await first;
    worker.wanted();
    expect(told).toEqual(['asked']);
    end();
    expect(told).toEqual(['asked', 'gave back']);
    const second = worker.acquire();
    await tick();
    worker.granted(false);
    (await second)();
    worker.wanted();
    expect(told).toEqual(['asked', 'gave back', 'asked', 'gave back']);
  });

  it('SCALE-30 is used once, however soon another worker wants it', async () => {
    const { worker, told } = turns();
    const waiting = worker.acquire();
    await tick();
    worker.granted(true);
    worker.wanted();
    expect(told).toEqual(['asked']);
    (await waiting)();
    expect(told).toEqual(['asked', 'gave back']);
  });

  it('SCALE-30 goes on to the next writer here in the order of arrival, and is asked for again for the rest', async () => {
    const { worker, told } = turns();
    const order: number[] = [];
    const writers = [1, 2, 3].map((number) =>
      worker.acquire().then((end) => {
        order.push(number);
        end();
      }),
    );
    await tick();
    worker.granted(false);
    await Promise.all(writers);
    expect(order).toEqual([1, 2, 3]);
    expect(told).toEqual(['asked']);
  });

  it('SCALE-30 is given back when whoever asked for it has given up', async () => {
    const { worker, told } = turns();
    const abort = new AbortController();
    const waiting = worker.acquire(abort.signal);
    await tick();
    abort.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
    await tick();
    worker.granted(true);
    expect(told).toEqual(['asked', 'gave back']);
    const next = worker.acquire();
    await tick();
    worker.granted(false);
    (await next)();
  });

  it('SCALE-2 is not needed for the turn among the writers here, which one of them has at a time', async () => {
    const { worker } = turns();
    const endLocal = worker.tryAcquireLocal()!;
    const waiting = worker.acquire();
    expect(worker.tryAcquireLocal()).toBeUndefined();
    endLocal();
    await tick();
    worker.granted(false);
    const end = await waiting;
    expect(worker.tryAcquireLocal()).toBeUndefined();
    end();
    worker.tryAcquireLocal()!();
  });
});
