import { IconFile, IconFileMusic, IconFileTypePdf, IconMovie } from '@tabler/icons-react';
import classes from './files.module.css';
import { fileKind } from './file-kind.js';
import { ThumbImage } from './thumb-image.js';

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
  const kind = fileKind(name);
  const Icon = ICONS[kind];
  const sign = <Icon size={size * 0.55} stroke={1.6} aria-hidden />;
  return (
    <span className={classes.thumb} style={{ width: size, height: size }}>
      {kind === 'image' ? <ThumbImage record={record} name={name} size={size} fallback={sign} /> : sign}
    </span>
  );
}
