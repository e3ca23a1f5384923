import { describe } from 'vitest';
import { dialectContract } from '../contracts/dialect.js';

describe('SQLite through better-sqlite3', () => dialectContract('better-sqlite3'));
