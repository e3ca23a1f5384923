import {
  IconAlignLeft,
  IconAt,
  IconBraces,
  IconCalendar,
  IconCalendarCode,
  IconHash,
  IconKey,
  IconLetterT,
  IconLink,
  IconListCheck,
  IconLock,
  IconMapPin,
  IconPhoto,
  IconRelationOneToMany,
  IconToggleRight,
} from '@tabler/icons-react';

const ICONS = {
  text: IconLetterT,
  editor: IconAlignLeft,
  number: IconHash,
  bool: IconToggleRight,
  email: IconAt,
  url: IconLink,
  date: IconCalendar,
  autodate: IconCalendarCode,
  select: IconListCheck,
  json: IconBraces,
  file: IconPhoto,
  relation: IconRelationOneToMany,
  password: IconLock,
  geoPoint: IconMapPin,
} as const;

/** The sign of a field type; the id has a key of its own. */
export function FieldIcon({ type, name, size = 14 }: { type: string; name?: string; size?: number }) {
  const Icon = name === 'id' ? IconKey : (ICONS[type as keyof typeof ICONS] ?? IconBraces);
  return <Icon size={size} stroke={1.7} aria-hidden style={{ flex: 'none' }} />;
}
