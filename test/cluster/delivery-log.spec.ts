import { describe, expect, it } from 'vitest';
import { DeliveryLog } from './delivery-log.js';

/** Three writes of one record, heard by somebody who was there before them. */
function written(...heard: readonly number[]): DeliveryLog {
  const log = new DeliveryLog();
  const connection = log.connect('one', 0);
  for (const sequence of [0, 1, 2]) log.acknowledge('a', sequence, 1);
  for (const sequence of heard) connection.hear('a', sequence);
  return log;
}

const STORED = new Map([['a', 2]]);

describe('the log of writes and events', () => {
  it('SCALE-27 finds nothing where everything is stored and heard', () => {
    expect(written(0, 1, 2).faults(STORED)).toEqual([]);
  });

  it('SCALE-27 finds a write that was acknowledged and is not stored', () => {
    expect(written(0, 1, 2).faults(new Map([['a', 1]]))).toEqual([{ kind: 'lost', record: 'a', sequence: 2 }]);
    expect(written(0, 1, 2).faults(new Map())).toHaveLength(3);
  });

  it('SCALE-27 finds a write that another one has overwritten', () => {
    const log = written(0, 1, 2);
    log.acknowledge('a', 2);
    expect(log.faults(STORED)).toEqual([{ kind: 'lost', record: 'a', sequence: 2 }]);
  });

  it('SCALE-27 finds a write that was carried out and never asked for', () => {
    const log = written(0, 1, 2, 3);
    const one = new Map([['a', 3]]);
    expect(log.faults(one)).toEqual([{ kind: 'surplus', record: 'a', sequence: 3 }]);
    log.doubt('a');
    expect(log.faults(one)).toEqual([]);
    expect(written(0, 1, 2).faults(STORED)).toEqual([]);
  });

  it('SCALE-27 finds an event that is missing, in the middle and at the end', () => {
    const missing = (sequence: number) => ({ kind: 'missing', record: 'a', sequence, connection: 'one' });
    expect(written(0, 2).faults(STORED)).toEqual([missing(1)]);
    expect(written(0, 1).faults(STORED)).toEqual([missing(2)]);
    expect(written().faults(STORED)).toEqual([missing(0), missing(1), missing(2)]);
  });

  it('SCALE-27 finds a missing event of a write whose answer got lost', () => {
    const log = written(0, 1, 2);
    log.doubt('a');
    expect(log.faults(new Map([['a', 3]]))).toEqual([{ kind: 'missing', record: 'a', sequence: 3, connection: 'one' }]);
  });

  it('SCALE-27 finds an event that comes twice', () => {
    expect(written(0, 1, 1, 2).faults(STORED)).toEqual([
      { kind: 'twice', record: 'a', sequence: 1, connection: 'one' },
    ]);
  });

  it('SCALE-27 finds an event that comes after a later one', () => {
    expect(written(0, 2, 1).faults(STORED)).toEqual([
      { kind: 'disorder', record: 'a', sequence: 1, connection: 'one' },
    ]);
  });

  it('SCALE-27 asks of a connection only what was sent after its subscription', () => {
    const log = written(0, 1, 2);
    const late = log.connect('late', 2);
    expect(log.faults(STORED)).toEqual([]);
    log.acknowledge('a', 3, 3);
    log.connections[0]!.hear('a', 3);
    const stored = new Map([['a', 3]]);
    expect(log.faults(stored)).toEqual([{ kind: 'missing', record: 'a', sequence: 3, connection: 'late' }]);
    late.hear('a', 3);
    expect(log.faults(stored)).toEqual([]);
  });

  it('SCALE-27 asks nothing of the end of a connection that has ended, and everything of what it heard until then', () => {
    const log = written(0, 1);
    log.connections[0]!.end();
    expect(log.faults(STORED)).toEqual([]);
    log.connections[0]!.hear('a', 3);
    expect(log.faults(new Map([['a', 2]]))).toEqual([{ kind: 'missing', record: 'a', sequence: 2, connection: 'one' }]);
  });

  it('SCALE-27 counts what was acknowledged and heard', () => {
    const log = written(0, 1, 2);
    expect(log.acknowledged).toBe(3);
    expect(log.connections[0]!.count).toBe(3);
  });
});
