import { ActionIcon, Button, FileButton } from '@mantine/core';
import { IconArrowBackUp, IconExternalLink, IconTrash, IconUpload } from '@tabler/icons-react';
import { useEffect, useMemo, useState, type DragEvent } from 'react';
import { useFileUrl } from '../api/file-token.js';
import { isMultiple } from '../api/collection-model.js';
import { sizeText } from '../files/file-kind.js';
import { FilePreviewDialog } from '../files/file-preview-dialog.js';
import { FileThumb } from '../files/file-thumb.js';
import { isFileSelection, type FileSelection } from '../records/record-form.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import classes from './fields.module.css';
import { SortableList } from './sortable-list.js';

function NewFilePicture({ file }: { file: File }) {
  const url = useMemo(() => (file.type.startsWith('image/') ? URL.createObjectURL(file) : ''), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (!url) return null;
  return <img src={url} alt="" width={30} height={30} className={classes.newPicture} />;
}

/** Files of a record: chosen or dropped, sorted, marked for deletion until the record is saved (UI-32). */
export function FileInput({ field, value, onChange, error, record }: FieldInputProps) {
  const selection: FileSelection = isFileSelection(value) ? value : { stored: [], removed: [], added: [] };
  const fileUrl = useFileUrl();
  const [over, setOver] = useState(false);
  const [preview, setPreview] = useState<string | null>(null);
  const multiple = isMultiple(field);
  const limit = multiple ? Number(field.maxSelect) : 1;
  const kept = selection.stored.filter((name) => !selection.removed.includes(name));
  const free = limit - kept.length - selection.added.length;
  const mimeTypes = (field.mimeTypes as string[] | null) ?? [];
  const maxSize = Number(field.maxSize) || 5_242_880;

  const add = (files: readonly File[]) => {
    if (!files.length) return;
    if (!multiple) onChange({ ...selection, removed: [...selection.stored], added: [files[0]!] });
    else onChange({ ...selection, added: [...selection.added, ...files.slice(0, Math.max(free, 0))] });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  };
  const mark = (name: string, removed: boolean) =>
    onChange({
      ...selection,
      removed: removed ? [...selection.removed, name] : selection.removed.filter((each) => each !== name),
    });

  return (
    <FieldFrame
      field={field}
      error={error}
      hint={`${multiple ? `Max ${limit} files, max` : 'Max'} ${sizeText(maxSize)}${multiple ? ' each' : ''}${mimeTypes.length ? `: ${mimeTypes.join(', ')}` : ''}`}
    >
      <div
        className={`${classes.box} ${classes.drop}`}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <SortableList
          items={selection.stored}
          idOf={(name) => name}
          nameOf={(name) => name}
          disabled={selection.stored.length < 2}
          onSort={(stored) => onChange({ ...selection, stored })}
        >
          {(name, handle) => {
            const removed = selection.removed.includes(name);
            return (
              <div className={classes.itemRow} data-removed={removed || undefined}>
                {handle}
                {record ? (
                  <button
                    type="button"
                    onClick={() => setPreview(name)}
                    aria-label={`Preview ${name}`}
                    className={classes.fileButton}
                    style={{ marginLeft: handle ? 0 : 4 }}
                  >
                    <FileThumb record={record} name={name} size={30} />
                  </button>
                ) : null}
                <span className={`${classes.itemName} mono truncate`} title={name}>
                  {name}
                </span>
                {record ? (
                  <ActionIcon
                    data-tip="Open in a new tab"
                    component="a"
                    href={fileUrl(record, name) || undefined}
                    target="_blank"
                    rel="noopener noreferrer"
                    aria-label={`Open ${name} in a new tab`}
                  >
                    <IconExternalLink size={15} />
                  </ActionIcon>
                ) : null}
                <ActionIcon
                  aria-label={removed ? `Keep ${name}` : `Delete ${name}`}
                  onClick={() => mark(name, !removed)}
                >
                  {removed ? <IconArrowBackUp size={15} /> : <IconTrash size={15} />}
                </ActionIcon>
              </div>
            );
          }}
        </SortableList>
        <SortableList
          items={selection.added}
          idOf={(file) => `${file.name}-${file.size}-${file.lastModified}`}
          nameOf={(file) => file.name}
          disabled={selection.added.length < 2}
          onSort={(added) => onChange({ ...selection, added })}
        >
          {(file, handle) => (
            <div className={classes.itemRow}>
              {handle}
              <NewFilePicture file={file} />
              <span className={`${classes.itemName} truncate`}>
                <bdi>{file.name}</bdi> <span className="hint">{sizeText(file.size)}, new</span>
              </span>
              <ActionIcon
                aria-label={`Remove ${file.name}`}
                onClick={() => onChange({ ...selection, added: selection.added.filter((each) => each !== file) })}
              >
                <IconTrash size={15} />
              </ActionIcon>
            </div>
          )}
        </SortableList>
        <div className={classes.boxFoot}>
          <FileButton
            multiple={multiple as false}
            accept={mimeTypes.join(',')}
            onChange={(files: File | File[] | null) => add([files].flat().filter((file) => file !== null))}
            key={`${selection.added.length}-${selection.stored.length}`}
          >
            {(props) => (
              <Button
                {...props}
                size="xs"
                variant="subtle"
                color="gray"
                fullWidth
                disabled={multiple && free <= 0}
                leftSection={<IconUpload size={15} />}
              >
                {multiple && free <= 0
                  ? 'The most files it can hold'
                  : multiple || !kept.length
                    ? 'Choose or drop a file'
                    : 'Replace the file'}
              </Button>
            )}
          </FileButton>
        </div>
      </div>
      {preview && record ? (
        <FilePreviewDialog
          record={record}
          names={selection.stored}
          initial={preview}
          onClose={() => setPreview(null)}
        />
      ) : null}
    </FieldFrame>
  );
}
