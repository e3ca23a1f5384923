import type { RecordModel } from 'pocketbase';
import { presentableFields, type CollectionModel, type FieldModel } from '../api/collection-model.js';
import { htmlText } from '../design/html-text.js';
import { isImageName } from '../files/file-kind.js';
import { ThumbImage } from '../files/thumb-image.js';
import classes from './records.module.css';

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function labelOf(
  record: RecordModel,
  fields: readonly FieldModel[],
  collections: readonly CollectionModel[],
  depth: number,
): string {
  return fields
    .filter((field) => field.type !== 'file')
    .map((field) => {
      const value = record[field.name] as unknown;
      if (field.type === 'relation') {
        const expanded = record.expand?.[field.name] as RecordModel | RecordModel[] | undefined;
        if (!expanded || depth <= 0) return textOf(value);
        const target = collections.find((each) => each.id === field.collectionId);
        return [expanded]
          .flat()
          .map((each) => recordLabel(each, target, collections, depth - 1))
          .join(', ');
      }
      return field.type === 'editor' ? htmlText(textOf(value)) : textOf(value);
    })
    .filter(Boolean)
    .join(' · ');
}

/** What stands for a record: its presentable values, along relations, or its id. */
export function recordLabel(
  record: RecordModel,
  collection: CollectionModel | undefined,
  collections: readonly CollectionModel[],
  depth = 2,
): string {
  return labelOf(record, presentableFields(collection), collections, depth) || record.id;
}

interface RecordLabelProps {
  readonly record: RecordModel;
  readonly collection: CollectionModel | undefined;
  readonly collections: readonly CollectionModel[];
}

/** A record in one line, with the picture of a presentable file field in front. */
export function RecordLabel({ record, collection, collections }: RecordLabelProps) {
  const pictureField = collection?.fields.find((field) => field.type === 'file' && field.presentable);
  const picture = pictureField
    ? [record[pictureField.name] as string | string[]].flat().find((name) => name && isImageName(name))
    : undefined;
  const label = recordLabel(record, collection, collections);
  return (
    <span className={classes.label} title={label} dir="auto">
      {picture ? (
        <ThumbImage record={record} name={picture} size={20} className={classes.labelPicture} fallback={null} />
      ) : null}
      <span className="truncate">{label}</span>
    </span>
  );
}
