import { Database } from './database.js';

/** The database of the logs, in a file of its own with a writer of its own (OPS-80). */
export class AuxiliaryDatabase extends Database {}
