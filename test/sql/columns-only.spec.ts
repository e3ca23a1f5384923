import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { TestDatabase } from './test-database.js';

const db = new TestDatabase({
  _logs: { fields: { created: 'date', level: 'number', message: 'text', data: 'json' } },
});
db.insert('_logs', {
  l1: { level: 0, message: 'GET /api/x', data: { status: 200, url: '/api/x' } },
  l2: { level: 8, message: 'boom', data: { status: 500, url: '/api/y' } },
});
const list = (filter: string, sort = '') => db.list('_logs', filter, { sort, columnsOnly: true });

describe('tables that are no collections', () => {
  it('OPS-90 COL-85 their columns can be filtered and sorted by', () => {
    expect(list("data.status >= 400 && data.url ~ '/api/'")).toEqual(['l2']);
    expect(list('level < 8 || @now < created', '-@rowid')).toEqual(['l1']);
    expect(list('', '-data.status')).toEqual(['l2', 'l1']);
  });

  it.each(["@request.auth.id != ''", "@collection._logs.id ?= 'l1'", 'other = 1', '_logs_via_data.id = 1'])(
    'OPS-90 COL-85 %s means nothing there',
    (filter) => {
      expect(() => list(filter)).toThrow(BadRequestError);
      expect(() => list('', filter.split(' ')[0])).toThrow(BadRequestError);
    },
  );
});
