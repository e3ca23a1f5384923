import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { NOT_ON_POSTGRES } from './not-on-postgres.js';

beforeEach(({ task, skip }) => {
  const excused = NOT_ON_POSTGRES[relative(process.cwd(), task.file.filepath)];
  if (excused === undefined || typeof excused === 'string') return;
  const reason = Object.entries(excused).find(([name]) => task.name.startsWith(name))?.[1];
  if (reason !== undefined) skip(reason);
});
