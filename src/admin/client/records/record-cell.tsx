import { IconCheck, IconExternalLink } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, type ReactNode } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useExtensions } from '../api/queries.js';
import { CopyButton } from '../design/copy-button.js';
import { DateView } from '../design/date-view.js';
import { htmlText } from '../design/html-text.js';
import { extendedType } from '../extensions/extended-type.js';
import { FileThumb } from '../files/file-thumb.js';
import { RecordLabel } from './record-label.js';
import classes from './records.module.css';

const ExtensionCell = lazy(async () => ({
  default: (await import('../extensions/extension-cell.js')).ExtensionCell,
}));

function Nothing() {
  return <span className="nothing">–</span>;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

interface RecordCellProps {
  readonly record: RecordModel;
  readonly field: FieldModel;
  readonly collections: readonly CollectionModel[];
  /** Its files can be opened; what holds the cell hears of it by `data-file`. */
  readonly opensFiles?: boolean;
}

function RelationCell({ record, field, collections }: RecordCellProps) {
  const ids = [record[field.name] as string | string[]].flat().filter(Boolean);
  const expanded = [record.expand?.[field.name] as RecordModel | RecordModel[] | undefined]
    .flat()
    .filter((each) => each !== undefined);
  const target = collections.find((each) => each.id === field.collectionId);
  if (!ids.length) return <Nothing />;
  return (
    <span className={classes.chips}>
      {ids.slice(0, 3).map((id) => {
        const other = expanded.find((each) => each.id === id);
        return (
          <span key={id} className={classes.chip} data-peek={`${String(field.collectionId)}/${id}`}>
            {other ? (
              <RecordLabel record={other} collection={target} collections={collections} />
            ) : (
              <span className="mono">{id}</span>
            )}
          </span>
        );
      })}
      {ids.length > 3 ? <span className="hint">+{ids.length - 3}</span> : null}
    </span>
  );
}

function TextCell({ text }: { text: string }) {
  if (!text) return <Nothing />;
  return (
    <span className="truncate" dir="auto" title={text.length > 40 ? shorten(text) : undefined}>
      {shorten(text)}
    </span>
  );
}

/** A value of a type that only a module knows. */
function UnknownCell({ record, field, collections, children }: RecordCellProps & { readonly children: ReactNode }) {
  const extension = extendedType(field.type, useExtensions());
  const collection = collections.find(({ id }) => id === record.collectionId);
  if (!extension?.cell || !collection) return children;
  return (
    <Suspense fallback={children}>
      <ExtensionCell
        script={extension.script}
        name={extension.cell}
        record={record}
        field={field}
        collection={collection}
      >
        {children}
      </ExtensionCell>
    </Suspense>
  );
}

function safeHref(value: string): string | undefined {
  return /^(https?|ftp):\/\//i.test(value) ? value : undefined;
}

/** A short view of one value, by the type of its field. Everything is text; nothing of it runs (OPS-205). */
export function RecordCell({ record, field, collections, opensFiles }: RecordCellProps) {
  const value = record[field.name] as unknown;
  switch (field.type) {
    case 'bool':
      return value ? (
        <span className={classes.yes}>
          <IconCheck size={14} aria-hidden /> True
        </span>
      ) : (
        <span className="nothing">False</span>
      );
    case 'date':
    case 'autodate':
      return value ? <DateView value={value} /> : <Nothing />;
    case 'number':
      return <span className="mono tabular">{String(value ?? '')}</span>;
    case 'select': {
      const values = [value as string | string[]].flat().filter(Boolean);
      return values.length ? (
        <span className={classes.chips}>
          {values.slice(0, 4).map((each) => (
            <span key={each} className={`${classes.badge} truncate`} dir="auto">
              {each}
            </span>
          ))}
          {values.length > 4 ? <span className="hint">+{values.length - 4}</span> : null}
        </span>
      ) : (
        <Nothing />
      );
    }
    case 'relation':
      return <RelationCell record={record} field={field} collections={collections} />;
    case 'file': {
      const names = [value as string | string[]].flat().filter(Boolean);
      return names.length ? (
        <span className={classes.chips}>
          {names.slice(0, 4).map((name) =>
            opensFiles ? (
              <button
                key={name}
                type="button"
                className={classes.file}
                data-file={name}
                title={name}
                aria-label={`Preview ${name}`}
              >
                <FileThumb record={record} name={name} size={26} />
              </button>
            ) : (
              <span key={name} title={name}>
                <FileThumb record={record} name={name} size={26} />
              </span>
            ),
          )}
          {names.length > 4 ? <span className="hint">+{names.length - 4}</span> : null}
        </span>
      ) : (
        <Nothing />
      );
    }
    case 'url': {
      const text = String(value ?? '');
      const href = safeHref(text);
      if (!text) return <Nothing />;
      return (
        <span className={classes.chips}>
          <span className="truncate" title={text}>
            {text}
          </span>
          {href ? (
            <a
              href={href}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={`Open ${text}`}
              onClick={(event) => event.stopPropagation()}
              className={classes.open}
            >
              <IconExternalLink size={13} />
            </a>
          ) : null}
        </span>
      );
    }
    case 'json': {
      const text = value === null || value === undefined ? '' : JSON.stringify(value);
      return text ? <span className="mono truncate">{shorten(text)}</span> : <Nothing />;
    }
    case 'geoPoint': {
      const point = value as { lon: number; lat: number } | null;
      return point && (point.lon || point.lat) ? (
        <span className="mono tabular">
          {point.lon}, {point.lat}
        </span>
      ) : (
        <Nothing />
      );
    }
    case 'editor': {
      const text = htmlText(String(value ?? ''));
      return text ? (
        <span className="truncate" dir="auto">
          {shorten(text)}
        </span>
      ) : (
        <Nothing />
      );
    }
    case 'password':
      return <span className="hint">••••••</span>;
    case 'text':
    case 'email': {
      const text = String(value ?? '');
      if (text && field.name === 'id') {
        return (
          <span className={classes.idCell}>
            <span className="mono truncate">{text}</span>
            <span className={classes.copy}>
              <CopyButton value={text} label="Copy id" size={22} />
            </span>
          </span>
        );
      }
      return <TextCell text={text} />;
    }
    default:
      return (
        <UnknownCell record={record} field={field} collections={collections}>
          <TextCell text={value && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')} />
        </UnknownCell>
      );
  }
}
