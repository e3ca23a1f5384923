import { PreparedStatement, type ValuePlace } from '../kernel/sql/prepared-statement.js';
import type { SqlStatement } from '../kernel/sql/sql-node.js';
import type { Dialect } from './dialect.js';

/** Statements kept for one owner. Clients have a say in their shapes, such as which fields a change names. */
const MOST_SHAPES = 200;

/** Statements in the words of the dialect, compiled once for each owner, such as a version of a collection. */
export class StatementCache {
  private readonly byOwner = new WeakMap<object, Map<string, PreparedStatement>>();

  constructor(private readonly dialect: Pick<Dialect, 'newCompiler'>) {}

  /** The statement of this shape. `build` is asked once, and must give the same for the same shape of an owner. */
  of(owner: object, shape: string, build: (place: ValuePlace) => SqlStatement): PreparedStatement {
    let shapes = this.byOwner.get(owner);
    if (!shapes) this.byOwner.set(owner, (shapes = new Map<string, PreparedStatement>()));
    let statement = shapes.get(shape);
    if (!statement) {
      statement = PreparedStatement.of(this.dialect.newCompiler(), build);
      if (shapes.size >= MOST_SHAPES) shapes.clear();
      shapes.set(shape, statement);
    }
    return statement;
  }
}
