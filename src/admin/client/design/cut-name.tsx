import { nameParts } from './name-parts.js';

/** A name in one line, which is cut in its middle where there is no room for all of it. */
export function CutName({ name }: { name: string }) {
  const [start, end] = nameParts(name);
  return end === '' ? (
    <span className="truncate" title={name}>
      {name}
    </span>
  ) : (
    <span className="cut" title={name}>
      <span className="truncate">{start}</span>
      <span>{end}</span>
    </span>
  );
}
