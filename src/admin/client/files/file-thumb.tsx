import { IconFile, IconFileMusic, IconFileTypePdf, IconMovie } from '@tabler/icons-react';
import { useFileUrl } from '../api/file-token.js';
import classes from './files.module.css';
import { fileKind } from './file-kind.js';

const ICONS = {
  video: IconMovie,
  audio: IconFileMusic,
  pdf: IconFileTypePdf,
  other: IconFile,
  image: IconFile,
} as const;

/** A small picture of a stored file, or the sign of its kind. */
export function FileThumb({
  record,
  name,
  size = 28,
}: {
  record: { id: string; collectionId: string };
  name: string;
  size?: number;
}) {
  const fileUrl = useFileUrl();
  const kind = fileKind(name);
  const url = kind === 'image' ? fileUrl(record, name, '100x100') : '';
  const Icon = ICONS[kind];
  return (
    <span className={classes.thumb} style={{ width: size, height: size }}>
      {url ? (
        <img src={url} alt="" loading="lazy" width={size} height={size} />
      ) : (
        <Icon size={size * 0.55} stroke={1.6} aria-hidden />
      )}
    </span>
  );
}
