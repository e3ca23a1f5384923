import type { ReactNode } from 'react';
import { FILTER_MACROS } from './filter-macros.js';
import classes from './filter-help.module.css';

function Words({ children }: { children: readonly string[] }) {
  return (
    <span className={classes.words}>
      {children.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The filter and rule language on half a page. */
export function FilterHelp({ fields }: { fields?: readonly string[] }) {
  return (
    <dl className={classes.help}>
      {fields ? (
        <Line name="Fields">
          <Words>{fields}</Words>
          along relations <code>author.name</code>, backwards <code>comments_via_post.text</code>
        </Line>
      ) : null}
      <Line name="Request">
        <Words>
          {[
            '@request.auth.id',
            '@request.auth.*',
            '@request.body.*',
            '@request.query.*',
            '@request.headers.*',
            '@request.method',
            '@request.context',
          ]}
        </Words>
      </Line>
      <Line name="Others">
        <code>@collection.name.field</code> any record of another collection; <code>@collection.name:alias.field</code>{' '}
        for a second one
      </Line>
      <Line name="Compare">
        <Words>{['=', '!=', '>', '>=', '<', '<=']}</Words>
        <code>~</code> contains, <code>!~</code> does not. With <code>?</code> in front one of several values is enough:{' '}
        <code>?=</code>
      </Line>
      <Line name="Join">
        <Words>{['&&', '||', '( … )', '// comment']}</Words>
      </Line>
      <Line name="Modifiers">
        <Words>{[':isset', ':changed', ':length', ':each', ':lower']}</Words>
      </Line>
      <Line name="Macros">
        <Words>{FILTER_MACROS}</Words>
        in UTC
      </Line>
      <Line name="Functions">
        <Words>{['geoDistance(lonA, latA, lonB, latB)', "strftime('%Y-%m', created)"]}</Words>
      </Line>
    </dl>
  );
}
