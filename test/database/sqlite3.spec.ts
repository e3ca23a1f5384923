import { describe } from 'vitest';
import { dialectContract } from '../contracts/dialect.js';

describe('SQLite through sqlite3', () => dialectContract('sqlite3'));
